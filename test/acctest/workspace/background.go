//go:build unix

package workspace

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// Background is a terraform that runs while its test does something else.
type Background struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	output strings.Builder
}

// Start starts terraform and does not wait for it; [Background.Wait] does.
func (w *Workspace) Start(ctx context.Context, args ...string) (*Background, error) {
	cmd := w.Command(ctx, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &Background{cmd: cmd, lines: bufio.NewScanner(out)}, cmd.Start()
}

// Until waits for a line that contains the text.
func (b *Background) Until(text string) error {
	for b.lines.Scan() {
		fmt.Fprintln(&b.output, b.lines.Text())
		if strings.Contains(b.lines.Text(), text) {
			return nil
		}
	}
	return fmt.Errorf("terraform ended without a line with %q:\n%s", text, &b.output)
}

// Signal sends a signal to terraform and to its providers, as a terminal does: the providers live on if only
// terraform is killed.
func (b *Background) Signal(s syscall.Signal) error { return syscall.Kill(-b.cmd.Process.Pid, s) }

// Wait waits for the end, and returns the whole output.
func (b *Background) Wait() (string, error) {
	for b.lines.Scan() {
		fmt.Fprintln(&b.output, b.lines.Text())
	}
	if err := b.cmd.Wait(); err != nil {
		return b.output.String(), &Error{b.cmd.Args[1:], b.output.String(), err}
	}
	return b.output.String(), nil
}

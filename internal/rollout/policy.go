package rollout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// PolicyCommand is a command of the shell that gets a plan as JSON on its standard input. It refuses the plan with
// any exit status other than 0, and its output is the reason.
func PolicyCommand(command string) func(ctx context.Context, plan []byte) error {
	return func(ctx context.Context, plan []byte) error {
		shell := []string{"/bin/sh", "-c", command}
		if runtime.GOOS == "windows" {
			shell = []string{"cmd", "/C", command}
		}
		cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
		// Processes that the shell has started end with it.
		cmd.SysProcAttr, cmd.WaitDelay = apart(), 5*time.Second
		cmd.Cancel = func() error { return stop(cmd) }
		var said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(plan), &said, &said
		err := cmd.Run()
		if err == nil {
			return nil
		}
		if reason := strings.TrimSpace(said.String()); reason != "" {
			return errors.New(reason)
		}
		return fmt.Errorf("%s: %w", command, err)
	}
}

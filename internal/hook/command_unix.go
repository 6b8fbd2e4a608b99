//go:build unix

package hook

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// endWithChildren makes the command the leader of a process group, and has the
// whole group asked to end when the command's context ends.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return signalGroup(cmd, syscall.SIGTERM) }
}

// killChildren kills what is left of the group.
func killChildren(cmd *exec.Cmd) { _ = signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, signal syscall.Signal) error {
	if cmd.Process == nil {
		return nil
	}
	err := syscall.Kill(-cmd.Process.Pid, signal)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone // as os/exec wants to hear it
	}
	return err
}

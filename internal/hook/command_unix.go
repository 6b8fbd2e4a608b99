//go:build unix

package hook

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// endWithChildren makes the command the leader of a process group, and has the
// whole group asked to end when the command's context ends.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return signalGroup(cmd, syscall.SIGTERM) }
}

// killChildren kills what is left of the group, and waits for its end. It does not wait for long:
// where no init reaps them, processes stay after their end.
func killChildren(cmd *exec.Cmd) {
	for end := time.Now().Add(timeToEnd / 4); signalGroup(cmd, syscall.SIGKILL) == nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

func signalGroup(cmd *exec.Cmd, signal syscall.Signal) error {
	if cmd.Process == nil {
		return os.ErrProcessDone
	}
	err := syscall.Kill(-cmd.Process.Pid, signal)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone // as os/exec wants to hear it
	}
	return err
}

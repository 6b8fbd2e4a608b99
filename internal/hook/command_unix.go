//go:build unix

package hook

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// endWithChildren makes the command the leader of a process group. When the command's context ends, the whole group
// is asked to end.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return signalGroup(cmd, syscall.SIGTERM) }
}

// killChildren kills the rest of the group and waits for its end. It does not wait for long: without an init that
// reaps them, ended processes remain.
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
		return os.ErrProcessDone // value that os/exec expects
	}
	return err
}

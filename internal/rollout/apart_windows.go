package rollout

import (
	"os/exec"
	"syscall"
)

// apart starts a program in a process group of its own.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// stop ends a program that was started apart.
func stop(cmd *exec.Cmd) error { return cmd.Process.Kill() }

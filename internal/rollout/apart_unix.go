//go:build unix

package rollout

import (
	"os/exec"
	"syscall"
)

// apart starts a program in a process group of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// stop asks a program that was started apart, and its children, to end.
func stop(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

//go:build unix

package rollout

import "syscall"

// apart starts a program in a process group of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

package rollout

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// apart starts a program in a process group of its own.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// stop ends a program that was started apart.
func stop(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// lock locks a folder until unlock is called or this program ends: nobody can remove an open file.
func lock(dir string) (unlock func(), err error) {
	name := filepath.Join(dir, "lock")
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}

//go:build unix

package rollout

import (
	"os"
	"os/exec"
	"syscall"
)

// apart starts a program in a process group of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// stop asks a program that was started apart, and its children, to end.
func stop(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// lock locks a folder of this user until unlock is called or this program ends. It lies in a folder of all
// users, where another user may have put a link, or a FIFO, at which opening would wait: it opens neither.
func lock(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Sys().(*syscall.Stat_t).Uid != uint32(os.Getuid()) {
		err = os.ErrPermission
	}
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		_, err = os.Stat(dir) // the folder may have been removed before it was locked
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

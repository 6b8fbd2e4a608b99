//go:build unix

package bench

import (
	"syscall"
	"time"
)

// processorTime returns the CPU time of this process, and of the processes that it waited for.
func processorTime() (own, others time.Duration, err error) {
	if own, err = used(syscall.RUSAGE_SELF); err == nil {
		others, err = used(syscall.RUSAGE_CHILDREN)
	}
	return own, others, err
}

func used(who int) (time.Duration, error) {
	var r syscall.Rusage
	err := syscall.Getrusage(who, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), err
}

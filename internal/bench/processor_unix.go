//go:build unix

package bench

import (
	"syscall"
	"time"
)

// processorTime is the CPU time of this process and of those it waited for.
func processorTime() (sum time.Duration, err error) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			return 0, err
		}
		sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return sum, nil
}

//go:build unix

package health

import (
	"math"
	"syscall"
)

// fileLimit returns how many files this process may have open. Go has raised the limit as far as the system allows.
func fileLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt
	}
	return int(min(uint64(limit.Cur), math.MaxInt)) //nolint:gosec,unconvert // bounded; signed on FreeBSD
}

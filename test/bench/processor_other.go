//go:build !unix

package bench

import (
	"fmt"
	"runtime"
	"time"
)

func processorTime() (own, others time.Duration, err error) {
	return 0, 0, fmt.Errorf("the CPU time of a process cannot be measured on %s", runtime.GOOS)
}

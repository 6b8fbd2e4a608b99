// Package bench compares the project's way to do something with another way, in a benchmark. Both run in turn in one
// process, so that their ratio is right even on a busy machine.
package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Side is one of the ways.
type Side struct {
	Name string
	Do   func() error
}

// Cost is the cost of a side.
type Cost struct {
	CPU    time.Duration // average CPU time of this process and the processes that it waited for
	Allocs float64       // average number of allocations of this process
}

// Compare runs all sides in each iteration, and returns the cost of each. It reports the CPU time and the allocations
// of one iteration by name.
func Compare(b *testing.B, sides ...Side) []Cost {
	b.Helper()
	costs := make([]Cost, len(sides))
	for b.Loop() {
		for i, side := range sides {
			runtime.GC() // no side has to clean up after another
			before := now(b)
			require.NoError(b, side.Do(), side.Name)
			costs[i].add(before, now(b))
		}
	}
	b.ReportMetric(0, "ns/op") // the time of all sides together means nothing
	for i, side := range sides {
		costs[i].CPU /= time.Duration(b.N)
		costs[i].Allocs /= float64(b.N)
		b.ReportMetric(Milliseconds(costs[i].CPU), side.Name+"-cpu-ms")
	}
	return costs
}

// Milliseconds returns a duration in milliseconds, with a fraction.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (c *Cost) add(from, to Cost) {
	c.CPU += to.CPU - from.CPU
	c.Allocs += to.Allocs - from.Allocs
}

// now returns the cost of the process so far.
func now(b *testing.B) Cost {
	b.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	own, others, err := processorTime()
	require.NoError(b, err)
	return Cost{CPU: own + others, Allocs: float64(m.Mallocs)}
}

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
	Others time.Duration // CPU time of the processes that it waited for
	Wall   time.Duration // shortest time: other work of the machine only adds to it
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
		costs[i].Others /= time.Duration(b.N)
		costs[i].Allocs /= float64(b.N)
		b.ReportMetric(Milliseconds(costs[i].CPU), side.Name+"-cpu-ms")
	}
	return costs
}

// Milliseconds returns a duration in milliseconds, with a fraction.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (c *Cost) add(from, to Cost) {
	c.CPU += to.CPU - from.CPU
	c.Others += to.Others - from.Others
	if took := to.Wall - from.Wall; c.Wall == 0 || took < c.Wall {
		c.Wall = took
	}
	c.Allocs += to.Allocs - from.Allocs
}

var start = time.Now()

// now returns the cost of the process so far.
func now(b *testing.B) Cost {
	b.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c := Cost{Wall: time.Since(start), Allocs: float64(m.Mallocs)}
	var err error
	var own time.Duration
	if own, c.Others, err = processorTime(); err != nil {
		b.Fatal(err)
	}
	c.CPU = own + c.Others
	return c
}

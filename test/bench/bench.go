// Package bench compares, in a benchmark, what the project does with another
// way to do it. Both run in turn in one process, so that the ratio holds on a
// machine that is busy with other things too.
package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Side is one way to do a thing.
type Side struct {
	Name string
	Do   func() error
}

// Cost is what a side took.
type Cost struct {
	CPU    time.Duration // of this process and of those it waited for, on average
	Others time.Duration // the part of those it waited for
	Wall   time.Duration // at best: what else the machine does only adds to it
	Allocs float64       // of this process, on average
}

// Compare does all sides in each iteration, and returns what each cost. It
// reports the CPU time and allocations of one iteration by name.
func Compare(b *testing.B, sides ...Side) []Cost {
	b.Helper()
	costs := make([]Cost, len(sides))
	for b.Loop() {
		for i, side := range sides {
			runtime.GC() // nobody cleans up behind another
			before := now(b)
			require.NoError(b, side.Do(), side.Name)
			costs[i].add(before, now(b))
		}
	}
	b.ReportMetric(0, "ns/op") // of all sides together: it says nothing
	for i, side := range sides {
		costs[i].CPU /= time.Duration(b.N)
		costs[i].Others /= time.Duration(b.N)
		costs[i].Allocs /= float64(b.N)
		b.ReportMetric(Milliseconds(costs[i].CPU), side.Name+"-cpu-ms")
	}
	return costs
}

// Milliseconds with what is behind the point.
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

// now is what the process has cost so far.
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

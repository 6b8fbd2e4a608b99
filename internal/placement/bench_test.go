package placement

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
)

func benchBins(k int) []Bin {
	list := make([]Bin, k)
	for i := range list {
		list[i] = Bin{Name: fmt.Sprintf("zone-%05d", i), Weight: int64(50 + i*7919%151), Cap: Unlimited}
	}
	return list
}

// BenchmarkAgainstGreedy compares Distribute with adding one node at a time, which must give the same plan, at 100
// bins and a million nodes.
func BenchmarkAgainstGreedy(b *testing.B) {
	list := benchBins(100)
	costs := bench.Compare(b,
		bench.Side{Name: "greedy", Do: func() error {
			greedy(list, 1_000_000)
			return nil
		}},
		often("distribute", list, 1_000_000))
	b.ReportMetric(repeats*float64(costs[0].CPU)/float64(costs[1].CPU), "times-faster")
}

// BenchmarkCount compares a count of 10^12 with one of 10,000, at 10,000 bins.
func BenchmarkCount(b *testing.B) {
	list := benchBins(10_000)
	costs := bench.Compare(b, often("small", list, 10_000), often("large", list, 1_000_000_000_000))
	b.ReportMetric(float64(costs[1].CPU)/float64(costs[0].CPU), "times-small-count")
}

// repeats make a call long enough for the clock of CPU time.
const repeats = 20

func often(name string, list []Bin, count int64) bench.Side {
	return bench.Side{Name: name, Do: func() error {
		for range repeats {
			if _, err := Distribute(list, count); err != nil {
				return err
			}
		}
		return nil
	}}
}

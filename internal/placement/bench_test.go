package placement

import (
	"fmt"
	"testing"
)

func benchBins(k int) []Bin {
	list := make([]Bin, k)
	for i := range list {
		list[i] = Bin{Name: fmt.Sprintf("zone-%05d", i), Weight: int64(50 + i*7919%151), Cap: Unlimited}
	}
	return list
}

// BenchmarkDistribute: the cost follows the bins, not the count.
func BenchmarkDistribute(b *testing.B) {
	for _, k := range []int{10, 1_000, 10_000} {
		for _, count := range []int64{10, 1_000_000, 1_000_000_000_000} {
			list := benchBins(k)
			full := make([]int64, k)
			b.Run(fmt.Sprintf("add/bins=%d/count=%.0e", k, float64(count)), func(b *testing.B) {
				for b.Loop() {
					full, _ = Distribute(list, count)
				}
			})
			grown := replaced(list, full)
			b.Run(fmt.Sprintf("remove/bins=%d/count=%.0e", k, float64(count)), func(b *testing.B) {
				for b.Loop() {
					if _, err := Distribute(grown, -count); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkUnitGreedy is what Distribute would cost one node at a time.
func BenchmarkUnitGreedy(b *testing.B) {
	for _, c := range []struct{ bins, count int }{{10, 1_000}, {100, 1_000_000}} {
		list := benchBins(c.bins)
		b.Run(fmt.Sprintf("bins=%d/count=%d", c.bins, c.count), func(b *testing.B) {
			for b.Loop() {
				greedy(list, int64(c.count))
			}
		})
		b.Run(fmt.Sprintf("fast/bins=%d/count=%d", c.bins, c.count), func(b *testing.B) {
			for b.Loop() {
				if _, err := Distribute(list, int64(c.count)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

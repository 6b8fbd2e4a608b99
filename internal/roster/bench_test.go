package roster

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/bench"
)

// BenchmarkPlan: a plan that changes nothing, and one that grows by a node, for
// clusters without a template and with a template and an update.
func BenchmarkPlan(b *testing.B) {
	for _, size := range []int64{1_000, 10_000} {
		for _, growth := range []int64{0, 1} {
			b.Run(fmt.Sprintf("nodes=%d/growth=%d", size, growth), func(b *testing.B) {
				side := func(name string, change func(*Policy)) bench.Side {
					p := policy(size)
					change(&p)
					r, _, err := Plan(Roster{}, Seen{}, p)
					if err != nil {
						b.Fatal(err)
					}
					seen := running(r)
					p.Capacity += growth
					return bench.Side{Name: name, Do: func() error {
						_, _, err := Plan(r, seen, p)
						return err
					}}
				}
				costs := bench.Compare(b,
					side("bare", func(*Policy) {}),
					side("template", func(p *Policy) { p.Templates = images("a") }),
					side("update", func(p *Policy) {
						p.Templates, p.Update = images("a"), update("25%", Unhealthy, Misplaced, Outdated)
						p.RequireMarks = true
					}))
				b.ReportMetric(float64(costs[1].CPU)/float64(costs[0].CPU), "times-with-template")
				b.ReportMetric(float64(costs[2].CPU)/float64(costs[0].CPU), "times-with-update")
			})
		}
	}
}

// BenchmarkRollout: the first batch of a new template.
func BenchmarkRollout(b *testing.B) {
	for _, size := range []int64{1_000, 10_000} {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			p := policy(size)
			p.Templates = images("a")
			r, _, err := Plan(Roster{}, Seen{}, p)
			if err != nil {
				b.Fatal(err)
			}
			seen := running(r)
			p.Templates, p.Update = images("b"), update("25%", Unhealthy, Misplaced, Outdated)
			for b.Loop() {
				if _, change, err := Plan(r, seen, p); err != nil || change.Replaced != size/4 {
					b.Fatal(change.Replaced, err)
				}
			}
		})
	}
}

package roster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
	"github.com/stretchr/testify/require"
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
					require.NoError(b, err)
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
			require.NoError(b, err)
			seen := running(r)
			p.Templates, p.Update = images("b"), update("25%", Unhealthy, Misplaced, Outdated)
			for b.Loop() {
				if _, change, err := Plan(r, seen, p); err != nil || change.Replaced() != size/4 {
					b.Fatal(change.Replaced(), err)
				}
			}
		})
	}
}

// largeTemplates are as large as templates get: of many keys, and of long values.
func largeTemplates() map[string]func(version string) Template {
	return map[string]func(string) Template{
		"keys=1000": func(version string) Template {
			values := map[string]string{"image": version}
			for i := range 1_000 {
				values[fmt.Sprint("key-", i)] = fmt.Sprint("value ", i)
			}
			return NewTemplate(values)
		},
		"values=64KiB": func(version string) Template {
			return NewTemplate(map[string]string{"image": version, "user_data": strings.Repeat("x", 64<<10), "config": strings.Repeat("y", 64<<10)})
		},
	}
}

// largeRollout is a cluster of a large template, and a policy that gives it another
// one.
func largeRollout(t testing.TB, size int64, template func(version string) Template) (Roster, Seen, Policy) {
	t.Helper()
	p := policy(size)
	own := template("own")
	p.Templates = NewTemplates(Templates{placement.Place{}: template("a"), placement.Place{Region: "RegionTwo"}: own})
	r, _, err := Plan(Roster{}, Seen{}, p)
	require.NoError(t, err)
	seen := running(r)
	p.Templates, p.RequireMarks = NewTemplates(Templates{placement.Place{}: template("b"), placement.Place{Region: "RegionTwo"}: own}), true
	p.Update = update("25%", Unhealthy, Misplaced, Outdated)
	return r, seen, p
}

// BenchmarkLargeTemplate: a batch of 1,000 nodes with a template of many keys, or
// of long values.
func BenchmarkLargeTemplate(b *testing.B) {
	for name, template := range largeTemplates() {
		b.Run(name, func(b *testing.B) {
			r, seen, p := largeRollout(b, 1_000, template)
			for b.Loop() {
				next, change, err := Plan(r.Learn(seen, p), seen, p)
				if err != nil || change.Replaced() == 0 || len(next.Nodes) != 1_000 {
					b.Fatal(change.Replaced(), err)
				}
			}
		})
	}
}

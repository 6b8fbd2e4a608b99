package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/require"
)

// largeTemplates are as large as templates get: one has many keys, the other long values.
func largeTemplates() map[string]func(version string) roster.Template {
	return map[string]func(string) roster.Template{
		"keys=1000": func(version string) roster.Template {
			values := map[string]string{"image": version}
			for i := range 1_000 {
				values[fmt.Sprint("key-", i)] = fmt.Sprint("value ", i)
			}
			return roster.NewTemplate(values)
		},
		"values=64KiB": func(version string) roster.Template {
			return roster.NewTemplate(map[string]string{"image": version, "user_data": strings.Repeat("x", 64<<10), "config": strings.Repeat("y", 64<<10)})
		},
	}
}

// largeRollout returns a cluster with a large template, and a policy with another one.
func largeRollout(t testing.TB, size int64, template func(version string) roster.Template) (roster.Roster, roster.Seen, roster.Policy) {
	t.Helper()
	p := policy(size)
	own := template("own")
	p.Templates = roster.NewTemplates(roster.Templates{placement.Place{}: template("a"), placement.Place{Region: "RegionTwo"}: own})
	r, _, err := Plan(roster.Roster{}, roster.Seen{}, p)
	require.NoError(t, err)
	seen := running(r)
	p.Templates, p.RequireMarks = roster.NewTemplates(roster.Templates{placement.Place{}: template("b"), placement.Place{Region: "RegionTwo"}: own}), true
	p.Update = update("25%", roster.Unhealthy, roster.Misplaced, roster.Outdated)
	return r, seen, p
}

// BenchmarkLargeTemplate plans a batch of a cluster of 1,000 nodes with a template of many keys, or of long values.
func BenchmarkLargeTemplate(b *testing.B) {
	for name, template := range largeTemplates() {
		b.Run(name, func(b *testing.B) {
			r, seen, p := largeRollout(b, 1_000, template)
			for b.Loop() {
				next, change, err := Plan(learn.Learn(r, seen, p), seen, p)
				if err != nil || change.Replaced() == 0 || len(next.Nodes) != 1_000 {
					b.Fatal(change.Replaced(), err)
				}
			}
		})
	}
}

// BenchmarkPlan makes plans of clusters of three sizes: nothing to do, a growth by a tenth, and a batch of a tenth.
func BenchmarkPlan(b *testing.B) {
	for _, size := range []int64{100, 1_000, 10_000} {
		p := policy(size)
		p.Templates, p.Update = images("a"), update("10%", roster.Unhealthy, roster.Misplaced, roster.Outdated)
		r, _, err := Plan(roster.Roster{}, roster.Seen{}, p)
		require.NoError(b, err)
		seen := running(r)
		r = learn.Learn(r, seen, p).Ordered()
		for _, c := range []struct {
			name    string
			size    int64
			image   string
			changes int64
		}{{"stable", size, "a", 0}, {"growth", size + size/10, "a", size / 10}, {"batch", size, "b", size / 10}} {
			b.Run(fmt.Sprintf("%s/nodes=%d", c.name, size), func(b *testing.B) {
				p := p
				p.Capacity, p.Templates = c.size, images(c.image)
				b.ReportAllocs()
				for b.Loop() {
					if _, change, err := Plan(r, seen, p); err != nil || int64(len(change.With(verdict.Comes))) != c.changes {
						b.Fatal(len(change.With(verdict.Comes)), err)
					}
				}
			})
		}
	}
}

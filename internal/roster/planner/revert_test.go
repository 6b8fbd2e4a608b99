package planner

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"pgregory.net/rapid"
)

// TestUnattended: a pipeline applies again and again with any template, and a person names the nodes that failed twice.
// A bad template reaches at most a batch of nodes, and goes back completely, once. A good template arrives, even if its
// servers are slow.
func TestUnattended(t *testing.T) {
	for _, method := range []string{roster.Substitute, roster.InPlace, roster.Recreate} {
		t.Run(method, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { unattended(t, method) })
		})
	}
}

func unattended(t *rapid.T, method string) {
	w := newWorld(t)
	w.late, w.wait = rapid.Int64Range(1, 99).Draw(t, "late"), rapid.Int64Range(1, 60).Draw(t, "wait")
	policy := roster.Policy{Name: web, Capacity: rapid.Int64Range(1, 9).Draw(t, "capacity"), Regions: twoRegions(),
		Criteria: genCriteria.Draw(t, "criteria"), Templates: images("first"), RequireMarks: true}
	policy.Update = update(fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "batch")), roster.Unhealthy, roster.Outdated)
	policy.Update.StopAbove, policy.Update.Method = amount("100%"), method
	policy.Update.RevertAfter = time.Duration(rapid.IntRange(100, 300).Draw(t, "revert after")) * time.Second
	policy.Update.Pause = rapid.SampledFrom([]time.Duration{0, 0, 50 * time.Second}).Draw(t, "pause")
	batch := policy.Batch()
	last := "first"
	for i, kind := range append([]string{"first"}, rapid.SliceOfN(rapid.SampledFrom([]string{"good", "bad", "late", "bad"}), 1, 4).Draw(t, "given")...) {
		name := kind
		if i > 0 {
			name = fmt.Sprintf("%s-%d", kind, i)
		}
		w.bad[name] = kind == "bad"
		policy.Templates = images(name)
		reverted := 0
		for quiet, applies := 0, 0; quiet < 3; applies++ {
			if applies == 1000 {
				t.Fatalf("%s does not end: %s, failed %v", name, layout(w.roster), w.roster.Failed)
			}
			failed := len(w.roster.Failed)
			w.start()
			change := w.round(policy, rapid.SampledFrom([]int{1000, 1000, 1000, 2, 5}).Draw(t, "crash"))
			if change == nil {
				t.Fatalf("there is no plan for %s", layout(w.roster))
			}
			policy.Candidates = slices.DeleteFunc(change.Held(hold.Twice, hold.Servers), func(v verdict.Verdict) bool {
				return v.Hold == hold.Servers && v.Cause != roster.Unhealthy // it did not fail
			}).Names() // as the notice says
			reverted += len(w.roster.Failed) - failed
			has := int64(0)
			for _, n := range w.roster.Nodes {
				if n.Template == image(name) {
					has++
				}
			}
			if kind == "bad" && has > batch {
				t.Fatalf("%d nodes have the bad template, in batches of %d", has, batch)
			}
			_, wanted := facts.Judge(w.roster, policy)
			settled := change.Empty() && change.Remaining == 0 && w.all(wanted.Templates.At(placement.Place{}).Values()["image"])
			if quiet++; !settled {
				quiet = 0
			}
			w.pass(20)
		}
		want := name
		if kind == "bad" {
			want = last
		}
		if reverted > 1 || (reverted > 0) != (kind == "bad") || !w.all(want) {
			t.Fatalf("%s failed %d times; at rest %s", name, reverted, layout(w.roster))
		}
		last = want
	}
}

package planner

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
)

// TestLargeTemplate: a plan reads a template of 1,000 keys a few times, and not for each of 1,000 nodes, which would
// take 6,000,000 allocations. The next plan, in which each other node waits for the batch, lists the batch once.
func TestLargeTemplate(t *testing.T) {
	r, seen, p := largeRollout(t, 1_000, largeTemplates()["keys=1000"])
	if n := testing.AllocsPerRun(1, func() {
		next, change, err := Plan(learn.Learn(r, seen, p), seen, p)
		if err != nil || change.Replaced() == 0 {
			t.Error(change.Replaced(), err)
		}
		if _, change, err = Plan(next, seen, p); err != nil || change.Replaced() > 0 {
			t.Error(change.Replaced(), err)
		}
	}); n > 350_000 { // four plans: each is followed by the one that its status is from
		t.Errorf("%.0f allocations", n)
	}
}

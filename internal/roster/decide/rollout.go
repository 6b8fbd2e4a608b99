package decide

import (
	"maps"
	"math"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// rollout says which of two templates a node gets that is made or changed: the wanted
// one until as many nodes have it as the target says, then the settled one. So a
// growth keeps the share of a canary, and what never worked does not stay.
//
// The settled template, given again, has no target: a canary is taken back
// whatever the target says.
type rollout struct {
	wanted, settled roster.Templates
	Target          int64 // how many nodes get the wanted template
	Current         int64 // how many have it
	promised        int64 // how many of those that will be added get it
	slots           bool  // whether nodes have slots
}

func rolloutOf(now roster.Roster, left facts.Facts, policy roster.Policy) rollout {
	r := rollout{wanted: policy.Templates, settled: now.Settled, Target: targetOf(policy, now),
		slots: policy.Stateful != nil}
	r.Current = left.Number(func(f *facts.Fact) bool { return !f.Outdated })
	return r
}

// targetOf is the number of nodes that get the wanted template.
func targetOf(p roster.Policy, now roster.Roster) int64 {
	if p.Update == nil || maps.Equal(p.Templates, now.Settled) {
		return math.MaxInt64
	}
	return p.Update.Target.Up(p.Capacity)
}

// reached reports whether as many nodes have the wanted template as may.
func (r rollout) reached() bool { return r.Current+r.promised >= r.Target }

// at is the template that a node of a place gets.
func (r rollout) templateAt(place placement.Place) roster.Template {
	if settled := r.settled.At(place); r.reached() && settled != "" {
		return settled
	}
	return r.wanted.At(place)
}

// suits reports whether a leaving node may come back for a node that is needed: it is in
// service, and has the template that is its turn. A node of a slot comes back with any: its own server is
// worth more than a new one, and if it is outdated a batch replaces it later.
func (r rollout) suits(f *facts.Fact) bool {
	return f.Is == facts.Serving && (r.slots || f.Template == r.templateAt(f.Place))
}

// give promises nodes that will be added the template that is their turn.
func (r *rollout) promise(n int64) { r.promised += min(n, max(0, r.Target-r.Current-r.promised)) }

// have counts a node that has a template now.
func (r *rollout) count(at placement.Place, template roster.Template) {
	if template == r.wanted.At(at) {
		r.Current++
	}
}

// take counts a node that no longer has the template that it has.
func (r *rollout) uncount(f *facts.Fact) {
	if !f.Outdated {
		r.Current--
	}
}

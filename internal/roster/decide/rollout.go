package decide

import (
	"maps"
	"math"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// rollout says which template a new or changed node gets: the wanted template until as many
// nodes have it as the target says, then the settled one. So a growth keeps the share of a
// canary, and a template that never worked does not stay.
//
// If the settled template is given again, there is no target, so that a canary goes back completely.
type rollout struct {
	wanted, settled roster.Templates
	target          int64 // number of nodes that should get the wanted template
	current         int64 // number of nodes that have it
	promised        int64 // number of nodes to be added that get it
	slots           bool  // whether nodes have slots
}

func rolloutOf(now roster.Roster, policy roster.Policy) rollout {
	r := rollout{wanted: policy.Templates, settled: now.Settled, target: math.MaxInt64, slots: policy.Stateful != nil}
	if policy.Update != nil && !maps.Equal(policy.Templates, now.Settled) {
		if target := policy.Update.Target.Up(policy.Capacity); target < policy.Capacity { // else all, with stand-ins
			r.target = target
		}
	}
	return r
}

// reached reports whether as many nodes have the wanted template as the target says.
func (r rollout) reached() bool { return r.current+r.promised >= r.target }

// templateAt returns the template that the next node of a place gets.
func (r rollout) templateAt(place placement.Place) roster.Template {
	if settled := r.settled.At(place); r.reached() && settled != "" {
		return settled
	}
	return r.wanted.At(place)
}

// suits reports whether a leaving node may come back when a node is needed: it is in service, and
// has the template that a new node would get. A node of a slot may come back with any template,
// because its server is worth more than a new one; if it is outdated, a batch replaces it later.
func (r rollout) suits(f *facts.Fact) bool {
	return (f.Is == facts.Serving || f.Server.Draining) && (r.slots || f.Template == r.templateAt(f.Place))
}

// promise counts a number of nodes to be added, as many of which get the wanted template as the target allows.
func (r *rollout) promise(n int64) { r.promised += min(n, max(0, r.target-r.current-r.promised)) }

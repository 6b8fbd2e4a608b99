// Package planner is the door of the planner of clusters: it makes a plan and its sentences.
//
// It is pure: the same roster, look and policy give the same plan.
package planner

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
)

// Change is what a plan changes, in verdicts and in sentences.
type Change = say.Change

// Plan works out the next roster of a cluster, and what changes: see [decide.Plan]. If a region lists zones for the
// first time, its nodes get the zones of their servers.
//
// The errors are a [*decide.ArgumentError] and a [*placement.InfeasibleError].
func Plan(now roster.Roster, seen roster.Seen, policy roster.Policy) (roster.Roster, Change, error) {
	p, err := decide.Plan(now, seen, policy)
	if err != nil {
		return now, Change{}, err
	}
	change := say.About(p, seen)
	change.Status = change.Now // also if no plan follows
	if repeats(now, p, change) {
		return p.Next, change, nil
	}
	next, look, then := after(p.Next, seen, policy, change)
	if follows, err := decide.Plan(next, look, then); err == nil {
		change.Status = say.Status(follows)
	}
	return p.Next, change, nil
}

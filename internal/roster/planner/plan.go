// Package planner is the door of the planner of clusters: it makes a plan and its sentences.
//
// It is pure: the same roster, look and policy give the same plan.
package planner

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// Change is what a plan changes, in verdicts and in sentences.
type Change = say.Change

// Plan works out the next roster of a cluster, and what changes: see [decide.Plan]. If a region lists zones for the
// first time, its nodes get the zones of their servers.
//
// The errors are a [*decide.ArgumentError] and a [*placement.InfeasibleError].
func Plan(now roster.Roster, seen roster.Seen, policy roster.Policy) (roster.Roster, Change, error) {
	if policy.Update == nil {
		seen.Full = nil // nobody tries a full place again
	}
	p, err := decide.Plan(now, seen, policy)
	if err != nil {
		return now, Change{}, err
	}
	change := say.About(p, seen)
	change.Status = change.Now // also if no plan follows
	if repeats(now, seen, p, change) {
		return p.Next, change, nil
	}
	next, look, then := after(p, seen, policy, change)
	if follows, err := decide.Plan(next, look, then); err == nil {
		change.Status = say.Status(follows)
	}
	return p.Next, change, nil
}

// after returns what the next plan begins with if the apply of a plan ends without an error: the nodes that it changes
// and awaits are in service, as its readiness attachment has found, and the servers of nodes that leave are destroyed.
// Servers stay that an apply that ended well left: Terraform does not know them.
// The status of a plan is worked out from it, so that it cannot differ from what the next plan says.
func after(
	p verdict.Plan, seen roster.Seen, policy roster.Policy, change Change,
) (roster.Roster, roster.Seen, roster.Policy) {
	next, seen := p.Next.Clone(), seen.Clone()
	for _, v := range change.List {
		n, stays := next.Nodes[v.Name]
		opened := policy.Opened[v.Region] && v.Server.InService != string(v.Mark)
		if !stays || !v.Granted() && !opened && !slices.Contains(change.Arrive, v.Name) {
			continue // the apply does not bring it into service
		}
		n.Doubt = false
		next.Nodes[v.Name] = n
		if v.Outcome == verdict.Comes || v.Outcome == verdict.Changes && v.After.Generation != v.Generation {
			delete(seen.Servers, v.Name) // another server has nothing of this one
		}
		arrives(seen, v.Name, n, policy)
	}
	maps.DeleteFunc(next.Leaving, func(name string, _ roster.Node) bool {
		left := slices.Contains(policy.Awaited, name) // by an apply that ended well
		stays := (left || slices.Contains(change.Absent, name)) && !slices.Contains(change.Arrive, name)
		if !stays {
			delete(seen.Servers, name)
		}
		return !stays
	})
	maps.DeleteFunc(seen.Strays, func(name string, _ []string) bool {
		_, leaving := next.Leaving[name]
		return !leaving
	})
	policy.Begins, policy.Blind, policy.Opened = false, false, nil
	return learn.Learn(next, seen, policy), seen, policy
}

// arrives notes that the server of a node is in service.
func arrives(seen roster.Seen, name string, n roster.Node, policy roster.Policy) {
	s, unwell := seen.Servers[name], ""
	if s.InService == string(n.Mark) { // it has its mark, so no apply waits until it is well
		unwell = s.Unwell
	}
	seen.Servers[name] = node.Node{
		ID: cmp.Or(s.ID, name), Name: name, Region: n.Region, Zone: cmp.Or(n.Zone, s.Zone), Status: "ACTIVE",
		Generation: n.Generation, InService: string(n.Mark), CreatedAt: s.CreatedAt, Tainted: s.Tainted,
		Protected: s.Protected, Locked: s.Locked, Unwell: unwell,
	}
	delete(seen.Missing, name)
	delete(seen.Builds, name)
	seen.Baking[name] = policy.Pauses()
}

// repeats reports whether the next plan is the same as a plan: it begins with the same roster, look and policy, because
// nothing changes, and nothing is learned that the roster does not have.
func repeats(now roster.Roster, seen roster.Seen, p verdict.Plan, change Change) bool {
	opens := slices.Contains(slices.Collect(maps.Values(p.Policy.Opened)), true)
	if p.Policy.Begins || p.Policy.Blind || now.Adopted || opens || !change.Empty() || len(change.Arrive) > 0 {
		return false
	}
	next := learn.Learn(p.Next, seen, p.Policy)
	nodes := maps.Equal(now.Nodes, next.Nodes) && maps.Equal(now.Before, next.Before)
	return nodes && len(now.Leaving)+len(next.Leaving) == 0 && slices.Equal(now.Done, next.Done) &&
		maps.Equal(now.Slots, next.Slots) && maps.Equal(now.Settled, next.Settled)
}

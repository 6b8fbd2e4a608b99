// Package planner is the door of the planner of clusters: it makes a plan and its sentences.
//
// It is pure: the same roster, look and policy give the same plan.
package planner

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
)

// Plan works out the next roster of a cluster, and what changes.
//
// It first removes the candidates. If the cluster is then too large, it shrinks. Then the update
// chooses its batch; see [roster.Update]. At last all new nodes, of a growth and substitutes, are
// placed together, each with the template of its place. Protected nodes are never removed or
// changed, and nodes of closed places are removed only if a shrink finds no others. If a region
// lists zones for the first time, its nodes get the zones of their servers.
//
// An update first replaces nodes that are not in service, and nodes that serve last; each by the
// causes in their order. The nodes of a cause are replaced in the order in which placement takes
// from regions and zones, and with Outdated the newest outdated template first.
//
// The errors are a [*decide.ArgumentError] and a [*placement.InfeasibleError].
func Plan(now roster.Roster, seen roster.Seen, policy roster.Policy) (roster.Roster, Change, error) {
	p, err := decide.Plan(now, seen, policy)
	if err != nil {
		return now, Change{}, err
	}
	said := say.About(p, seen)
	return p.Next, Change{Verdicts: p.List, Remaining: p.Remaining, batch: p.Size, Reverted: said.Reverted,
		Notices: said.Notices(), Status: said.Status(true), Now: said.Status(false), Awaits: say.Awaits(said.Absentees),
		Absent: say.AbsentNames(said.Absentees)}, nil
}

// Change is the result of a plan: a verdict for each node, by index, and what follows from them.
type Change struct {
	decide.Verdicts
	Remaining int64           // number of nodes that should still be replaced after this plan
	Reverted  *say.Reverted   // failed templates, or nil
	Notices   []roster.Notice // notices for a person
	Status    string          // status of the cluster after the plan is applied without an error; see [say.InStep]
	Now       string          // status of the cluster before the plan
	// nodes that are not in service, or are leaving and still run, and that the plan does not change
	Absent []string
	Awaits []string // absent nodes that an apply without an error brings into service, or removes

	batch int64 // maximum number of nodes that one plan replaces
}

// Moves returns the change in one line: "batch 2 of 5: web-1 leaves; web-8 comes". Number is the
// number of the batch, or 0 if the plan replaces no batch.
func (c Change) Moves(number int64) string {
	return say.MovesOf(c.Verdicts, number, c.Remaining, c.batch)
}

// Package planner is the door of the planner of clusters: it decides, and says what was decided.
//
// It is pure: the same roster, snapshot and policy give the same plan.
package planner

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
)

// Plan works out the next roster of a cluster, and what changes.
//
// Candidates are removed first. A cluster that is then too large shrinks. An update then
// chooses its batch; see [Update]. At last all new nodes, those of a growth and the
// substitutes, are placed together, each with the template of its place. Protected nodes are
// never removed or revised, and those of closed places only where nothing else is left to
// shrink by. Nodes of a region that lists zones only now are in the zones of their servers.
//
// Of the nodes that an update would replace, those not in service are taken first, then
// those of the causes in their order; within one, in the order in which placement takes from
// regions and zones, and for Outdated the newest of the outdated templates first.
//
// The errors are an [*ArgumentError] and a [*placement.InfeasibleError].
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

// Change is what a plan decides: a verdict for each node, by index, and what follows from
// them.
type Change struct {
	decide.Verdicts
	Remaining int64           // nodes that should still be replaced after this plan
	Reverted  *say.Reverted   // what happens for a template that failed; nil: none did
	Notices   []roster.Notice // what a person should know
	Status    string          // what the cluster is once the plan is applied and has ended well: see [InStep]
	Now       string          // what the cluster is before
	// nodes that are not in service, or leave and still run, and that the plan does not change
	Absent []string
	Awaits []string // those that an apply which ends well brings into service, or removes

	batch int64 // maximum number of nodes that one plan replaces
}

// Moves says what the change does, for people: "batch 2 of 5: web-1 leaves; web-8 comes".
// Number is that of the batch that it takes; 0 for none.
func (c Change) Moves(number int64) string {
	return say.MovesOf(c.Verdicts, number, c.Remaining, c.batch)
}

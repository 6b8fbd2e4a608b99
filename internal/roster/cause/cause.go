// Package cause has the causes of an update: why a node should be replaced. A cause has everything about itself: a
// new one is a row here, and the words of its reason in package say.
package cause

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// Cause is why an update replaces a node. The set is closed. Candidates have a cause of their own.
type Cause struct {
	Name roster.Cause

	// Concerns reports whether a node should be replaced for the cause, whatever holds it.
	Concerns func(*facts.Fact) bool

	// Reason has words in braces, which package say fills in.
	Reason string

	// Order is the order in which the nodes of a class are replaced.
	Order Order

	// Renews means that any new server will do. A server that should have been made again, and was not, is not made
	// again for that, and a leaving node that should be renewed does not come back.
	Renews bool

	// Repairs means that the old server does not work: an outage holds the node, and a new server that fails too was
	// the second try.
	Repairs bool

	// Moves means that the substitute is in another place.
	Moves bool

	// Updates means that the new or changed server has the wanted template in place of another one: it counts for the
	// target, and the template must not have failed before.
	Updates bool

	// Waits means that a node that serves is replaced only while its place takes nodes.
	Waits bool
}

// Order is an order in which nodes are replaced.
type Order int

// The orders.
const (
	ByTurn      Order = iota // as placement takes nodes from regions and zones
	ByPlace                  // as moves make the spread better
	ByTemplate               // the oldest template first, or the newest of nodes that do not serve, then by turn
	OldestFirst              // the oldest server first
)

// All lists all causes in the order in which their nodes are replaced.
var All = []*Cause{
	{
		Name: roster.Unhealthy, Renews: true, Repairs: true,
		Concerns: func(f *facts.Fact) bool { return f.Unhealthy() || f.Outlived },
		Reason:   "{illness}",
	},
	{
		Name: roster.Misplaced, Order: ByPlace, Moves: true,
		Concerns: never, // only a board shows that another place is better
		Reason:   "{better place}",
	},
	{
		Name: roster.Outdated, Concerns: func(f *facts.Fact) bool { return f.Outdated }, Order: ByTemplate,
		Waits: true, Updates: true,
		Reason: "{differs}",
	},
	{
		Name: roster.Newer, Concerns: never, // its nodes are outdated
	},
	{
		Name: roster.LaterFlavor, Concerns: func(f *facts.Fact) bool { return f.Earlier != "" },
		Renews: true, Waits: true,
		Reason: "it has {flavor}, and {earlier flavor} comes first",
	},
	{
		Name: roster.TooOld, Concerns: func(f *facts.Fact) bool { return !f.Aged.IsZero() }, Order: OldestFirst,
		Renews: true, Waits: true,
		Reason: "its server was launched on {launched}",
	},
}

// Candidate is the cause of nodes that a person names in candidates.
var Candidate = &Cause{Concerns: never, Reason: "named in candidates"}

func never(*facts.Fact) bool { return false }

// ByName returns a cause of update, or Candidate.
func ByName(name roster.Cause) *Cause {
	if i := slices.IndexFunc(All, func(c *Cause) bool { return c.Name == name }); i >= 0 {
		return All[i]
	}
	return Candidate
}

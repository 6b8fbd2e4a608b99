// Package verdict has the result of the planner as values: what a plan decides about each node, and why. The
// planner makes them; sentences and the provider only read them.
package verdict

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
)

// Outcome is what a plan does with a node.
type Outcome string

// The outcomes.
const (
	Stays   Outcome = "stays"
	Held    Outcome = "held"    // should be replaced, and is not: see [hold.Hold]
	Leaves  Outcome = "leaves"  // is removed
	Changes Outcome = "changes" // keeps its name, and gets another template or another server
	Returns Outcome = "returns" // was leaving, and comes back
	Comes   Outcome = "comes"   // is new
)

// Verdict is what a plan decides about a node, and why. The node is the one before the plan; a node
// that comes or returns is the one after it.
type Verdict struct {
	Want
	Outcome Outcome
	Refusal             // why the node is held
	Reason  string      // one sentence; "" for a node that stays or is new
	After   roster.Node // node after the plan, if it changes
}

// Remains reports whether the node is held, and still has to be replaced.
func (v *Verdict) Remains() bool { return v.Outcome == Held && !v.Hold.Done && v.What != Nothing }

// Granted reports whether the plan changes the node.
func (v *Verdict) Granted() bool { return v.Outcome != Stays && v.Outcome != Held }

// Refusal is why a want is not granted, with the data that a sentence about it needs. A want
// without a hold is granted.
type Refusal struct {
	Hold *hold.Hold
	Why  string // why the place of the node takes no nodes, such as "is closed", with [hold.Closed] and [hold.NoPlace]
	Err  error  // error of placement, with [hold.NoRoom]
}

// Want is a change that a plan should make, and why. The want of a growth has no node.
type Want struct {
	*facts.Fact
	What  Kind
	Cause roster.Cause // cause of the update, or ""
	Nodes int64        // number of nodes of a growth

	To     roster.Template // template that the node should have
	MoveTo placement.Place // place in which a node should be instead of a misplaced one
	// why the place of a misplaced or surplus node loses one, or "" if only its share says so
	WhyLoses string
	First    bool // whether a surplus node comes first because the update would replace it
}

// Kind is the kind of a want.
type Kind int

// The kinds of wants.
const (
	Nothing   Kind = iota // the node stays as it is
	Removed               // a candidate leaves, and gets a substitute unless the cluster is too large
	Surplus               // a node too many leaves
	TakenBack             // a change that was not carried out is taken back, because others are out of service
	Revised               // a node that never served gets the template that it should have
	GivenUp               // a node that never served leaves, and another one comes: a name is tried once
	Grown                 // nodes are added
	Returned              // a leaving node comes back because a node is needed
	StandsIn              // a leaving node comes back because a stranded node does not serve
	Remade                // a candidate keeps its name, and its server is made again
	Replaced              // a node is replaced for a cause of the update
)

// Row returns the cause, with what it says about itself.
func (w Want) Row() *cause.Cause { return cause.ByName(w.Cause) }

// Candidate reports whether a person named the node in candidates.
func (w Want) Candidate() bool { return w.What == Removed || w.What == Remade }

// NeedsRoom reports whether the want needs room for a new node. A node that never served makes its own.
func (w Want) NeedsRoom() bool { return w.What != Revised && w.What != GivenUp }

// Retries reports whether the substitute of a node is a second try. A node for which Nova found no
// host was no try, and a node that served for long did not fail.
func (w Want) Retries() bool {
	return w.Row().Repairs && (!w.Served || w.Early) && !w.NoHost
}

// List has the verdicts about the nodes of a cluster, by index.
type List []*Verdict

// Filter returns the verdicts for which something is so.
func (all List) Filter(is func(*Verdict) bool) (list List) {
	for _, v := range all {
		if is(v) {
			list = append(list, v)
		}
	}
	return list
}

// With returns the verdicts with one of the outcomes.
func (all List) With(outcomes ...Outcome) List {
	return all.Filter(func(v *Verdict) bool { return slices.Contains(outcomes, v.Outcome) })
}

// Empty reports whether no node changes.
func (all List) Empty() bool {
	return !slices.ContainsFunc(all, (*Verdict).Granted)
}

// Replaced returns the number of nodes that the update replaces, or that are made again.
func (all List) Replaced() (nodes int64) {
	for _, v := range all {
		if v.Outcome == Leaves && v.Cause != "" || v.Outcome == Changes && (v.Cause != "" || v.What == Remade) {
			nodes++
		}
	}
	return nodes
}

// Held returns the verdicts about nodes that are held by one of the holds.
func (all List) Held(holds ...*hold.Hold) List {
	return all.Filter(func(v *Verdict) bool { return v.Outcome == Held && slices.Contains(holds, v.Hold) })
}

// Names returns the names of the nodes.
func (all List) Names() (names []string) {
	for _, v := range all {
		names = append(names, v.Name)
	}
	return names
}

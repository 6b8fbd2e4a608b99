package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
)

// Outcome is what a plan does with a node.
type Outcome string

// The outcomes.
const (
	Stays   Outcome = "stays"
	Held    Outcome = "held"    // should be replaced, and is not: see [Hold]
	Leaves  Outcome = "leaves"  // is removed
	Changes Outcome = "changes" // keeps its name, and gets another template or another server
	Returns Outcome = "returns" // was leaving, and comes back
	Comes   Outcome = "comes"   // is new
)

// Verdict is what a plan decides about a node, and why.
type Verdict struct {
	Name        string
	roster.Node        // as it was before the plan; of one that comes or returns, as it is after it
	ID          string // of its server, "" where none is known
	Outcome     Outcome
	Cause       roster.Cause // of the update, "" without one
	Hold        hold.Hold    // of a node that is held
	Reason      string       // one sentence; "" for one that stays or is new

	Want  Want
	After roster.Node // of one that changes
	No    refusal     // of one that is held
}

// refusal is why a want is not granted, with the data that a sentence about it needs. Without a hold it is granted.
type refusal struct {
	hold hold.Hold
	At   placement.Place // of HeldClosed and HeldNoHost
	Why  string          // of HeldClosed: why that place takes no nodes, "is closed"
	Err  error           // of HeldNoRoom
}

// Want is what should happen to a node, and why. One that grows the cluster has no node.
type Want struct {
	*facts.Fact
	What  what
	Cause roster.Cause // of the update; "": none
	nodes int64        // of a growth

	To     roster.Template // of a node that should have another template: that one
	Better placement.Place // of one that is misplaced: where a node should be instead
	// of one that is misplaced or too many: why its place comes first; "": that is only its share
	Beyond string
	First  bool   // of one too many: whether it comes first because the update would replace it
	Back   string // leaving node that comes back instead
}

// what should happen.
type what int

// What should happen with a node.
const (
	Nothing  what = iota // it stays as it is
	removed              // a candidate: it leaves, and a substitute comes where the cluster is not too large
	Surplus              // one too many: it leaves
	Revised              // it never served, and gets the template that it should have
	GivenUp              // it failed twice, and leaves for the node that it came for
	grown                // nodes are added
	returned             // one that leaves comes back where a node is needed
	Remade               // a candidate that keeps its name: its server is made again
	Replaced             // for a cause of the update
)

// named reports whether a person named the node in candidates.
func (w Want) named() bool { return w.What == removed || w.What == Remade }

// stays reports whether the node keeps its place in the cluster, or makes no room in it for others.
func (w Want) stays() bool { return w.What == Revised || w.What == GivenUp }

// retries reports whether what comes for a node is its second try. A node for which Nova
// found no host was no try, and one that served for long did not fail.
func (w Want) retries() bool {
	return w.Cause == roster.Unhealthy && (!w.Served || w.Early) && w.Full == nil
}

// Verdicts are those about the nodes of a cluster, by index.
type Verdicts []Verdict

// Of are the verdicts of an outcome.
func (all Verdicts) Of(outcome Outcome) (list Verdicts) {
	for _, v := range all {
		if v.Outcome == outcome {
			list = append(list, v)
		}
	}
	return list
}

// Empty reports whether no node changes.
func (all Verdicts) Empty() bool {
	return !slices.ContainsFunc(all, func(v Verdict) bool { return v.Outcome != Stays && v.Outcome != Held })
}

// Replaced is the number of nodes that the update replaces, or that are made again.
func (all Verdicts) Replaced() (n int64) {
	for _, v := range all {
		if v.Outcome == Leaves && v.Cause != "" || v.Outcome == Changes && (v.Cause != "" || v.Want.What == Remade) {
			n++
		}
	}
	return n
}

// Held are the verdicts about nodes that are held, of some holds.
func (all Verdicts) Held(holds ...hold.Hold) (list Verdicts) {
	for _, v := range all {
		if v.Outcome == Held && slices.Contains(holds, v.Hold) {
			list = append(list, v)
		}
	}
	return list
}

// Names are the names of the nodes.
func (all Verdicts) Names() (names []string) {
	for _, v := range all {
		names = append(names, v.Name)
	}
	return names
}

package roster

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
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
	Name    string
	Node           // as it was before the plan; of one that comes or returns, as it is after it
	ID      string // of its server, "" where none is known
	Outcome Outcome
	Cause   Cause  // of the update, "" without one
	Hold    Hold   // of a node that is held
	Reason  string // one sentence; "" for one that stays or is new

	want  want
	after Node    // of one that changes
	no    refusal // of one that is held
}

// Hold is why a node that should be replaced is not. The set is closed.
type Hold string

// The holds.
const (
	HeldBegins    Hold = "begins"       // Terraform must first store what the servers depend on
	HeldOlder     Hold = "older state"  // its server carries a later mark: this state is older than the cluster
	HeldWiring    Hold = "wiring"       // its server does not depend on it as it should
	HeldProtected Hold = "protected"    // the node must stay as it is
	HeldClosed    Hold = "closed"       // its place takes no nodes now
	HeldUnseen    Hold = "not seen"     // no refresh has looked at it since it changed
	HeldOutage    Hold = "outage"       // more nodes are unhealthy than stop_above allows
	HeldFailed    Hold = "failed"       // the wanted template failed
	HeldFormer    Hold = "not followed" // its server should have been made again, and was not
	HeldTwice     Hold = "made twice"   // it did not last, nor did the one before it
	HeldTarget    Hold = "target"       // as many nodes have the wanted template as should
	HeldNoHost    Hold = "no host"      // Nova found no host where it has to be made again
	HeldNoRoom    Hold = "no room"      // no place has room for its substitute
	HeldServers   Hold = "servers"      // two batches of servers beyond the cluster are there already
	HeldBakes     Hold = "bakes"        // the batch before has to serve for longer
	HeldWaits     Hold = "waits"        // the batch waits for nodes that are not in service, or that leave
	HeldBatch     Hold = "batch"        // the batch is full
)

// order is the place of a hold in the table, the length of the table for none.
func (h Hold) order() int {
	for i, row := range holds {
		if row.Hold == h {
			return i
		}
	}
	return len(holds)
}

// remains reports whether a node that is held will be replaced later.
func (h Hold) remains() bool { return !holds[h.order()].done }

// goesOn reports whether a hold ends with an apply that ends well, or with the one after it.
func (h Hold) goesOn() bool {
	return h == HeldBegins || h == HeldBatch || h == HeldWaits || h == HeldServers
}

// refusal is why a want is not granted, with the data that a sentence about it needs. Without a hold it is granted.
type refusal struct {
	hold Hold
	at   placement.Place // of HeldClosed and HeldNoHost
	why  string          // of HeldClosed: why that place takes no nodes, "is closed"
	err  error           // of HeldNoRoom
}

// want is what should happen to a node, and why. One that grows the cluster has no node.
type want struct {
	*fact
	what  what
	cause Cause // of the update; "": none
	nodes int64 // of a growth

	to     Template        // of a node that should have another template: that one
	better placement.Place // of one that is misplaced: where a node should be instead
	beyond string          // of one that is misplaced or too many: why its place comes first; "": that is only its share
	first  bool            // of one too many: whether it comes first because the update would replace it
	back   string          // leaving node that comes back instead
}

// what should happen.
type what int

const (
	nothing  what = iota
	removed       // a candidate: it leaves, and a substitute comes where the cluster is not too large
	surplus       // one too many: it leaves
	revised       // it never served, and gets the template that it should have
	givenUp       // it failed twice, and leaves for the node that it came for
	grown         // nodes are added
	returned      // one that leaves comes back where a node is needed
	remade        // a candidate that keeps its name: its server is made again
	replaced      // for a cause of the update
)

// named reports whether a person named the node in candidates.
func (w want) named() bool { return w.what == removed || w.what == remade }

// retries reports whether what comes for a node is its second try. A node for which Nova
// found no host was no try, and one that served for long did not fail.
func (w want) retries() bool {
	return w.cause == Unhealthy && (!w.Served || w.early) && w.fact.full == nil
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
		if v.Outcome == Leaves && v.Cause != "" || v.Outcome == Changes && (v.Cause != "" || v.want.what == remade) {
			n++
		}
	}
	return n
}

// held are the verdicts about nodes that are held, of some holds.
func (all Verdicts) held(holds ...Hold) (list Verdicts) {
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

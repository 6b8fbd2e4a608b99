package roster

import (
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Outcome is what a plan does with a node.
type Outcome string

// The outcomes.
const (
	Stays   Outcome = "stays"
	Held    Outcome = "held"    // it should be replaced, and is not: see [Hold]
	Leaves  Outcome = "leaves"  // it is removed
	Changes Outcome = "changes" // it keeps its name, and gets another template or another server
	Returns Outcome = "returns" // it was leaving, and comes back
	Comes   Outcome = "comes"   // it is new
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
	after Node   // of one that changes
	why   string // of a hold: what it waits for, in a few words
}

// Hold is why a node that should be replaced is not. The set is closed.
type Hold string

// The holds, the one that says the most first: a node that several hold has the first.
const (
	HeldBegins    Hold = "begins"       // Terraform must first store what the servers depend on
	HeldProtected Hold = "protected"    // the node must stay as it is
	HeldClosed    Hold = "closed"       // its place takes no nodes now
	HeldUnseen    Hold = "not seen"     // no refresh has looked at it since it changed
	HeldOutage    Hold = "outage"       // more nodes are unhealthy than stop_above allows
	HeldTwice     Hold = "made twice"   // it never served, nor did the one before it
	HeldFormer    Hold = "not followed" // its server should have been made again, and was not
	HeldFailed    Hold = "failed"       // the wanted template failed, and there is none to go back to
	HeldTarget    Hold = "target"       // as many nodes have the wanted template as should
	HeldNoHost    Hold = "no host"      // Nova found no host where it has to be made again
	HeldNoRoom    Hold = "no room"      // no place has room for its substitute
	HeldBakes     Hold = "bakes"        // the batch before has to serve for longer
	HeldWaits     Hold = "waits"        // the batch waits for nodes that are not in service, or that leave
	HeldBatch     Hold = "batch"        // the batch is full
)

// refusal is why a want is not granted: nothing where it is.
type refusal struct {
	hold Hold
	why  string
}

func refuse(hold Hold, format string, args ...any) refusal {
	return refusal{hold, fmt.Sprintf(format, args...)}
}

// spent reports whether it is about what all nodes share: then it holds for those
// that come after it too.
func (h Hold) spent() bool {
	return slices.Contains([]Hold{HeldTarget, HeldBakes, HeldWaits, HeldBatch}, h)
}

// want is what should happen to a node, and why. One that grows the cluster has no node.
type want struct {
	*fact
	cause  Cause // of the update; "": none
	what   what
	why    string // why this node
	beyond string // of one too many: why its place comes first, "" where that is only its share
	nodes  int64  // of a growth
}

// what should happen.
type what int

const (
	removed  what = iota // a candidate: it leaves
	surplus              // one too many: it leaves
	revised              // it never served, and gets the template that it should have
	grown                // nodes are added
	remade               // a candidate that keeps its name: its server is made again
	replaced             // for a cause of the update
)

// text is the sentence about a node that is held.
func (v Verdict) text() string {
	if v.Cause == "" {
		return fmt.Sprintf("named in candidates in %s; %s", v.Place, v.why)
	}
	return fmt.Sprintf("%s in %s: %s; %s", v.Cause, v.Place, v.want.why, v.why)
}

// held are the verdicts about nodes that are held, of some holds.
func held(verdicts []Verdict, holds ...Hold) (list []Verdict) {
	for _, v := range verdicts {
		if v.Outcome == Held && (len(holds) == 0 || slices.Contains(holds, v.Hold)) {
			list = append(list, v)
		}
	}
	return list
}

// withWhy lists nodes with what holds them: "web-1 (RegionOne/az-1 is closed)".
func withWhy(list []Verdict) (names []string) {
	for _, v := range list {
		names = append(names, fmt.Sprintf("%s (%s)", v.Name, v.why))
	}
	return names
}

// located lists nodes with their places.
func located(list []Verdict) (names []string) {
	for _, v := range list {
		names = append(names, fmt.Sprintf("%s (%s)", v.Name, v.Place))
	}
	return names
}

func namesOf(list []Verdict) (names []string) {
	for _, v := range list {
		names = append(names, v.Name)
	}
	return names
}

// Change is what a plan decides: a verdict for each node, by index, and what follows from
// them.
type Change struct {
	Verdicts  []Verdict
	Remaining int64     // nodes that should still be replaced after this plan
	Reverted  *Reverted // what happens for a template that failed; nil: none did
	Notices   []Notice  // what a person should know

	waits    wait     // what the next batch waits for
	baking   []string // nodes that have to serve for longer
	kept     []string // protected nodes that keep the update from its target, each with why
	outdated int64    // nodes of another template than the wanted one
}

// Of are the verdicts of an outcome.
func (c Change) Of(outcome Outcome) (list []Verdict) {
	for _, v := range c.Verdicts {
		if v.Outcome == outcome {
			list = append(list, v)
		}
	}
	return list
}

// Names are the names of the nodes of an outcome.
func (c Change) Names(outcome Outcome) []string { return namesOf(c.Of(outcome)) }

// Empty reports whether no node changes.
func (c Change) Empty() bool {
	return !slices.ContainsFunc(c.Verdicts, func(v Verdict) bool { return v.Outcome != Stays && v.Outcome != Held })
}

// Replaced is the number of nodes that the update replaces, or that are made again.
func (c Change) Replaced() (n int64) {
	for _, v := range c.Verdicts {
		if v.Outcome == Leaves && v.Cause != "" || v.Outcome == Changes && (v.Cause != "" || v.want.what == remade) {
			n++
		}
	}
	return n
}

// where says of a place, for people, why it takes no nodes.
func where(at placement.Place, why string) string { return fmt.Sprintf("%s %s", at, why) }

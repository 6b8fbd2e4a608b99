package roster

import (
	"math/big"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Policy says what the cluster should be.
type Policy struct {
	Name     func(index int64) string // of a new node
	Capacity int64                    // number of nodes
	Regions  []placement.Region       // the listed ones; their counts of nodes are not looked at
	Criteria deletion.Criteria

	// Unreachable are the regions in which nothing can be deleted now. They keep their
	// nodes as they are.
	Unreachable map[string]bool

	// Opened are the regions that this plan opens. What was seen in them is old, so no
	// update replaces their nodes yet.
	Opened map[string]bool

	Candidates []string  // names, or ids of servers, of nodes to remove
	Kept       []string  // those of the candidates whose servers somebody keeps
	Protected  []string  // names, or ids of servers, of nodes that are never removed
	Templates  Templates // what new nodes are made from; empty: there is no template
	Flavors    Flavors   // of new nodes; empty: their template says it
	Elsewhere  bool      // whether another place is better than a later flavor

	// Rooms are how many more servers of a flavor a quota allows, by region and flavor; none: any number.
	Rooms    map[string]map[string]int64
	Update   *Update   // nil: nothing is replaced
	Stateful *Stateful // nil: nodes have no slots

	// Begins says that this plan is the first with an update, a method or slots, or that it
	// begins to require marks. It replaces nothing yet: Terraform must first have stored what
	// the servers depend on, and the readiness attachment must have marked them.
	Begins bool

	// Blind says that no look at the cloud followed the last apply: what was seen before it
	// proves nothing but service.
	Blind bool

	// Awaited are the nodes that an apply should have brought into service, or removed, and that
	// a look has not found so since: an apply that changes nothing else is not expected to again.
	Awaited []string

	// Loose names by region the line of the configuration by which servers do not follow their
	// nodes: no batch begins there. LooseMoves names one by which no node moves.
	Loose, LooseMoves map[string]string

	// RequireMarks counts a node as in service only if its server carries the node's
	// own mark.
	RequireMarks bool
}

// Update says which nodes are replaced, and how many of them by one plan.
type Update struct {
	Causes    []Cause
	BatchSize Amount // of the capacity, rounded down, at least one node
	Target    Amount // of the capacity, rounded up: how many nodes get the wanted template
	StopAbove Amount // of the capacity: more unhealthy nodes are an outage, and none is replaced for it
	Method    string // how a node is replaced; "": Substitute

	MaxAge time.Duration // of a server, for TooOld; see [Seen.Tell]
	Pause  time.Duration // how long the nodes of a batch have to be in service before the next one

	// Windows are when nodes may be replaced for another cause than Unhealthy.
	Windows Windows

	// RevertAfter is how long after the launch of a server a wait for it has to end
	// without it for its template to have failed. 0: none fails.
	RevertAfter time.Duration

	// RetryFullAfter is how long a place in which Nova found no host takes no node. 0:
	// only the plan that replaces that node looks elsewhere.
	RetryFullAfter time.Duration

	Holds bool // whether no node is replaced for its template, because that failed
}

// Cause is a reason to replace a node.
type Cause string

// The causes, in the order in which their nodes are replaced.
const (
	Unhealthy Cause = "UNHEALTHY" // its server is in ERROR, or marked as tainted, or its service is unhealthy
	Misplaced Cause = "PLACEMENT" // its place is not listed or above its cap, or another is strictly better
	Outdated  Cause = "TEMPLATE"  // its template is not the one of its place
	Lesser    Cause = "FLAVOR"    // an earlier flavor of its place is not full
	TooOld    Cause = "AGE"       // its server is older than it may be
)

// The methods of replacing a node. With all of them a node that is misplaced gets a
// substitute, because its place is the wrong one.
const (
	Substitute = "SUBSTITUTE" // a new node under a new name, made first
	InPlace    = "IN_PLACE"   // the same node and server, of another template; made again where that is not the cause
	Recreate   = "RECREATE"   // the same node, whose server is destroyed first and made again
)

// Keeps reports whether a node that is replaced for a cause keeps its name and place, so
// that it is out of service until its server is back. Candidates have no cause.
func (p Policy) Keeps(cause Cause) bool {
	if p.Stateful != nil {
		return true
	}
	return p.Update != nil && p.Update.Method != "" && p.Update.Method != Substitute && cause != Misplaced
}

// TakesFirst reports whether the method takes nodes from service before what comes for them
// is there. Then nothing waits for the substitutes of nodes that move either.
func (p Policy) TakesFirst() bool { return p.Keeps(Outdated) }

// MakesAgain reports whether the server of a node that keeps its name is made again.
func (p Policy) MakesAgain(cause Cause) bool {
	return p.Update == nil || p.Update.Method == Recreate || cause != Outdated
}

// Batch is the maximum number of nodes that one plan replaces.
func (p Policy) Batch() int64 {
	if p.Update == nil {
		return 1
	}
	return max(p.Update.BatchSize.Down(p.Capacity), 1)
}

// Stops reports whether so many nodes are more than stop_above.
func (p Policy) Stops(sick int64) bool {
	return p.Update != nil && big.NewRat(sick, 1).Cmp(p.Update.StopAbove.exact(p.Capacity)) > 0
}

// Pauses reports whether a batch has to serve for a while before the next one.
func (p Policy) Pauses() bool { return p.Update != nil && p.Update.Pause > 0 }

// Has reports whether a cause is among those of the update.
func (u *Update) Has(cause Cause) bool { return u != nil && slices.Contains(u.Causes, cause) }

// Closed reports whether a place, or its region, is closed for maintenance.
func (p Policy) Closed(at placement.Place) bool {
	return slices.ContainsFunc(p.Regions, func(r placement.Region) bool {
		return r.Name == at.Region && (r.Maintenance ||
			slices.ContainsFunc(r.Zones, func(z placement.Bin) bool { return z.Name == at.Zone && z.Maintenance }))
	})
}

// Rests says why no update touches the nodes of a place, or nothing.
func (p Policy) Rests(at placement.Place) string {
	switch {
	case p.Closed(at):
		return "is closed"
	case p.Unreachable[at.Region]:
		return "cannot be reached"
	case p.Opened[at.Region]:
		return "was closed until now, and nobody has looked at its nodes since"
	}
	return ""
}

// Zoned reports whether a region is listed with zones.
func Zoned(listed []placement.Region, region string) bool {
	return slices.ContainsFunc(listed, func(r placement.Region) bool { return r.Name == region && len(r.Zones) > 0 })
}

// Choice is a place as a server asks for it: where a region lists no zones Nova chooses one.
func Choice(listed []placement.Region, at placement.Place) placement.Place {
	if !Zoned(listed, at.Region) {
		at.Zone = ""
	}
	return at
}

// Lists reports whether a place is listed.
func Lists(listed []placement.Region, at placement.Place) bool {
	return slices.ContainsFunc(listed, func(r placement.Region) bool {
		return r.Name == at.Region && (at.Zone == "" || len(r.Zones) == 0 ||
			slices.ContainsFunc(r.Zones, func(z placement.Bin) bool { return z.Name == at.Zone }))
	})
}

// KeepsServer reports whether the policy names a node whose server somebody keeps once the
// node has left.
func (p Policy) KeepsServer(name, id string) bool {
	return slices.Contains(p.Kept, name) || id != "" && slices.Contains(p.Kept, id)
}

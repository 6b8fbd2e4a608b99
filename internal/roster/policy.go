package roster

import (
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/amount"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Policy says what the cluster should be.
type Policy struct {
	Name     func(index int64) string // name of a new node
	Capacity int64                    // number of nodes
	Regions  []placement.Region       // listed regions; their counts of nodes are not used
	Criteria deletion.Criteria

	// Unreachable has the regions in which nothing can be deleted now. They keep their nodes as they are.
	Unreachable map[string]bool

	// Opened has the regions that this plan opens. Nobody has looked at their nodes since they
	// were closed, so no update replaces these nodes yet.
	Opened map[string]bool

	Candidates []string  // names, or ids of servers, of nodes to remove
	Kept       []string  // candidates whose servers somebody keeps
	Protected  []string  // names, or ids of servers, of nodes that are never removed
	Templates  Templates // templates of new nodes; empty without a template
	Flavors    Flavors   // flavors of new nodes; empty if their template says it
	FlavorIDs  FlavorIDs // ids of these flavors

	// Rooms has how many more servers of a flavor a quota allows, by region and flavor.
	Rooms map[string]map[string]int64

	Ordinals bool // whether nodes have ordinals

	Update   *Update   // nil if nothing is replaced
	Stateful *Stateful // nil if nodes have no slots

	// Begins means that this plan is the first with an update, a method or slots, or the first
	// that requires marks. It replaces nothing yet: Terraform must first store what the servers
	// depend on, and the readiness attachment must mark them.
	Begins bool

	// Blind means that no look at the cloud followed the last apply. An older look still proves
	// that a node is in service, and nothing else.
	Blind bool

	// Awaited has the nodes that an apply should have brought into service, or removed, and that a later look did not
	// find so. The next apply is not expected to do it if it changes nothing else.
	Awaited []string

	// MissingWire has, by region, the line of the configuration because of which servers do not follow their nodes:
	// no batch begins there. MissingLine has the line because of which no node moves.
	MissingWire, MissingLine map[string]string

	// RequireMarks means that a node counts as in service only if its server carries the
	// node's own mark. Unmarked means that this is so, and no server ever carried one: no batch begins.
	RequireMarks, Unmarked bool
}

// Update says which nodes are replaced, and how many of them by one plan. Its amounts are shares of the capacity.
type Update struct {
	Causes    []Cause
	BatchSize amount.Amount // maximum number of nodes that one plan replaces, rounded down, at least 1
	Target    amount.Amount // number of nodes that get the wanted template, rounded up
	StopAbove amount.Amount // number of unhealthy nodes above which no unhealthy node is replaced: an outage
	Method    string        // how a node is replaced; "" for Substitute

	MaxAge time.Duration // maximum age of a server, for TooOld
	Pause  time.Duration // time for which the nodes of a batch must be in service before the next batch
}

// Cause is a reason to replace a node.
type Cause string

// The names of the causes; see package cause.
const (
	Unhealthy   Cause = "UNHEALTHY" // the server is in ERROR, or marked as tainted, or its service is unhealthy
	Misplaced   Cause = "PLACEMENT" // the place is not listed or above its cap, or another place is strictly better
	Outdated    Cause = "TEMPLATE"  // the template is not the wanted one of the place
	Newer       Cause = "IMAGE"     // the newest image of each name is wanted; its nodes are Outdated
	LaterFlavor Cause = "FLAVOR"    // an earlier flavor of the place is not full
	TooOld      Cause = "AGE"       // the server is older than MaxAge
)

// The methods of replacing a node. A misplaced node gets a substitute with every method, because
// its place is the wrong one.
const (
	Substitute = "SUBSTITUTE" // a new node with a new name is made first
	InPlace    = "IN_PLACE"   // the server gets the other template; for other causes it is made again
	Recreate   = "RECREATE"   // the server is destroyed first and made again under its name
)

// Methods lists all methods.
func Methods() []string { return []string{Substitute, InPlace, Recreate} }

// Keeps reports whether a node that is replaced keeps its name and place, so that it is out of service until its
// server is back. One that moves never does, except in its slot.
func (p Policy) Keeps(moves bool) bool {
	if p.Stateful != nil {
		return true
	}
	return p.Update != nil && p.Update.Method != "" && p.Update.Method != Substitute && !moves
}

// TakesFirst reports whether the method takes nodes out of service before new servers replace
// them. Then the batch does not wait for the substitutes of nodes that move either.
func (p Policy) TakesFirst() bool { return p.Keeps(false) }

// InPlace reports whether a server gets the other template of its node without being made again.
func (p Policy) InPlace() bool { return p.Update != nil && p.Update.Method == InPlace }

// MakesAgain reports whether the server of a node that keeps its name is made again. Otherwise it gets another
// template.
func (p Policy) MakesAgain(updates bool) bool {
	return p.Update == nil || p.Update.Method == Recreate || !updates
}

// Batch returns the maximum number of nodes that one plan replaces.
func (p Policy) Batch() int64 {
	if p.Update == nil {
		return 1
	}
	return max(p.Update.BatchSize.Down(p.Capacity), 1)
}

// Stops reports whether a number of unhealthy nodes is above stop_above.
func (p Policy) Stops(sick int64) bool {
	return p.Update != nil && sick > p.Update.StopAbove.Down(p.Capacity)
}

// Pauses reports whether a batch must be in service for a while before the next one.
func (p Policy) Pauses() bool { return p.Update != nil && p.Update.Pause > 0 }

// Has reports whether the update has a cause.
func (u *Update) Has(cause Cause) bool { return u != nil && slices.Contains(u.Causes, cause) }

// Closed reports whether a place, or its region, is closed for maintenance.
func (p Policy) Closed(at placement.Place) bool {
	return slices.ContainsFunc(p.Regions, func(r placement.Region) bool {
		zone := func(z placement.Bin) bool { return z.Name == at.Zone && z.Maintenance }
		return r.Name == at.Region && (r.Maintenance || slices.ContainsFunc(r.Zones, zone))
	})
}

// Untouched returns why no update touches the nodes of a place, or "".
func (p Policy) Untouched(at placement.Place) string {
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

// KeepsServer reports whether the policy says that somebody keeps the server of a node after the node has left.
func (p Policy) KeepsServer(name, id string) bool {
	return slices.Contains(p.Kept, name) || id != "" && slices.Contains(p.Kept, id)
}

// FullFor is the time for which a place takes no node after Nova found no host there.
const FullFor = time.Hour

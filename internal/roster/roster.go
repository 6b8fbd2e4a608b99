// Package roster is the memory of a cluster: where each node belongs, what it is made from, what
// was seen of it, and what it should be.
//
// A node has a name and a place from the day it is planned until it is removed. Growing adds
// nodes, shrinking removes some, and an update replaces some, one bounded batch for each plan;
// no other node ever changes its name or place. So Terraform changes a cluster without moving,
// and so destroying, a server that stays.
//
// The planner has rooms, each a package below, and each uses only those before it: facts, what
// is known of each node; learn, what a look at the cloud changes in the memory; hold, why a node
// is not replaced; decide, who changes; say, all sentences; planner, the door.
//
// What happens to a node has one word in the code, one in the attribute change, and one in
// drawings:
//
//   - Created, creation, comes: new, under a name that no node had, or in a slot that was kept
//   - Returned, returned, comes: it departed earlier, and is back because its server still runs
//   - Departed, deletion, leaves: removed, and its server is destroyed
//   - Revised, in_place, changes: of another template or server, under its own name
//
// Leaving is a node that departed, and whose server may still run. A node that departs or is
// revised for an update is replaced; a new one in the place of one that departs is its
// substitute. Candidates are what a person names to remove.
package roster

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Roster is what is remembered of a cluster. Its tags, and those of [Seen], are how it
// is kept between two plans: a new fact is a field with a tag.
type Roster struct {
	Nodes map[string]Node `json:"nodes,omitempty"` // by name
	Next  int64           `json:"next,omitempty"`  // the index of the next new node: none is used twice, but for slots

	// Slots has the slots of a stateful cluster, those with a node and those that are kept.
	Slots map[string]Slot `json:"slots,omitempty"`

	// Former has the ways in which nodes were named before, each with the index that
	// was next. A name that one of them could have given is not given again.
	Former map[Naming]int64 `json:"former,omitempty"`

	// Leaving are nodes that an earlier plan removed and whose servers may still run.
	// They come back where a plan needs a node like them.
	Leaving map[string]Node `json:"leaving,omitempty"`

	// Settled has the last templates that every node had while at least half of the
	// nodes were in service with them. Empty: there were none yet.
	Settled Templates `json:"settled,omitempty"`

	// Failed are the templates that failed: see [Failure].
	Failed []Failure `json:"failed,omitempty"`

	// Done are the candidates that plans have met, of those that are still listed.
	Done []string `json:"done,omitempty"`

	// Adopted says that an import made the roster, and that no plan was applied since.
	Adopted bool `json:"adopted,omitempty"`

	// Order lists templates in the order in which they came, the oldest first. One
	// that is not in it is newer than all that are.
	Order []Template `json:"order,omitempty"`
}

// Node is what a cluster remembers of a node.
type Node struct {
	Index int64 `json:"index,omitempty"` // that its name was made from
	placement.Place
	Template   Template `json:"template,omitempty"`   // that it is made from
	Flavor     string   `json:"flavor,omitempty"`     // "": its template says it
	Generation int64    `json:"generation,omitempty"` // counts how often its server was made under this name, from 1
	Mark       Mark     `json:"mark,omitempty"`       // that its server carries once it was found in service

	// Served says that the node was in service since it was made or changed the last time.
	Served bool `json:"served,omitempty"`

	// Doubt says that no look at the cloud followed since the node was made or changed. It
	// does not count as in service where a batch asks whether it may go on, and counts as in
	// service where something would be taken from it.
	Doubt bool `json:"doubt,omitempty"`

	// Retried says that the node is the second try: the one before it, of the same template,
	// never served, and was made again for being unhealthy. There is no third.
	Retried bool `json:"retried,omitempty"`

	// Tried is the hash of a template of which two servers ended in ERROR in the place of this
	// node, which then came back.
	Tried string `json:"tried,omitempty"`

	// Guessed says that an import did not know the generation, and that no plan has said so.
	Guessed bool `json:"guessed,omitempty"`

	// Unplaced says that the node's server is in no zone for now, shelved and
	// offloaded: the zone is the one where it was.
	Unplaced bool `json:"unplaced,omitempty"`
}

// Age is the turn of a template: older ones have lower numbers.
func (r Roster) Age(t Template) int64 {
	if t == "" {
		return -1
	}
	if i := slices.Index(r.Order, t); i >= 0 {
		return int64(i)
	}
	return int64(len(r.Order))
}

// Ordered is the roster with the order of the templates that its nodes have, the
// leaving ones included.
func (r Roster) Ordered() Roster {
	used := map[Template]bool{}
	for _, nodes := range []map[string]Node{r.Nodes, r.Leaving} {
		for _, n := range nodes {
			used[n.Template] = n.Template != ""
		}
	}
	order := slices.DeleteFunc(slices.Clone(r.Order), func(t Template) bool { return !used[t] })
	for _, t := range slices.Sorted(maps.Keys(used)) {
		if used[t] && !slices.Contains(order, t) {
			order = append(order, t)
		}
	}
	r.Order = order
	return r
}

// Clone is a copy that can be changed.
func (r Roster) Clone() Roster {
	r.Nodes, r.Leaving = maps.Clone(r.Nodes), maps.Clone(r.Leaving)
	if r.Nodes == nil {
		r.Nodes = map[string]Node{}
	}
	if r.Leaving == nil {
		r.Leaving = map[string]Node{}
	}
	r.Slots = maps.Clone(r.Slots)
	return r
}

// Names lists the nodes by their indices.
func (r Roster) Names() []string { return ByIndex(r.Nodes) }

// LeavingNames lists the leaving nodes by their indices.
func (r Roster) LeavingNames() []string { return ByIndex(r.Leaving) }

// LeavingFrom lists the leaving nodes that a batch waits for: not those of closed
// regions, where nothing may answer.
func (r Roster) LeavingFrom(policy Policy) (names []string) {
	for _, name := range r.LeavingNames() {
		if policy.Rests(placement.Place{Region: r.Leaving[name].Region}) == "" {
			names = append(names, name)
		}
	}
	return names
}

// ByIndex lists nodes by their indices.
func ByIndex(nodes map[string]Node) []string {
	return slices.SortedFunc(maps.Keys(nodes), func(a, b string) int { return CompareIndex(a, nodes[a], b, nodes[b]) })
}

// CompareIndex orders nodes by index, then by name.
func CompareIndex(a string, n Node, b string, m Node) int {
	return cmp.Or(cmp.Compare(n.Index, m.Index), cmp.Compare(a, b))
}

// Counts counts the nodes by place.
func (r Roster) Counts() placement.Counts {
	counts := placement.Counts{}
	for _, n := range r.Nodes {
		counts[n.Place]++
	}
	return counts
}

// count counts by region the nodes that are of a kind.
func (r Roster) count(is func(name string) bool) map[string]int64 {
	counts := map[string]int64{}
	for name, n := range r.Nodes {
		if is(name) {
			counts[n.Region]++
		}
	}
	return counts
}

// Known is a node of the cluster, or one that leaves it.
func (r Roster) Known(name string) (Node, bool) {
	n, there := r.Nodes[name]
	if !there {
		n, there = r.Leaving[name]
	}
	return n, there
}

// Failure is a template that failed. Once it is found nothing in it changes.
type Failure struct {
	Template string        `json:"template"` // its hash: see [Mark]
	Node     string        `json:"node"`     // whose server was not in service
	After    time.Duration `json:"after"`    // from the launch of that server to the end of the wait for it
}

// Places lists the regions and zones that have nodes, by name: the policy that
// an adopted cluster follows already. A region with a node in no zone lists none.
func (r Roster) Places() []placement.Region {
	nodes := r.Counts()
	var regions []placement.Region
	for _, at := range nodes.Places() {
		if len(regions) == 0 || regions[len(regions)-1].Name != at.Region {
			regions = append(regions, placement.Region{Bin: listedBin(at.Region)})
		}
		region := &regions[len(regions)-1]
		if nodes[placement.Place{Region: at.Region}] == 0 {
			region.Zones = append(region.Zones, listedBin(at.Zone))
		}
	}
	return regions
}

func listedBin(name string) placement.Bin { return placement.Bin{Name: name, Cap: placement.Unlimited} }

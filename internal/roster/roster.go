// Package roster is the memory of a cluster: where each node belongs, what it is made from, what
// was seen of it, and what it should be.
//
// A node has a name and a place from the day it is planned until it is removed. Growing adds nodes, shrinking removes
// some, and an update replaces some, one bounded batch for each plan; no other node ever changes its name or place.
// So Terraform changes a cluster without moving, and so destroying, a server that stays.
//
// The planner has rooms: packages below this one, each of which uses only the rooms before it. Facts knows each node,
// learn changes the memory after a look, cause lists why a node is replaced, hold why it is not, verdict has the values
// of a plan, gate grants a change or holds it, decide makes the plan, say its sentences, planner is the door.
//
// Each thing has one word. These are the ones that no type or field explains:
//
//   - place: a zone of a region, or a region that lists no zones. A closed place is under maintenance, and in a full
//     place Nova found no host a short time ago.
//   - in service, or serving: the server runs, and carries the mark of its node or needs none
//   - wanted: the template that the nodes of a place should have
//   - under way: has the wanted template, and is not in service yet
//   - made again: the server is destroyed and created under its name
//   - replaced: leaves or changes for a cause; the new node for one that leaves is its substitute
//   - quorum: enough other nodes are proven in service to take one out of service
package roster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Roster is what is remembered of a cluster. The JSON tags of Roster and [Seen] say how it is
// kept between two plans: a new fact is a field with a tag.
type Roster struct {
	Nodes map[string]Node `json:"nodes,omitempty"` // by name
	Next  int64           `json:"next,omitempty"`  // index of the next new node; only slots use an index again

	// Slots has the slots of a stateful cluster, with and without a node.
	Slots map[string]Slot `json:"slots,omitempty"`

	// Leaving has the nodes that an earlier plan removed and whose servers may still run. A
	// node comes back if a plan needs one like it.
	Leaving map[string]Node `json:"leaving,omitempty"`

	// Before has nodes as they were before a change in place that no look has seen carried out.
	Before map[string]Node `json:"before,omitempty"`

	// Settled has the last templates that all nodes had while at least half of the nodes were
	// in service. It is empty before the first ones.
	Settled Templates `json:"settled,omitempty"`

	// Done lists the candidates that a plan already removed or made again, as long as they stay listed.
	Done []string `json:"done,omitempty"`

	// Cleaned has the wanted templates of the last two clean-ups since all nodes served: plans that only destroy what
	// failed with these templates.
	Cleaned []Templates `json:"cleaned,omitempty"`

	// Former says how nodes were named before: a new node gets no name that one had.
	Former []naming.Naming `json:"former,omitempty"`

	// Adopted means that an import made the roster, and that no plan was applied since.
	Adopted bool `json:"adopted,omitempty"`

	// Order lists templates from the oldest to the newest. A template that is not in it is newer than all others.
	Order []Template `json:"order,omitempty"`
}

// Node is what a cluster remembers of a node.
type Node struct {
	Index int64 `json:"index,omitempty"` // index in its name
	placement.Place
	Template   Template `json:"template,omitempty"`   // template that it is made from
	Flavor     string   `json:"flavor,omitempty"`     // "" if its template says it
	FlavorID   string   `json:"flavor_id,omitempty"`  // id of the flavor when the server was asked for
	Image      string   `json:"image,omitempty"`      // image of an imported server, until a plan gives it a template
	Generation int64    `json:"generation,omitempty"` // number of servers made under this name
	Ordinal    int64    `json:"ordinal,omitempty"`    // see [Roster.Number]; 0 without [Policy.Ordinals]
	Mark       Mark     `json:"mark,omitempty"`       // mark of its server once that was found in service

	// Served means that the node was in service since it was last made or changed.
	Served bool `json:"served,omitempty"`

	// Doubt means that no look at the cloud followed since the node was made or changed. If a
	// batch asks whether it may continue, the node counts as out of service; if a plan would
	// take it out of service, it counts as in service.
	Doubt bool `json:"doubt,omitempty"`

	// Retried means that the node is the second try: the node before it, with the same
	// template, broke early or, if nodes keep their names, never served. There is no third.
	Retried bool `json:"retried,omitempty"`

	// StandsIn means that the update replaced the node, which leaves: it comes back if its substitute has
	// no place. If there are enough nodes then, it does not count as too many until the place is open.
	StandsIn bool `json:"stands_in,omitempty"`

	// Named means that the node leaves because a person named it: it does not come back, because Terraform may
	// have forgotten its server, and would make a second one.
	Named bool `json:"named,omitempty"`

	// Tried means that the node leaves, and that a newer server of it failed: it does not come back, because Terraform
	// would make one more.
	Tried bool `json:"tried,omitempty"`

	// Unplaced means that the node's server is in no zone now, because it is shelved and
	// offloaded. The node keeps the zone in which the server was.
	Unplaced bool `json:"unplaced,omitempty"`
}

// Spent reports whether nothing more is made from the wanted templates, because two clean-ups followed on them.
func (r Roster) Spent(policy Policy) bool {
	other := func(t Templates) bool { return !maps.Equal(t, policy.Templates) }
	return len(r.Cleaned) > 1 && !slices.ContainsFunc(r.Cleaned, other)
}

// Had reports whether a node may have had a name while nodes were named in another way.
func (r Roster) Had(name string) bool {
	return slices.ContainsFunc(r.Former, func(of naming.Naming) bool {
		return of.Gives(name, 0) && !of.Gives(name, r.Next)
	})
}

// Age returns the position of a template in the order of their ages: 0 for the oldest, -1 for no template.
func (r Roster) Age(t Template) int64 {
	if t == "" {
		return -1
	}
	if i := slices.Index(r.Order, t); i >= 0 {
		return int64(i)
	}
	return int64(len(r.Order))
}

// Ordered returns the roster with an order of exactly the templates that its nodes have, including the leaving nodes.
func (r Roster) Ordered() Roster {
	used := map[Template]bool{}
	for _, nodes := range []map[string]Node{r.Nodes, r.Leaving} {
		for _, n := range nodes {
			used[n.Template] = true
		}
	}
	delete(used, "")
	r.Order = slices.SortedFunc(maps.Keys(used), func(a, b Template) int {
		return cmp.Or(cmp.Compare(r.Age(a), r.Age(b)), cmp.Compare(a, b))
	})
	return r
}

// Clone returns a copy that can be changed.
func (r Roster) Clone() Roster {
	r.Nodes, r.Leaving, r.Before, r.Slots = clone(r.Nodes), clone(r.Leaving), clone(r.Before), maps.Clone(r.Slots)
	return r
}

// Names lists the nodes by their indices.
func (r Roster) Names() []string { return ByIndex(r.Nodes) }

// LeavingNames lists the leaving nodes by their indices.
func (r Roster) LeavingNames() []string { return ByIndex(r.Leaving) }

// ByIndex lists nodes by their indices.
func ByIndex(nodes map[string]Node) []string {
	return slices.SortedFunc(maps.Keys(nodes), func(a, b string) int {
		return cmp.Or(cmp.Compare(nodes[a].Index, nodes[b].Index), cmp.Compare(a, b))
	})
}

// Counts counts the nodes by place.
func (r Roster) Counts() placement.Counts {
	counts := placement.Counts{}
	for _, n := range r.Nodes {
		counts[n.Place]++
	}
	return counts
}

// Known returns a node of the cluster, or a leaving one.
func (r Roster) Known(name string) (Node, bool) {
	n, there := r.Nodes[name]
	if !there {
		n, there = r.Leaving[name]
	}
	return n, there
}

// Taken returns the names of servers which are no nodes, although new nodes would get these
// names: names of the next indices, and of kept slots. They are sorted, and at most 10,000: no project has so many.
func (r Roster) Taken(of naming.Naming, servers map[string]bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		_, node := r.Known(name)
		if _, slot := r.Slots[name]; !node && (slot || of.Gives(name, r.Next)) {
			names = append(names, name)
		}
	}
	return names[:min(len(names), 10_000)]
}

// Number gives each node without an ordinal the smallest one, from 1, that no node of its region
// has. A node of the roster before counts too: what it has by its ordinal may be its own until the
// new node comes. So a cluster needs as many ordinals as its capacity and a batch.
func (r Roster) Number(before Roster) {
	type ordinal struct {
		region string
		number int64
	}
	taken := map[ordinal]bool{}
	for _, nodes := range []map[string]Node{before.Nodes, before.Leaving} {
		for _, n := range nodes {
			taken[ordinal{n.Region, n.Ordinal}] = true
		}
	}
	last := map[string]int64{} // by region
	for _, name := range r.Names() {
		n := r.Nodes[name]
		if n.Ordinal > 0 {
			continue
		}
		for last[n.Region]++; taken[ordinal{n.Region, last[n.Region]}]; last[n.Region]++ {
		}
		n.Ordinal = last[n.Region]
		r.Nodes[name] = n
	}
}

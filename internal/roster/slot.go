package roster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Slot is the name, the index and the place of a node. Volumes, ports and DNS names
// belong to it, and outlive the server. A slot never changes: not where an operator
// moves the server to another zone, and not where the node is removed.
type Slot struct {
	Index int64 `json:"index"`
	placement.Place
}

// Stateful says that the nodes of a cluster have slots. Nodes then keep their names
// and places for good: candidates, too, are made again instead of being replaced by
// others.
type Stateful struct {
	Retain  bool     // whether the slot of a node that is removed is kept for the next one there
	Release []string // names of kept slots to give up; the same plan gives them to no new node
}

// KeptSlots are the names of the slots without a node, by their indices.
func (r Roster) KeptSlots() []string {
	kept := maps.Clone(r.Slots)
	maps.DeleteFunc(kept, func(name string, _ Slot) bool { _, inUse := r.Nodes[name]; return inUse })
	return slices.SortedFunc(maps.Keys(kept), func(a, b string) int {
		return cmp.Or(cmp.Compare(kept[a].Index, kept[b].Index), cmp.Compare(a, b))
	})
}

// KeepSlots makes slots of names and the places that they have. Names that the pattern
// does not make for the cluster are unlike any of its slots.
func KeepSlots(
	cluster string, pattern Pattern, kept map[string]placement.Place,
) (slots map[string]Slot, unlike []string) {
	slots = make(map[string]Slot, len(kept))
	indices := pattern.Indices(cluster)
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if index, ok := indices(name); ok {
			slots[name] = Slot{index, kept[name]}
		} else {
			unlike = append(unlike, name)
		}
	}
	return slots, unlike
}

// fillSlots gives a slot to each node that has none.
func (r *Roster) fillSlots() {
	for name, n := range r.Nodes {
		if _, there := r.Slots[name]; !there {
			r.Slots[name] = Slot{n.Index, n.Place}
		}
	}
}

// openSlots gives a slot to each node, and gives up those that are released. It returns the
// names of those that are not there. Without Stateful there are no slots.
func openSlots(r *Roster, policy Policy) (unknown []string) {
	if policy.Stateful == nil {
		r.Slots = nil
		return nil
	}
	if r.Slots == nil {
		r.Slots = map[string]Slot{}
	}
	r.fillSlots()
	for _, name := range policy.Stateful.Release {
		if _, there := r.Slots[name]; !there {
			unknown = append(unknown, name)
		}
		if _, inUse := r.Nodes[name]; !inUse {
			delete(r.Slots, name)
		}
	}
	return unknown
}

// closeSlots gives slots to the nodes that a plan added, and gives up those of nodes
// that it removed, unless they are kept.
func closeSlots(r *Roster, verdicts map[string]Verdict, policy Policy) error {
	if policy.Stateful == nil {
		return nil
	}
	var inUse []string
	for _, name := range policy.Stateful.Release {
		if _, there := r.Nodes[name]; there {
			inUse = append(inUse, name)
		}
	}
	if len(inUse) > 0 {
		return slotsInUse(inUse)
	}
	for name, v := range verdicts {
		if v.Outcome == Leaves && (!policy.Stateful.Retain || slices.Contains(policy.Stateful.Release, name)) {
			delete(r.Slots, name)
		}
	}
	r.fillSlots()
	return nil
}

// fits reports whether a slot is one of a place. Where either has no zone the zone
// was, or is, Nova's choice.
func (s Slot) fits(at placement.Place) bool {
	return s.Region == at.Region && (s.Zone == at.Zone || s.Zone == "" || at.Zone == "")
}

// withoutSlots are the names of new nodes whose slots are new too.
func withoutSlots(r Roster, made []newNode) (names []string) {
	for _, n := range made {
		if _, there := r.Slots[n.name]; !there {
			names = append(names, n.name)
		}
	}
	return names
}

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

// FillSlots gives a slot to each node that has none.
func (r *Roster) FillSlots() {
	for name, n := range r.Nodes {
		if _, there := r.Slots[name]; !there {
			r.Slots[name] = Slot{n.Index, n.Place}
		}
	}
}

// Fits reports whether a slot is one of a place. Where either has no zone the zone
// was, or is, Nova's choice.
func (s Slot) Fits(at placement.Place) bool {
	return s.Region == at.Region && (s.Zone == at.Zone || s.Zone == "" || at.Zone == "")
}

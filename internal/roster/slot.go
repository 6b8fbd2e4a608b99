package roster

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Slot is the name, the index and the place of a node. Volumes, ports and DNS names belong to it, and outlive the
// server. While its place is listed it never moves, not even if an operator moves the server to another zone, or if the
// node is removed.
type Slot struct {
	Index int64 `json:"index"`
	placement.Place
	Template Template `json:"-"` // template of its node, or of the last one that it had
	Volumes  Names    `json:"-"` // its volumes: with what earlier templates had, unless that was released
}

// Names is a sorted list of names, as JSON, so that it can be compared; "" without any.
type Names string

// NamesOf returns names, each once.
func NamesOf(list []string) Names {
	if len(list) == 0 {
		return ""
	}
	text, _ := json.Marshal(slices.Compact(slices.Sorted(slices.Values(list)))) // texts can be encoded
	return Names(text)
}

// List returns the names. Another text has none.
func (n Names) List() (list []string) {
	if n != "" {
		_ = json.Unmarshal([]byte(n), &list)
	}
	return list
}

// Stateful configures a cluster whose nodes have slots. They keep their names and places:
// even candidates are made again, and not replaced by other nodes.
type Stateful struct {
	Retain  bool     // whether slots of removed nodes are kept, and volumes that no template has
	Release []string // names of kept slots and volumes to remove; the same plan gives such a slot to no new node
}

// KeptSlots returns the names of the slots without a node, by their indices.
func (r Roster) KeptSlots() []string {
	kept := maps.Clone(r.Slots)
	maps.DeleteFunc(kept, func(name string, _ Slot) bool { _, inUse := r.Nodes[name]; return inUse })
	return slices.SortedFunc(maps.Keys(kept), func(a, b string) int {
		return cmp.Or(cmp.Compare(kept[a].Index, kept[b].Index), cmp.Compare(a, b))
	})
}

// FillSlots gives a slot to each node that has none, and each slot the template of its node, with its volumes.
func (r *Roster) FillSlots(keep Stateful) {
	r.Slots = clone(r.Slots)
	for name, n := range r.Nodes {
		slot, there := r.Slots[name]
		if !there {
			slot = Slot{Index: n.Index, Place: n.Place}
		}
		slot.Template = n.Template
		r.Slots[name] = slot
	}
	wanted := map[Template]Names{}
	for name, slot := range r.Slots {
		if _, read := wanted[slot.Template]; !read {
			wanted[slot.Template] = slot.Template.Volumes()
		}
		if has := wanted[slot.Template]; has != slot.Volumes {
			_, inUse := r.Nodes[name]
			kept := slices.DeleteFunc(slot.Volumes.List(), func(volume string) bool {
				return inUse && !keep.Retain || slices.Contains(keep.Release, volume)
			})
			slot.Volumes = NamesOf(append(kept, has.List()...))
			r.Slots[name] = slot
		}
	}
}

// Home returns the place in which the server of a node is made again: with a slot, where its volumes are, wherever an
// operator moved the server.
func (r Roster) Home(name string, n Node) placement.Place {
	if slot, there := r.Slots[name]; there {
		return slot.Place
	}
	return n.Place
}

// Fits reports whether a slot belongs to a place. A slot or place without a zone fits every
// zone of its region, because Nova chose, or chooses, the zone.
func (s Slot) Fits(at placement.Place) bool {
	return s.Region == at.Region && (s.Zone == at.Zone || s.Zone == "" || at.Zone == "")
}

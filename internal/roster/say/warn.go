package say

import (
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Warnings returns notices about the places of a cluster after a plan: places with nodes that are
// no longer listed, nodes above a cap, kept slots in places that are no longer listed, and mins
// that cannot all be met. Moves says whether an update moves nodes.
func Warnings(r roster.Roster, before, listed []placement.Region, moves bool) []Notice {
	return slices.Concat(surplus(r, before, listed, moves), droppedSlots(r, before, listed), highMins(r, listed))
}

// surplus is about places that have nodes and are no longer listed, or have more nodes than their
// cap.
func surplus(r roster.Roster, before, listed []placement.Region, moves bool) (notices []Notice) {
	remedy := "They stay until the cluster shrinks, and are then removed before all others"
	switch {
	case moves:
		remedy = "The update replaces them, batch by batch."
	case len(r.Slots) > 0: // nodes of slots do not move
		remedy += "."
	default:
		remedy += "; with PLACEMENT among the causes of update they are replaced, batch by batch."
	}
	remedy += " Protected nodes stay."
	was := map[placement.Place]bool{}
	for _, region := range before {
		for _, at := range append(region.Places(), placement.Place{Region: region.Name}) {
			was[at] = true
		}
	}
	for _, row := range placement.NewBoard(listed, r.Counts()).Rows() {
		switch bin := row.Bin; {
		case bin.Maintenance: // its nodes stay as they are
		case bin.Weight == 0 && !was[row.Place]:
		case bin.Weight == 0:
			notices = append(notices, notice("A place with nodes is no longer listed", "%s is no longer listed and "+
				"has %s. %s", row.Place, text.Nodes(bin.Current), remedy)...)
		case bin.Cap != placement.Unlimited && bin.Current > bin.Cap:
			notices = append(notices, notice("More nodes than the cap", "%s has %s, above its cap of %d. %s", row.Place,
				text.Nodes(bin.Current), bin.Cap, remedy)...)
		}
	}
	return notices
}

// droppedSlots is about kept slots in places that are no longer listed.
func droppedSlots(r roster.Roster, before, listed []placement.Region) []Notice {
	var dropped []string
	for _, name := range r.KeptSlots() {
		if at := r.Slots[name].Place; placement.Lists(before, at) && !placement.Lists(listed, at) {
			dropped = append(dropped, fmt.Sprintf("%s (%s)", name, at))
		}
	}
	return tell("Kept slots lie in a place that is no longer listed", "No node can use these kept slots any more: "+
		"{names}. Their volumes and ports stay. List the place again, or release them.", dropped)
}

// highMins is about mins that add up to more than the nodes.
func highMins(r roster.Roster, listed []placement.Region) []Notice {
	var mins int64
	for _, region := range listed {
		mins += leastOf(region)
	}
	size := int64(len(r.Nodes))
	if mins <= size {
		return nil
	}
	return notice("The mins are more than the nodes", "The mins of all places add up to %d, but the cluster has %s, "+
		"so not all of them can be met. Lower a min, or raise desired_capacity.", mins, text.Nodes(size))
}

// leastOf returns the min of a region, or the sum of its zones' mins if that is more. A closed
// region or zone has no min.
func leastOf(region placement.Region) int64 {
	if region.Maintenance {
		return 0 // it takes no nodes
	}
	var zones int64
	for _, zone := range region.Zones {
		if !zone.Maintenance {
			zones += zone.Min
		}
	}
	return max(region.Min, zones)
}

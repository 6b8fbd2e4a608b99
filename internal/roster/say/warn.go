package say

import (
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// The titles of what is wrong with the places of a cluster.
const (
	PlaceDropped  roster.Title = "A place with nodes is no longer listed"
	MoreThanCap   roster.Title = "More nodes than the cap"
	MinsAboveSize roster.Title = "The mins are more than the nodes"
	SlotsDropped  roster.Title = "Kept slots lie in a place that is no longer listed"
)

// Warnings are about the places of a cluster as a plan leaves it: places with
// nodes that were listed before and are not any more, nodes above a cap, and mins
// that cannot all be met. Moves says whether an update moves nodes.
func Warnings(r roster.Roster, before, listed []placement.Region, moves bool) []roster.Notice {
	return slices.Concat(surplus(r, before, listed, moves), droppedSlots(r, before, listed), highMins(r, listed))
}

// surplus names the places that have nodes and are not listed any more, or have more than their cap.
func surplus(r roster.Roster, before, listed []placement.Region, moves bool) (notices []roster.Notice) {
	say := func(title roster.Title, format string, args ...any) {
		notices = append(notices, notice(title, format, args...))
	}
	remedy := "They stay until the cluster shrinks, and are then removed before all others"
	switch {
	case moves:
		remedy = "The update replaces them, batch by batch."
	case len(r.Slots) > 0: // whose nodes do not move
		remedy += "."
	default:
		remedy += "; with PLACEMENT among the causes of update they are replaced, batch by batch."
	}
	remedy += " Protected nodes stay."
	was := map[placement.Place]bool{}
	for _, region := range before {
		was[placement.Place{Region: region.Name}] = true
		for _, zone := range region.Zones {
			was[placement.Place{Region: region.Name, Zone: zone.Name}] = true
		}
	}
	for _, row := range placement.NewBoard(listed, r.Counts()).Rows() {
		switch bin := row.Bin; {
		case bin.Maintenance: // its nodes stay as they are
		case bin.Weight == 0 && !was[row.Place]:
		case bin.Weight == 0:
			say(PlaceDropped, "%s is no longer listed and has %s. %s", row.Place, text.Nodes(bin.Current), remedy)
		case bin.Cap != placement.Unlimited && bin.Current > bin.Cap:
			say(MoreThanCap, "%s has %s, above its cap of %d. %s", row.Place, text.Nodes(bin.Current), bin.Cap, remedy)
		}
	}
	return notices
}

// droppedSlots names the slots that are kept in places that are not listed any more.
func droppedSlots(r roster.Roster, before, listed []placement.Region) []roster.Notice {
	var dropped []string
	for _, name := range r.KeptSlots() {
		if at := r.Slots[name].Place; roster.Lists(before, at) && !roster.Lists(listed, at) {
			dropped = append(dropped, fmt.Sprintf("%s (%s)", name, at))
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	return []roster.Notice{notice(SlotsDropped, "Kept slots: %s. No node can use them there, and what they keep "+
		"stays. List the place again, or release them.", text.Few(dropped))}
}

// highMins says that the mins add up to more than the nodes.
func highMins(r roster.Roster, listed []placement.Region) []roster.Notice {
	var mins int64
	for _, region := range listed {
		mins += leastOf(region)
	}
	size := int64(len(r.Nodes))
	if mins <= size {
		return nil
	}
	return []roster.Notice{notice(MinsAboveSize, "The mins of all places add up to %d, and the cluster has %s, so "+
		"not all of them can be met. Lower a min, or raise desired_capacity.", mins, text.Nodes(size))}
}

// leastOf is the min of a region, or those of its zones if they add up to more; of what
// is closed there is none.
func leastOf(region placement.Region) int64 {
	if region.Maintenance {
		return 0 // it takes none
	}
	var zones int64
	for _, zone := range region.Zones {
		if !zone.Maintenance {
			zones += zone.Min
		}
	}
	return max(region.Min, zones)
}

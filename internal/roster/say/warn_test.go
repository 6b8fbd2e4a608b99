package say_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
)

// TestDroppedSlots: nodes of slots do not move from a place that leaves the list.
func TestDroppedSlots(t *testing.T) {
	at := placement.Place{Region: "R", Zone: "az-3"}
	r := roster.Roster{Nodes: map[string]roster.Node{"web-3": {Index: 3, Place: at}},
		Slots: map[string]roster.Slot{"web-1": {Index: 1, Place: placement.Place{Region: "R", Zone: "az-2"}}, "web-3": {Index: 3, Place: at},
			"web-2": {Index: 2, Place: placement.Place{Region: "R", Zone: "az-3"}}}}
	listed := plans.ThreeZones()
	listed[0].Zones = listed[0].Zones[:2]
	for _, c := range []struct {
		before []placement.Region
		want   string
	}{
		{plans.ThreeZones(),
			"[{A place with nodes is no longer listed R/az-3 is no longer listed and has 1 node. They stay until the cluster shrinks, and are " +
				"then removed before all others. Protected nodes stay.}]"},
		{listed, "[]"},
	} {
		assert.Equal(t, c.want, fmt.Sprint(say.Warnings(r, c.before, listed, false)))
	}
}

// TestWarnings has the texts word for word.
func TestWarnings(t *testing.T) {
	const stay = "They stay until the cluster shrinks, and are then removed before all others; with PLACEMENT among the causes of update they are " +
		"replaced, batch by batch. Protected nodes stay."
	r := plans.Cluster(t, "RegionOne/az-1 1", "RegionOne/az-1 1", "RegionOne/az-2 1", "RegionTwo 1")
	for _, c := range []struct {
		name   string
		before []placement.Region
		listed func([]placement.Region) []placement.Region
		moves  bool
		want   []say.Notice
	}{
		{"nothing", plans.TwoRegions(), func(l []placement.Region) []placement.Region {
			l[0].Cap, l[0].Zones[0].Cap, l[0].Zones[1].Min = 3, 2, 1 // as many as the nodes
			return l
		}, false, nil},
		{"dropped", plans.TwoRegions(), func(l []placement.Region) []placement.Region {
			l[0].Zones = l[0].Zones[1:]
			return l[:1]
		}, false, []say.Notice{
			{Title: "A place with nodes is no longer listed", Text: "RegionOne/az-1 is no longer listed and has 2 nodes. " + stay},
			{Title: "A place with nodes is no longer listed", Text: "RegionTwo is no longer listed and has 1 node. " + stay},
		}},
		{"never listed", nil, func(l []placement.Region) []placement.Region { return l[:1] }, false, nil},
		{"above a cap, listed for the first time", nil, func(l []placement.Region) []placement.Region {
			l[0].Cap, l[0].Zones[0].Cap = 2, 1
			return l
		}, true, []say.Notice{
			{Title: "More nodes than the cap", Text: "RegionOne has 3 nodes, above its cap of 2. The update replaces them, batch by batch. Protected " +
				"nodes stay."},
			{Title: "More nodes than the cap", Text: "RegionOne/az-1 has 2 nodes, above its cap of 1. The update replaces them, batch by batch. " +
				"Protected nodes stay."},
		}},
		{"below a min, and as many as it", nil, func(l []placement.Region) []placement.Region {
			l[0].Min, l[0].Zones[0].Min, l[0].Zones[1].Min, l[1].Min = 3, 2, 1, 2
			return l
		}, false, []say.Notice{
			{Title: "A place is below its min", Text: "RegionTwo has 1 node, below its min of 2: the next nodes come there. If all mins are more than " +
				"the nodes, lower one."},
		}},
		{"below a min, in a closed region", nil, func(l []placement.Region) []placement.Region {
			l[0].Maintenance, l[0].Zones[1].Min = true, 2
			return l
		}, false, nil},
	} {
		listed := c.listed(plans.TwoRegions())
		for i := range listed {
			if listed[i].Name == "RegionTwo" {
				listed[i].Zones = nil
			}
		}
		if got := say.Warnings(r, c.before, listed, c.moves); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

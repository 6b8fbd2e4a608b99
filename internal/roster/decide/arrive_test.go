package decide_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlanZonesListed: in the plan in which a region first lists zones, its nodes count in the zones of their servers.
func TestPlanZonesListed(t *testing.T) {
	regions := []placement.Region{{Bin: plans.Bin("RegionOne", 100)}}
	p := plans.Policy(2)
	p.Regions = regions
	r, _, err := planner.Plan(roster.Roster{}, roster.Seen{}, p)
	require.NoError(t, err)
	seen := plans.Running(r)
	for _, name := range r.Names() {
		plans.ChangeSeen(seen, name, func(n *node.Node) { n.Zone = "az-1" })
	}
	p.Capacity = 4
	for want, zones := range map[string][]placement.Bin{
		"map[RegionOne:4]":                       nil,
		"map[RegionOne/az-1:4]":                  {plans.Bin("az-1", 100)},
		"map[RegionOne/az-1:2 RegionOne/az-2:2]": {plans.Bin("az-1", 100), plans.Bin("az-2", 100)},
	} {
		p.Regions[0].Zones = zones
		next, change, err := planner.Plan(r, seen, p)
		if err != nil || len(change.With(verdict.Comes).Names()) != 2 || fmt.Sprint(next.Counts()) != want {
			t.Errorf("got %v, %+v, %v, want %s", next.Counts(), change, err, want)
		}
		assert.Equal(t, "map[RegionOne:2]", fmt.Sprint(r.Counts()), "the roster that was given")
	}
}

// TestNamesThatAreTaken: the pattern may make the name of an adopted node again.
func TestNamesThatAreTaken(t *testing.T) {
	adopted := roster.Roster{Next: 1, Nodes: map[string]roster.Node{
		"web-0": {Index: 0, Place: placement.Place{Region: "RegionOne", Zone: "az-1"}},
		"web-1": {Index: 0, Place: placement.Place{Region: "RegionOne", Zone: "az-2"}},
	}}
	next, change, err := planner.Plan(adopted, roster.Seen{}, plans.Policy(3))
	if err != nil || fmt.Sprint(change.With(verdict.Comes).Names()) != "[web-2]" || next.Next != 3 {
		t.Errorf("got %+v %+v %v", next, change, err)
	}
	taken := adopted.Taken(naming.Naming{Cluster: "web", Pattern: naming.Default}, map[string]bool{"web-0": true, "web-2": true, "db-3": true})
	_, change, err = planner.Plan(adopted, roster.Seen{Taken: taken}, plans.Policy(3))
	if err != nil || plans.Moves(change) != "+web-3" || !slices.Contains(plans.Titles(change.Notices), "Servers have the names that come next") {
		t.Errorf("another server is web-2: got %+v %v", change, err)
	}
}

// TestSlotOfLeaving: if the server of the earlier node of a slot still runs and cannot come back, it is made again for
// the new node, and no old mark is valid.
func TestSlotOfLeaving(t *testing.T) {
	p := roster.Policy{Name: plans.Web, Capacity: 1, Regions: plans.ThreeZones(), Templates: plans.Images("a"), Stateful: &roster.Stateful{Retain: true}}
	r, _, err := planner.Plan(roster.Roster{}, roster.NewSeen(), p)
	require.NoError(t, err)
	old := r.Nodes["web-0"]
	p.Capacity = 0
	r, _, err = planner.Plan(r, plans.Running(r), p)
	require.NoError(t, err)
	seen := roster.NewSeen()
	seen.Servers["web-0"] = node.Node{ID: "id", Name: "web-0", Status: "ACTIVE", InService: string(old.Mark), Drained: true}
	p.Capacity = 1
	next, change, err := planner.Plan(r, seen, p)
	require.NoError(t, err)
	assert.Equal(t, "+web-0", plans.Moves(change))
	assert.Empty(t, next.Leaving)
	if n := next.Nodes["web-0"]; n.Generation != 2 || n.Mark.Number() != 2 || n.Place != old.Place {
		t.Errorf("it was %+v and is %+v", old, n)
	}
	plans.ChangeSeen(seen, "web-0", func(s *node.Node) { s.Drained = false })
	next, change, err = planner.Plan(r, seen, p)
	require.NoError(t, err)
	assert.Equal(t, "^web-0", plans.Moves(change), "undrained")
	assert.Equal(t, roster.Node{Index: 0, Place: old.Place, Template: old.Template, Generation: 1, Mark: old.Mark, Served: next.Nodes["web-0"].Served},
		next.Nodes["web-0"])
	assert.Empty(t, next.KeptSlots())
}

package planner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// threeZones returns a region with three zones.
func threeZones() []placement.Region {
	return []placement.Region{{Bin: bin("R", 100), Zones: []placement.Bin{bin("az-1", 100), bin("az-2", 100), bin("az-3", 100)}}}
}

// slots shows the slots of a roster as "web-0@az-1 (web-2@az-3)", kept slots in parentheses.
func slots(r roster.Roster) string {
	var list []string
	kept := r.KeptSlots()
	for _, name := range slices.SortedFunc(maps.Keys(r.Slots), func(a, b string) int { return int(r.Slots[a].Index - r.Slots[b].Index) }) {
		text := name + "@" + r.Slots[name].Zone
		if slices.Contains(kept, name) {
			text = "(" + text + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// TestLifeOfSlots follows a stateful cluster of three nodes.
func TestLifeOfSlots(t *testing.T) {
	life(t, func(p *roster.Policy) {
		p.Regions, p.Criteria, p.Stateful = threeZones(), deletion.YoungestFirst, &roster.Stateful{Retain: true}
	}, slots, []step{
		{name: "three nodes without slots", capacity: 3, policy: func(p *roster.Policy) { p.Stateful = nil },
			moves: "+web-0 +web-1 +web-2"},
		{name: "to become stateful changes no node", capacity: 3,
			after: "web-0@az-1 web-1@az-2 web-2@az-3"},
		{name: "what leaves keeps its slot", capacity: 1,
			moves: "-web-1 -web-2", after: "web-0@az-1 (web-1@az-2) (web-2@az-3)"},
		{name: "growth finds the slots again, and then makes new ones", capacity: 5,
			moves: "+web-1 +web-2 +web-3 +web-4", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2"},
		{name: "a candidate is made again in its slot", capacity: 5, policy: func(p *roster.Policy) { p.Candidates = []string{"web-3"} },
			moves: "~web-3", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2"},
		{name: "a server that an operator moved takes the node along, and not the slot", capacity: 5,
			roster: func(r roster.Roster) { changeRoster(r, "web-4", func(n *roster.Node) { n.Zone = "az-3" }) }},
		{name: "the last in is the first out", capacity: 4, policy: func(p *roster.Policy) { p.Criteria = deletion.HighestIndexFirst },
			moves: "-web-4", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 (web-4@az-2)"},
		{name: "the first of two slots of a place is used, the data of the other waits", capacity: 2,
			policy: func(p *roster.Policy) { p.Candidates = []string{"web-0", "web-3"} },
			moves:  "-web-0 -web-3", after: "(web-0@az-1) web-1@az-2 web-2@az-3 (web-3@az-1) (web-4@az-2)"},
		{name: "lowest first", capacity: 3,
			moves: "+web-0", after: "web-0@az-1 web-1@az-2 web-2@az-3 (web-3@az-1) (web-4@az-2)"},
		{name: "a place that is down: a new slot elsewhere, and it is said", capacity: 5,
			policy: func(p *roster.Policy) {
				p.Regions[0].Zones[0].Closed, p.Regions[0].Zones[0].Why = true, "is not available"
			},
			moves: "+web-4 +web-5", after: "web-0@az-1 web-1@az-2 web-2@az-3 (web-3@az-1) web-4@az-2 web-5@az-3",
			notices: []string{"Kept slots wait for their places"}},
		{name: "it waits, and is used once its place takes nodes", capacity: 6,
			moves: "+web-3", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2 web-5@az-3"},
		{name: "without a change of size a new node has the lowest free index", capacity: 4,
			policy: func(p *roster.Policy) { p.Stateful.Retain, p.Candidates = false, []string{"web-0", "web-3"} },
			moves:  "-web-0 -web-3", after: "web-1@az-2 web-2@az-3 web-4@az-2 web-5@az-3"},
		{name: "two new slots", capacity: 6,
			moves: "+web-0 +web-3", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2 web-5@az-3"},
		{name: "one is kept", capacity: 5, policy: func(p *roster.Policy) { p.Criteria = deletion.HighestIndexFirst },
			moves: "-web-5", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2 (web-5@az-3)"},
		{name: "released, it is not given again by the same growth", capacity: 6,
			policy: func(p *roster.Policy) { p.Stateful.Release = []string{"web-5"} },
			moves:  "+web-6", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2 web-6@az-3"},
		{name: "and is said to be gone", capacity: 6, policy: func(p *roster.Policy) { p.Stateful.Release = []string{"web-5"} },
			notices: []string{"A slot to release is not there"}},
		{name: "what leaves can be released at once", capacity: 5,
			policy: func(p *roster.Policy) {
				p.Criteria, p.Stateful.Release = deletion.HighestIndexFirst, []string{"web-6"}
			},
			moves: "-web-6", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2"},
	})
}

// TestSlotOfLeaving: if the server of the earlier node of a slot still runs and cannot come back, it is made again for
// the new node, and no old mark is valid.
func TestSlotOfLeaving(t *testing.T) {
	p := roster.Policy{Name: web, Capacity: 1, Regions: threeZones(), Templates: images("a"), Stateful: &roster.Stateful{Retain: true}}
	r, _, err := Plan(roster.Roster{}, roster.NewSeen(), p)
	require.NoError(t, err)
	old := r.Nodes["web-0"]
	p.Capacity = 0
	r, _, err = Plan(r, running(r), p)
	require.NoError(t, err)
	seen := roster.NewSeen()
	seen.Servers["web-0"] = node.Node{ID: "id", Name: "web-0", Status: "ACTIVE", InService: string(old.Mark), Drained: true}
	p.Capacity = 1
	next, change, err := Plan(r, seen, p)
	require.NoError(t, err)
	assert.Equal(t, "+web-0", moves(change))
	assert.Empty(t, next.Leaving)
	if n := next.Nodes["web-0"]; n.Generation != 2 || n.Mark.Number() != 2 || n.Place != old.Place {
		t.Errorf("it was %+v and is %+v", old, n)
	}
	changeSeen(seen, "web-0", func(s *node.Node) { s.Drained = false })
	next, change, err = Plan(r, seen, p)
	require.NoError(t, err)
	assert.Equal(t, "^web-0", moves(change), "undrained")
	assert.Equal(t, roster.Node{Index: 0, Place: old.Place, Template: old.Template, Generation: 1, Mark: old.Mark, Served: next.Nodes["web-0"].Served},
		next.Nodes["web-0"])
	assert.Empty(t, next.KeptSlots())
}

// TestDroppedSlots: a place with slots that leaves the list is counted once.
func TestDroppedSlots(t *testing.T) {
	at := placement.Place{Region: "R", Zone: "az-3"}
	r := roster.Roster{Nodes: map[string]roster.Node{"web-3": {Index: 3, Place: at}},
		Slots: map[string]roster.Slot{"web-1": {Index: 1, Place: placement.Place{Region: "R", Zone: "az-2"}}, "web-3": {Index: 3, Place: at},
			"web-2": {Index: 2, Place: placement.Place{Region: "R", Zone: "az-3"}}}}
	listed := threeZones()
	listed[0].Zones = listed[0].Zones[:2]
	for _, c := range []struct {
		before []placement.Region
		want   string
	}{
		{threeZones(), "[{A place with nodes is no longer listed R/az-3 is no longer listed and has 1 node. They stay until the cluster shrinks, and are " +
			"then removed before all others. Protected nodes stay.} " +
			"{Kept slots lie in a place that is no longer listed No node can use these kept slots any more: web-2 (R/az-3). Their volumes and ports stay. " +
			"List the place again, or release them.}]"},
		{listed, "[]"},
	} {
		assert.Equal(t, c.want, fmt.Sprint(say.Warnings(r, c.before, listed, false)))
	}
}

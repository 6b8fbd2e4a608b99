package planner

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// slots shows the slots of a roster as "web-0@az-1 (web-2@az-3)", kept slots in parentheses, and "web-1@az-2>az-3" where
// the server was moved.
func slots(r roster.Roster) string {
	var list []string
	kept := r.KeptSlots()
	for _, name := range slices.SortedFunc(maps.Keys(r.Slots), func(a, b string) int { return int(r.Slots[a].Index - r.Slots[b].Index) }) {
		text := name + "@" + r.Slots[name].Zone
		if slices.Contains(kept, name) {
			text = "(" + text + ")"
		} else if at := r.Nodes[name].Zone; at != r.Slots[name].Zone {
			text += ">" + at
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
			roster: func(r roster.Roster) { changeRoster(r, "web-4", func(n *roster.Node) { n.Zone = "az-3" }) },
			after:  "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2>az-3"},
		{name: "made again, it is in its slot's zone", capacity: 5, policy: func(p *roster.Policy) { p.Candidates = []string{"web-4"} },
			moves: "~web-4", after: "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2"},
		{name: "a zone gets another name, and its slot too", capacity: 5,
			roster: func(r roster.Roster) { changeRoster(r, "web-1 web-4", func(n *roster.Node) { n.Zone = "az-9" }) },
			policy: func(p *roster.Policy) { p.Regions[0].Zones[1].Name = "az-9" },
			after:  "web-0@az-1 web-1@az-9 web-2@az-3 web-3@az-1 web-4@az-9"},
		{name: "and back", capacity: 5,
			roster: func(r roster.Roster) { changeRoster(r, "web-1 web-4", func(n *roster.Node) { n.Zone = "az-2" }) },
			after:  "web-0@az-1 web-1@az-2 web-2@az-3 web-3@az-1 web-4@az-2"},
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

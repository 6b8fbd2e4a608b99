package decide_test

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClosedPlaces has a cluster of six nodes: RegionOne has web-0 in az-1, web-1 in az-2 and web-2 in az-3; RegionTwo
// has web-3 and web-4 in az-1 and web-5 in az-2. A closed place takes no nodes and loses none.
func TestClosedPlaces(t *testing.T) {
	unmarked := func(s roster.Seen) { plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.InService = "" }) }
	marks := func(p *roster.Policy) { p.RequireMarks = true }
	formerly := "" // mark of web-3 before a change
	opened := func(p *roster.Policy) { p.Opened = map[string]bool{"RegionTwo": true} }
	leaves := func(r *roster.Roster) {
		r.Leaving["web-9"] = roster.Node{Index: 9, Place: placement.Place{Region: "RegionTwo", Zone: "az-1"}, Template: plans.Image("a"), Mark: "1"}
	}
	stranded := func(r *roster.Roster) {
		plans.ChangeRoster(*r, "web-0 web-1 web-2 web-3 web-4 web-5", func(n *roster.Node) {
			n.Template, n.Mark = plans.Image("b"), n.Mark.Next(plans.Image("b"))
		})
		plans.ChangeRoster(*r, "web-3", func(n *roster.Node) { n.Served = false })
		r.Leaving["web-9"] = roster.Node{Index: 9, Place: r.Nodes["web-0"].Place, Template: plans.Image("a"), Mark: "1", StandsIn: true}
	}
	still := func(s roster.Seen) {
		plans.LoseSeen(s, "web-3")
		s.Servers["web-9"] = node.Node{ID: "id-web-9", Status: "ACTIVE", InService: "1"}
	}
	plans.Check(t, planner.Plan, func(*roster.Policy) {}, []plans.Case{
		{Name: "growth goes elsewhere", Closed: "RegionTwo", Capacity: 8, Moves: "+web-6 +web-7"},
		{Name: "a rollout leaves it out", Closed: "RegionOne", Image: "b", Update: plans.Update("9", roster.Outdated),
			Moves: "+web-6 +web-7 +web-8 -web-3 -web-4 -web-5", Remaining: 3},
		{Name: "and waits when nothing else is left", Closed: "RegionOne", Image: "b", Update: plans.Update("9", roster.Outdated),
			Roster: func(r *roster.Roster) {
				plans.ChangeRoster(*r, "web-3 web-4 web-5", func(n *roster.Node) { n.Template, n.Mark = plans.Image("b"), n.Mark.Next(plans.Image("b")) })
			}, Remaining: 3, Status: "held: web-0 (RegionOne/az-1 is closed), web-1 (RegionOne/az-2 is closed), web-2 (RegionOne/az-3 is closed)"},
		{Name: "in place too", Closed: "RegionOne/az-1", Image: "b", Update: plans.ByUpdate(plans.Update("9", roster.Outdated), roster.InPlace),
			Moves: "~web-1 ~web-2 ~web-3 ~web-4 ~web-5", Remaining: 1},
		{Name: "no change there is taken back before a look", Closed: "RegionTwo", Image: "b", Broken: "web-0", Policy: marks,
			Roster: func(r *roster.Roster) {
				r.Before = map[string]roster.Node{"web-3": r.Nodes["web-3"]}
				formerly = string(r.Nodes["web-3"].Mark)
				plans.ChangeRoster(*r, "web-3", func(n *roster.Node) { n.Template, n.Mark, n.Served = plans.Image("b"), "2-later", false })
			},
			Seen:   func(s roster.Seen) { plans.ChangeSeen(s, "web-3", func(n *node.Node) { n.InService = formerly }) },
			Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.InPlace), Moves: "~web-0", Remaining: 4},
		{Name: "a broken node of a closed zone waits for the zone", Closed: "RegionOne/az-1", Broken: "web-0",
			Image: "b", Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.InPlace),
			Remaining: 6, Told: "...The batch waits for web-0 (RegionOne/az-1 is closed). ..."},
		{Name: "also what never served", Closed: "RegionOne/az-1", Image: "b", Update: plans.Update("1", roster.Outdated), Policy: marks, Seen: unmarked,
			Roster: func(r *roster.Roster) { plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Served = false }) }, Moves: "+web-6 -web-1",
			Remaining: 5},
		{Name: "who is unhealthy there stays", Closed: "RegionOne/az-1", Broken: "web-0 web-5", Update: plans.Update("9", roster.Unhealthy),
			Moves: "+web-6 -web-5", Remaining: 1},
		{Name: "and is no sign of an outage", Closed: "RegionOne", Broken: "web-0 web-1 web-2 web-5", Update: plans.Update("9", roster.Unhealthy),
			Moves: "+web-6 -web-5", Remaining: 3},
		{Name: "who is too old there stays", Closed: "RegionOne/az-1", Update: plans.Update("9", roster.TooOld), Seen: func(s roster.Seen) {
			s.Aged["web-0"] = roster.Aged{Mark: roster.Mark(s.Servers["web-0"].InService), Launched: time.Unix(1<<30, 0)}
			s.Aged["web-5"] = s.Aged["web-0"]
		}, Moves: "+web-6 -web-5", Remaining: 1},
		{Name: "no node moves out of a place above its cap", Closed: "RegionTwo/az-1", Update: plans.Update("9", roster.Misplaced),
			Policy: func(p *roster.Policy) { p.Regions[1].Zones[0].Cap = 0 }},
		{Name: "nor out of what a closed region does not list", Closed: "RegionTwo", Update: plans.Update("9", roster.Misplaced),
			Policy: func(p *roster.Policy) { p.Regions[1].Zones = p.Regions[1].Zones[:1] }},
		{Name: "nor into it", Closed: "RegionOne/az-1", Update: plans.Update("9", roster.Misplaced),
			Policy: func(p *roster.Policy) { p.Regions[0].Zones[0].Weight = 900 }},
		{Name: "a shrink takes from it last", Closed: "RegionTwo", Capacity: 3, Moves: "-web-0 -web-1 -web-2"},
		{Name: "if nothing else is left", Closed: "RegionTwo", Capacity: 2, Moves: "-web-0 -web-1 -web-2 -web-3"},
		{Name: "whatever is wrong with it", Closed: "RegionTwo", Capacity: 3, Broken: "web-3",
			Seen: func(s roster.Seen) { plans.ChangeSeen(s, "web-4", func(n *node.Node) { n.Tainted = true }) }, Moves: "-web-0 -web-1 -web-2"},
		{Name: "a node that stands in for one that leaves is too many", Closed: "RegionOne RegionTwo", Capacity: 4, Policy: marks, Seen: unmarked,
			Roster: func(r *roster.Roster) {
				plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Served = false })
				plans.ChangeRoster(*r, "web-1", func(n *roster.Node) { n.StandsIn = true })
			}, Moves: "-web-0 -web-3"},
		{Name: "mins of open places hold", Closed: "RegionTwo", Capacity: 3, Policy: func(p *roster.Policy) { p.Regions[0].Zones[2].Min = 1 },
			Moves: "-web-0 -web-1 -web-3"},
		{Name: "what is under way there holds no batch", Closed: "RegionOne/az-1", Broken: "web-5", Seen: unmarked, Update: plans.Update("1", roster.Unhealthy),
			Policy: marks, Moves: "+web-6 -web-5"},
		{Name: "but a quorum counts it", Closed: "RegionOne/az-1", Seen: unmarked, Image: "b",
			Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.Recreate),
			Policy: marks, Remaining: 6, Told: "...The batch waits for web-0 (RegionOne/az-1 is closed). ..."},
		{Name: "and all of a closed region", Closed: "RegionTwo", Image: "b", Update: plans.ByUpdate(plans.Update("4", roster.Outdated), roster.Recreate),
			Policy: marks,
			Moves:  "~web-0", Remaining: 5, Told: "...web-3 (RegionTwo/az-1 is closed)..."},
		{Name: "what leaves a closed region holds no batch", Closed: "RegionTwo", Roster: leaves, Image: "b", Update: plans.Update("1", roster.Outdated),
			Moves: "+web-6 -web-0", Remaining: 5},
		{Name: "what leaves a closed zone does", Closed: "RegionTwo/az-1", Roster: leaves, Image: "b", Update: plans.Update("1", roster.Outdated),
			Remaining: 6, Told: "...web-9 (it leaves, and its server still exists)..."},
		{Name: "and does not come back there", Closed: "RegionTwo/az-1", Capacity: 7, Roster: leaves,
			Seen: func(s roster.Seen) { s.Servers["web-9"] = s.Servers["web-3"] }, Moves: "+web-6"},
		{Name: "what stands in for a node there has the wanted template in the end", Closed: "RegionTwo", Roster: stranded, Seen: still,
			Update: plans.Update("1", roster.Outdated), Image: "b", Moves: "^web-9", Remaining: 1},
		{Name: "and may be too old", Closed: "RegionTwo", Roster: stranded, Seen: func(s roster.Seen) {
			still(s)
			s.Aged["web-9"] = roster.Aged{Mark: "1", Launched: time.Unix(1<<30, 0)}
		}, Update: plans.Update("1", roster.TooOld), Image: "b", Moves: "^web-9", Remaining: 1},
		{Name: "and is not joined by a second one", Closed: "RegionTwo/az-1", Capacity: 5, Seen: still, Roster: func(r *roster.Roster) {
			r.Leaving["web-9"] = roster.Node{Index: 9, Place: r.Nodes["web-0"].Place, Template: plans.Image("a"), Mark: "1", StandsIn: true}
			plans.ChangeRoster(*r, "web-1", func(n *roster.Node) { n.StandsIn = true })
			plans.ChangeRoster(*r, "web-3", func(n *roster.Node) { n.Template, n.Served = plans.Image("b"), false })
		}, Update: plans.Update("1", roster.Outdated), Moves: "~web-3"},
		{Name: "a candidate leaves it", Closed: "RegionTwo", Policy: func(p *roster.Policy) { p.Candidates = []string{"web-3"} }, Moves: "+web-6 -web-3"},
		{Name: "a region that is opened is looked at first", Broken: "web-3", Update: plans.Update("9", roster.Unhealthy), Policy: opened,
			Remaining: 1},
		{Name: "and takes nodes at once", Closed: "RegionOne", Capacity: 7, Policy: opened, Moves: "+web-6"},
	})
}

// TestClosedCandidate: if the method keeps names, a candidate in a closed place cannot be made again. It can leave a
// cluster that is too large.
func TestClosedCandidate(t *testing.T) {
	r, _, err := planner.Plan(roster.Roster{}, roster.NewSeen(), plans.Policy(3))
	require.NoError(t, err)
	p := plans.Policy(3)
	p.Update, p.Candidates = plans.Update("1", roster.Outdated), []string{"web-1"}
	p.Update.Method = roster.Recreate
	plans.Close(&p, r.Nodes["web-1"].Region, r.Nodes["web-1"].Zone)
	_, _, err = planner.Plan(r, plans.Running(r), p)
	assert.ErrorContains(t, err, `it would be made again in RegionOne/az-2, which is closed`)
	r.Done = p.Candidates // an earlier apply already made it again
	_, change, err := planner.Plan(r, plans.Running(r), p)
	require.NoError(t, err)
	assert.True(t, change.Empty(), "%+v", change)
	r.Done, p.Capacity = nil, 2
	_, change, err = planner.Plan(r, plans.Running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "-web-1", plans.Moves(change))
}

package planner

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// closePolicy closes a region of a policy, or a zone of it.
func closePolicy(p *roster.Policy, region, zone string) {
	for i := range p.Regions {
		r := &p.Regions[i]
		if r.Name != region {
			continue
		}
		r.Maintenance = r.Maintenance || zone == ""
		for j := range r.Zones {
			r.Zones[j].Maintenance = r.Zones[j].Maintenance || r.Zones[j].Name == zone
		}
	}
}

// TestClosedPlaces has a cluster of six nodes: RegionOne has web-0 in az-1, web-1 in az-2 and web-2 in az-3; RegionTwo
// has web-3 and web-4 in az-1 and web-5 in az-2. A closed place takes no nodes and loses none.
func TestClosedPlaces(t *testing.T) {
	unmarked := func(s roster.Seen) { changeSeen(s, "web-0", func(n *node.Node) { n.InService = "" }) }
	marks := func(p *roster.Policy) { p.RequireMarks = true }
	opened := func(p *roster.Policy) { p.Opened = map[string]bool{"RegionTwo": true} }
	leaves := func(r *roster.Roster) {
		r.Leaving["web-9"] = roster.Node{Index: 9, Place: placement.Place{Region: "RegionTwo", Zone: "az-1"}, Template: image("a"), Mark: "1"}
	}
	plans(t, func(*roster.Policy) {}, []planned{
		{name: "growth goes elsewhere", closed: "RegionTwo", capacity: 8, moves: "+web-6 +web-7"},
		{name: "a rollout leaves it out", closed: "RegionOne", image: "b", update: update("9", roster.Outdated),
			moves: "+web-6 +web-7 +web-8 -web-3 -web-4 -web-5", remaining: 3},
		{name: "and says so when nothing else is left", closed: "RegionOne", image: "b", update: update("9", roster.Outdated), roster: func(r *roster.Roster) {
			changeRoster(*r, "web-3 web-4 web-5", func(n *roster.Node) { n.Template, n.Mark = image("b"), n.Mark.Next(image("b")) })
		}, remaining: 3, told: "3 nodes should be replaced in places that take no nodes now: web-0 (RegionOne/az-1 is closed), web-1 (RegionOne/az-2 is " +
			"closed), web-2 (RegionOne/az-3 is closed)...",
			status: "held: web-0 (RegionOne/az-1 is closed), web-1 (RegionOne/az-2 is closed), web-2 (RegionOne/az-3 is closed)"},
		{name: "in place too", closed: "RegionOne/az-1", image: "b", update: byUpdate(update("9", roster.Outdated), roster.InPlace),
			moves: "~web-1 ~web-2 ~web-3 ~web-4 ~web-5", remaining: 1},
		{name: "a broken node of a closed zone is not advised to be a candidate", closed: "RegionOne/az-1", broken: "web-0",
			image: "b", update: byUpdate(update("1", roster.Outdated), roster.InPlace),
			remaining: 6, told: "...This batch waits for 1 node: web-0 (its server is in ERROR). Nodes of a closed place..."},
		{name: "also what never served", closed: "RegionOne/az-1", image: "b", update: update("1", roster.Outdated), policy: marks, seen: unmarked,
			roster: func(r *roster.Roster) { changeRoster(*r, "web-0", func(n *roster.Node) { n.Served = false }) }, moves: "+web-6 -web-1", remaining: 5},
		{name: "who is unhealthy there stays", closed: "RegionOne/az-1", broken: "web-0 web-5", update: update("9", roster.Unhealthy),
			moves: "+web-6 -web-5", remaining: 1},
		{name: "and is no sign of an outage", closed: "RegionOne", broken: "web-0 web-1 web-2 web-5", update: update("9", roster.Unhealthy),
			moves: "+web-6 -web-5", remaining: 3},
		{name: "who is too old there stays", closed: "RegionOne/az-1", update: update("9", roster.TooOld), seen: func(s roster.Seen) {
			s.Aged["web-0"] = roster.Aged{Mark: roster.Mark(s.Servers["web-0"].InService), Launched: time.Unix(1<<30, 0)}
			s.Aged["web-5"] = s.Aged["web-0"]
		}, moves: "+web-6 -web-5", remaining: 1},
		{name: "no node moves out of a place above its cap", closed: "RegionTwo/az-1", update: update("9", roster.Misplaced),
			policy: func(p *roster.Policy) { p.Regions[1].Zones[0].Cap = 0 }},
		{name: "nor out of what a closed region does not list", closed: "RegionTwo", update: update("9", roster.Misplaced),
			policy: func(p *roster.Policy) { p.Regions[1].Zones = p.Regions[1].Zones[:1] }},
		{name: "nor into it", closed: "RegionOne/az-1", update: update("9", roster.Misplaced),
			policy: func(p *roster.Policy) { p.Regions[0].Zones[0].Weight = 900 }},
		{name: "a shrink takes from it last", closed: "RegionTwo", capacity: 3, moves: "-web-0 -web-1 -web-2"},
		{name: "and tells", closed: "RegionTwo", capacity: 2, moves: "-web-0 -web-1 -web-2 -web-3",
			told: "No open place can lose a node, so nodes of closed places leave: web-3 (RegionTwo/az-1)...."},
		{name: "whatever is wrong with it", closed: "RegionTwo", capacity: 3, broken: "web-3",
			seen: func(s roster.Seen) { changeSeen(s, "web-4", func(n *node.Node) { n.Tainted = true }) }, moves: "-web-0 -web-1 -web-2"},
		{name: "mins of open places hold", closed: "RegionTwo", capacity: 3, policy: func(p *roster.Policy) { p.Regions[0].Zones[2].Min = 1 },
			moves: "-web-0 -web-1 -web-3", told: "...web-3 (RegionTwo/az-1)..."},
		{name: "what is under way there holds no batch", closed: "RegionOne/az-1", broken: "web-5", seen: unmarked, update: update("1", roster.Unhealthy),
			policy: marks, moves: "+web-6 -web-5"},
		{name: "but a quorum counts it", closed: "RegionOne/az-1", seen: unmarked, image: "b", update: byUpdate(update("1", roster.Outdated), roster.Recreate),
			policy: marks, remaining: 6, told: "...web-0 (it is not marked as in service)..."},
		{name: "and all of a closed region", closed: "RegionTwo", image: "b", update: byUpdate(update("4", roster.Outdated), roster.Recreate), policy: marks,
			moves: "~web-0", remaining: 5, told: "...web-3 (RegionTwo is closed)..."},
		{name: "what leaves a closed region holds no batch", closed: "RegionTwo", roster: leaves, image: "b", update: update("1", roster.Outdated),
			moves: "+web-6 -web-0", remaining: 5},
		{name: "what leaves a closed zone does", closed: "RegionTwo/az-1", roster: leaves, image: "b", update: update("1", roster.Outdated),
			remaining: 6, told: "...web-9 (it leaves, and its server still exists)..."},
		{name: "and does not come back there", closed: "RegionTwo/az-1", capacity: 7, roster: leaves,
			seen: func(s roster.Seen) { s.Servers["web-9"] = s.Servers["web-3"] }, moves: "+web-6"},
		{name: "a candidate leaves it", closed: "RegionTwo", policy: func(p *roster.Policy) { p.Candidates = []string{"web-3"} }, moves: "+web-6 -web-3"},
		{name: "a region that is opened is looked at first", broken: "web-3", update: update("9", roster.Unhealthy), policy: opened,
			remaining: 1, told: "...web-3 (RegionTwo/az-1 was closed until now, and nobody has looked at its nodes since)..."},
		{name: "and takes nodes at once", closed: "RegionOne", capacity: 7, policy: opened, moves: "+web-6"},
	})
}

// TestClosedCandidate: if the method keeps names, a candidate in a closed place cannot be made again. It can leave a
// cluster that is too large.
func TestClosedCandidate(t *testing.T) {
	r, _, err := Plan(roster.Roster{}, roster.NewSeen(), policy(3))
	require.NoError(t, err)
	p := policy(3)
	p.Update, p.Candidates = update("1", roster.Outdated), []string{"web-1"}
	p.Update.Method = roster.Recreate
	closePolicy(&p, r.Nodes["web-1"].Region, r.Nodes["web-1"].Zone)
	_, _, err = Plan(r, running(r), p)
	assert.ErrorContains(t, err, `candidate "web-1" should be made again in its place, but RegionOne/az-2 is closed`)
	r.Done = p.Candidates // an earlier apply already made it again
	_, change, err := Plan(r, running(r), p)
	require.NoError(t, err)
	assert.True(t, change.Empty(), "%+v", change)
	r.Done, p.Capacity = nil, 2
	_, change, err = Plan(r, running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "-web-1", moves(change))
}

// TestClosedSlot: a kept slot waits until its place is open, and a growth makes a slot elsewhere in the meantime.
func TestClosedSlot(t *testing.T) {
	p := policy(2)
	p.Stateful = &roster.Stateful{Retain: true}
	r, _, err := Plan(roster.Roster{}, roster.NewSeen(), p)
	require.NoError(t, err)
	slots := r.Slots
	p.Capacity, p.Criteria = 1, "HIGHEST_INDEX_FIRST"
	if r, _, err = Plan(r, running(r), p); err != nil || len(r.KeptSlots()) != 1 {
		t.Fatalf("%v, kept %v", err, r.KeptSlots())
	}
	at := slots["web-1"].Place
	p.Capacity = 2
	closePolicy(&p, at.Region, at.Zone)
	closed, change, err := Plan(r, running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "+web-2", moves(change))
	assert.Equal(t, []string{"web-1"}, closed.KeptSlots())
	assert.Contains(t, change.Notices[0].Text, "web-1 ("+at.String()+": it is closed)")
	p.Regions = twoRegions()
	_, change, err = Plan(r, running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "+web-1", moves(change), "opened")
}

// TestMatchOpen: nodes of closed regions, including leaving nodes, stay as they are, with the result of the look
// before.
func TestMatchOpen(t *testing.T) {
	at := func(region string, index int64) roster.Node {
		return roster.Node{Index: index, Place: placement.Place{Region: region, Zone: "az-1"}, Mark: "2"}
	}
	r := roster.Roster{
		Nodes:   map[string]roster.Node{"web-0": at("R1", 0), "web-1": at("R2", 1), "web-2": at("R2", 2), "web-5": at("R2", 5)},
		Leaving: map[string]roster.Node{"web-3": at("R2", 3), "web-4": at("R1", 4)},
	}
	before := roster.NewSeen()
	before.Servers["web-1"] = node.Node{ID: "one", Name: "web-1", Status: "ERROR"}
	before.Servers["web-3"] = node.Node{ID: "three", Name: "web-3", Status: "ACTIVE"}
	before.Missing["web-2"] = true
	before.Builds["web-1"] = roster.Build{Mark: "1", Generation: 1, Of: "a"}
	before.Baking["web-1"] = true
	next, seen, notices := learn.Match(r, []node.Node{{ID: "zero", Name: "web-0", Region: "R1", Zone: "az-1", Status: "ACTIVE"}}, before,
		func(region string) bool { return region == "R2" }, func(string) bool { return true })
	if len(next.Nodes) != 4 || len(next.Leaving) != 1 || next.Leaving["web-3"] != r.Leaving["web-3"] || len(say.Matched(notices)) > 0 {
		t.Errorf("nodes %v, leaving %v, told %v", next.Nodes, next.Leaving, notices)
	}
	if seen.Servers["web-0"].ID != "zero" || seen.Servers["web-1"].Status != "ERROR" || seen.Servers["web-3"].ID != "three" || !seen.Missing["web-2"] ||
		seen.Looked("web-5") || seen.Builds["web-1"] != before.Builds["web-1"] || seen.Baking["web-1"] {
		t.Errorf("seen %+v", seen)
	}
	learn.NoteTimes(&seen, next, roster.Policy{Update: update("1", roster.TooOld)})
	if len(seen.Aged)+len(seen.Baking) > 0 {
		t.Errorf("told %+v", seen)
	}
}

package decide_test

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// TestBatch has the nodes that a plan replaces, rule by rule.
func TestBatch(t *testing.T) {
	capped := func(name string, most int64) placement.Bin {
		b := plans.Bin(name, 100)
		b.Cap = most
		return b
	}
	zones := func(zones ...placement.Bin) []placement.Region {
		return []placement.Region{{Bin: plans.Bin("R", 100), Zones: zones}}
	}
	noHostFor := func(s roster.Seen) {
		plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", plans.NoHost })
	}
	never := func(r *roster.Roster) {
		plans.ChangeRoster(*r, "web-0 web-1 web-2", func(n *roster.Node) { n.Served = false })
	}
	retried := func(r *roster.Roster) {
		plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Served, n.Retried = false, true })
	}
	leaving := func(r *roster.Roster) {
		r.Leaving = map[string]roster.Node{"web-3": r.Nodes["web-3"]}
		delete(r.Nodes, "web-3")
	}
	undone := func(r *roster.Roster) {
		n := r.Nodes["web-0"]
		n.Template, n.Mark = plans.Image("1"), "1-former"
		r.Before = map[string]roster.Node{"web-0": n}
		plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Mark, n.Served = "2-later", false })
	}
	unmarked := func(s roster.Seen) { plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.InService = "" }) }
	unmade := func(s roster.Seen) {
		plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.InService, n.Status, n.Unmade = "", "ERROR", true })
	}
	named := func(p *roster.Policy) { p.Candidates = []string{"web-0"} }
	anyOutage := func(p *roster.Policy) { p.Update.StopAbove = plans.Amount("100%") }
	plans.Check(t, planner.Plan, func(p *roster.Policy) { p.Templates = plans.Images("1") }, []plans.Case{
		{Name: "what is grown counts before anything moves, in zones",
			Nodes: []string{"R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1"}, Regions: zones(plans.Bin("a", 1), plans.Bin("b", 1)),
			Capacity: 10, Update: plans.Update("4", roster.Misplaced), Moves: "+web-8 +web-9 +web-10 +web-11 +web-12 -web-0 -web-1 -web-2"},
		{Name: "and in regions that list none",
			Nodes: []string{"R 1", "R 1", "R 1", "R 1", "S 1"}, Regions: []placement.Region{{Bin: plans.Bin("R", 100)}, {Bin: plans.Bin("S", 100)}},
			Capacity: 8, Update: plans.Update("4", roster.Misplaced), Moves: "+web-5 +web-6 +web-7"},
		{Name: "a node that carries a later mark makes no room, so another has to move",
			Nodes: []string{"R/a 1", "R/a 1", "R/b 1", "R/a 1"}, Regions: zones(plans.Bin("a", 1), plans.Bin("b", 1)), Capacity: 3, Roster: leaving,
			Broken: "web-2", Seen: func(s roster.Seen) {
				s.Servers["web-3"] = node.Node{ID: "id-web-3", Status: "ACTIVE"}
				plans.ChangeSeen(s, "web-1", func(n *node.Node) { n.InService = "7-deadbeef" })
			},
			Update: plans.Update("1", roster.Unhealthy, roster.Misplaced), Moves: "^web-3 -web-2", Remaining: 1,
			Notices: []string{"Servers are ahead of this state"}},
		{Name: "what finds no room is no place to move to",
			Nodes: []string{"R/a 1", "R/a 1", "R/b 1", "R/b 1", "R/old 1", "R/old 1"}, Regions: zones(plans.Bin("a", 1), capped("b", 3)),
			Update: plans.Update("1", roster.Unhealthy, roster.Misplaced), Policy: func(p *roster.Policy) { p.Begins = true },
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-0 web-1", func(n *node.Node) { n.Status, n.Fault = "ERROR", plans.NoHost })
			},
			Remaining: 2},
		{Name: "a node that nobody has looked at is the youngest", Nodes: []string{"R 1", "R 1", "R 1"}, Capacity: 2,
			Roster: func(r *roster.Roster) {
				plans.ChangeRoster(*r, "web-1 web-2", func(n *roster.Node) { n.Served = true })
			},
			Seen: func(s roster.Seen) {
				delete(s.Servers, "web-0")
				plans.ChangeSeen(s, "web-1 web-2", func(n *node.Node) { n.InService = "" })
			},
			Policy: func(p *roster.Policy) { p.RequireMarks = true }, Moves: "-web-1"},
		{Name: "a node under way that is replaced leaves its part of the batch to another", Nodes: []string{"R 2", "R 1", "R 1"}, Broken: "web-0",
			Image: "2", Update: plans.Update("2", roster.Unhealthy, roster.Outdated), Moves: "+web-3 +web-4 -web-0 -web-1", Remaining: 1},
		{Name: "a full batch waits for nobody", Nodes: []string{"R 2", "R 2", "R 1"}, Broken: "web-0", Seen: func(s roster.Seen) { plans.LoseSeen(s, "web-1") },
			Image: "2", Update: plans.Update("1", roster.Unhealthy, roster.Outdated), Moves: "+web-3 -web-0", Remaining: 1},
		{Name: "two nodes of a full zone are replaced at once", Nodes: []string{"R/a 1", "R/a 1"}, Regions: zones(capped("a", 2)),
			Seen:   func(s roster.Seen) { plans.ChangeSeen(s, "web-0 web-1", func(n *node.Node) { n.Tainted = true }) },
			Update: plans.Update("2", roster.Unhealthy), Policy: anyOutage, Moves: "+web-2 +web-3 -web-0 -web-1"},
		{Name: "a node that is revised in place is out of service for a while, as if it left",
			Nodes: []string{"R/a 2", "R/a 1", "R/b 2", "R/b 2"}, Regions: zones(plans.Bin("a", 1), plans.Bin("b", 1)),
			Image: "3", Update: plans.ByUpdate(plans.Update("2", roster.Outdated), roster.InPlace), Moves: "~web-1 ~web-2", Remaining: 2},
		{Name: "and its neighbours may follow",
			Nodes: []string{"R/a 2", "R/a 1", "R/b 2", "R/b 2"}, Regions: zones(plans.Bin("a", 1), plans.Bin("b", 1)),
			Image: "3", Update: plans.ByUpdate(plans.Update("3", roster.Outdated), roster.InPlace), Moves: "~web-0 ~web-1 ~web-2", Remaining: 1},
		{Name: "zones take turns in place, too", Nodes: []string{"R/a 1", "R/b 1", "R/a 1"}, Regions: zones(plans.Bin("a", 1), plans.Bin("b", 1)),
			Image: "2", Update: plans.ByUpdate(plans.Update("2", roster.Outdated), roster.InPlace), Moves: "~web-0 ~web-1", Remaining: 1},
		{Name: "nodes of a full place stay for want of room, and others go on",
			Nodes: []string{"R/a 1", "R/b 1", "R/a 1"}, Regions: zones(capped("a", 2), capped("b", 1)),
			Broken: "web-1 web-2", Update: plans.Update("1", roster.Unhealthy), Policy: anyOutage, Seen: func(s roster.Seen) {
				noHostFor(s)
				s.Full[roster.Spot{Place: placement.Place{Region: "R", Zone: "a"}}] = time.Unix(0, 0)
			}, Moves: "+web-3 -web-1", Remaining: 2, Notices: []string{"Places are full", "No room for a replacement"}},
		{Name: "and once its place is not full any more Nova is asked again",
			Nodes: []string{"R/a 1", "R/b 1", "R/a 1"}, Regions: zones(capped("a", 2), capped("b", 1)),
			Broken: "web-1 web-2", Update: plans.Update("1", roster.Unhealthy), Policy: anyOutage, Seen: noHostFor, Moves: "+web-3 -web-0", Remaining: 2},
		{Name: "a shrink that takes what is not in service leaves the batch to another", Nodes: []string{"R 1", "R 1", "R 1", "R 1"}, Broken: "web-0",
			Capacity: 3, Image: "2", Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.Recreate), Moves: "-web-0 ~web-1", Remaining: 2},
		{Name: "the substitute of what is not in service is not in service either",
			Nodes: []string{"R/old 1", "R/a 1", "R/a 1"}, Regions: zones(plans.Bin("a", 1)), Broken: "web-0 web-1",
			Image: "2", Update: plans.ByUpdate(plans.Update("2", roster.Misplaced, roster.Outdated), roster.Recreate),
			Policy: func(p *roster.Policy) { p.Protected = []string{"web-1"} },
			Moves:  "+web-3 -web-0", Remaining: 1, Notices: []string{"Too many nodes are unhealthy to replace them"}},
		{Name: "a fault of the past closes no place", Nodes: []string{"R/a 1"}, Regions: zones(capped("a", 1)),
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Tainted, n.Fault = true, plans.NoHost })
			},
			Update: plans.Update("1", roster.Unhealthy), Policy: anyOutage, Moves: "+web-1 -web-0"},
		{Name: "servers that were never found: all get the template, and a server under another name ignores it", Nodes: []string{"R 1", "R 1", "R 1"},
			Roster: never,
			Seen: func(s roster.Seen) {
				plans.LoseSeen(s, "web-0")
				plans.LoseSeen(s, "web-1")
				plans.LoseSeen(s, "web-2")
			},
			Image: "2", Update: plans.Update("1", roster.Outdated), Moves: "~web-0 ~web-1 ~web-2"},
		{Name: "but one that no refresh has looked at may be in service", Nodes: []string{"R 1", "R 1", "R 1"}, Roster: never,
			Seen: func(s roster.Seen) { clear(s.Servers) }, Image: "2", Update: plans.Update("1", roster.Outdated), Remaining: 3},
		{Name: "a name is tried once: a node in ERROR that never served leaves", Nodes: []string{"R 1", "R 1", "R 1"}, Roster: retried,
			Broken: "web-0", Seen: unmarked, Update: plans.Update("1", roster.Unhealthy), Moves: "+web-3 -web-0"},
		{Name: "also if it failed as it was made, so that Terraform would make it again", Nodes: []string{"R 1", "R 1", "R 1"}, Roster: never, Seen: unmade,
			Update: plans.Update("1", roster.Outdated), Moves: "+web-3 -web-0"},
		{Name: "and with another template", Nodes: []string{"R 1", "R 1", "R 1"}, Roster: retried,
			Broken: "web-0", Seen: unmarked, Image: "2", Update: plans.Update("1", roster.Unhealthy), Moves: "+web-3 -web-0"},
		{Name: "others come as long as there are no more than two batches beyond the cluster, and then none", Nodes: []string{"R 1", "R 1", "R 1"},
			Roster: retried, Seen: func(s roster.Seen) { unmade(s); s.Others["web-1"] = make([]node.Node, 2) }, Update: plans.Update("1",
				roster.Unhealthy), Moves: "-web-0",
			Remaining: 1},
		{Name: "one that runs and lost its mark, or was not waited for, gets a substitute: it may serve", Nodes: []string{"R 2", "R 1", "R 1", "R 1"},
			Roster: func(r *roster.Roster) { leaving(r); never(r) }, Policy: func(p *roster.Policy) { p.RequireMarks = true }, Capacity: 3,
			Seen:  func(s roster.Seen) { s.Servers["web-3"] = node.Node{ID: "id-web-3", Status: "ACTIVE"}; unmarked(s) },
			Image: "3", Update: plans.Update("1", roster.Outdated), Moves: "+web-4 -web-0", Remaining: 2},
		{Name: "and a tainted one, which Terraform makes again by itself, gets a substitute", Nodes: []string{"R 1", "R 1", "R 1"},
			Roster: func(r *roster.Roster) {
				plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Mark, n.Generation, n.Served = "2-new", 2, false })
			},
			Seen: func(s roster.Seen) {
				s.Builds["web-0"] = roster.Build{Mark: "1-old", Generation: 1}
				plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.InService, n.Tainted = "2-new", true })
			},
			Update: plans.Update("1", roster.Unhealthy), Policy: func(p *roster.Policy) { p.RequireMarks = true }, Moves: "+web-3 -web-0"},
		{Name: "a candidate with which a person tries once more fills the batch", Nodes: []string{"R 2", "R 1", "R 1"}, Roster: retried,
			Broken: "web-0", Seen: unmarked, Image: "2", Update: plans.Update("1", roster.Unhealthy, roster.Outdated), Policy: named,
			Moves: "+web-3 -web-0", Remaining: 2, Status: "behind: 2 of 3 nodes to replace"},
		{Name: "but not one that leaves a smaller cluster", Nodes: []string{"R 2", "R 1", "R 1"}, Roster: retried, Capacity: 2,
			Broken: "web-0", Seen: unmarked, Image: "2", Update: plans.Update("1", roster.Unhealthy, roster.Outdated), Policy: named,
			Moves: "+web-3 -web-0 -web-1", Remaining: 1},
		{Name: "with a method that keeps names it is not made a third time", Nodes: []string{"R 2", "R 1", "R 1", "R 2"}, Capacity: 3,
			Roster: func(r *roster.Roster) { retried(r); leaving(r) }, Broken: "web-0",
			Seen:  func(s roster.Seen) { unmarked(s); s.Servers["web-3"] = node.Node{ID: "id-web-3", Status: "ACTIVE"} },
			Image: "2", Update: plans.Update("1", roster.Unhealthy, roster.Outdated), Remaining: 3,
			Policy:  func(p *roster.Policy) { p.Update.Method, p.RequireMarks = roster.InPlace, true },
			Notices: []string{"Nodes are not made a third time", "A batch waits for the one before"}},
		{Name: "servers that did not follow, and that a wait ended without, change a batch at a time", Nodes: []string{"R 1", "R 1", "R 1"},
			Roster: func(r *roster.Roster) {
				plans.ChangeRoster(*r, "web-0 web-1 web-2", func(n *roster.Node) { n.Mark, n.Generation, n.Served = "2-new", 2, false })
			},
			Seen: func(s roster.Seen) {
				for name := range s.Servers {
					s.Builds[name] = roster.Build{Mark: "1-old", Generation: 1}
					plans.ChangeSeen(s, name, func(n *node.Node) { n.InService, n.NotInService = "1-old", "2-new" })
				}
			},
			Image: "2", Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.Recreate), Policy: func(p *roster.Policy) { p.RequireMarks = true },
			Moves: "~web-0", Remaining: 2, Notices: []string{"A batch waits for the one before"}},
		{Name: "of those that are too old the oldest leaves first", Nodes: []string{"R 2", "R 2"}, Update: plans.Update("1", roster.TooOld),
			Seen: func(s roster.Seen) {
				for name, launched := range map[string]int64{"web-0": 2, "web-1": 1} {
					s.Aged[name] = roster.Aged{Mark: roster.Mark(s.Servers[name].InService), Launched: time.Unix(launched, 0)}
				}
			}, Moves: "+web-2 -web-1", Remaining: 1},
		{Name: "a change that is taken back does not make its node serve", Nodes: []string{"R 2", "R 1"}, Roster: undone,
			Seen: func(s roster.Seen) {
				unmarked(s)
				plans.ChangeSeen(s, "web-1", func(n *node.Node) { n.InService = "1-former" })
			},
			Image: "2", Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.InPlace), Moves: "~web-0",
			Policy: func(p *roster.Policy) { p.RequireMarks = true }, Remaining: 2, Notices: []string{"A batch waits for the one before"}},
		{Name: "without a look nothing is taken back: the change may be done", Nodes: []string{"R 2", "R 1"}, Broken: "web-1", Roster: undone,
			Seen:  func(s roster.Seen) { plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.InService = "1-former" }) },
			Image: "2", Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.InPlace),
			Policy: func(p *roster.Policy) { p.RequireMarks, p.Blind = true, true }, Remaining: 1, Notices: []string{"A batch waits for the one before"}},
		{Name: "a change that is taken back is the only one of its node", Nodes: []string{"R 2", "R 1", "R 1"}, Broken: "web-1 web-2",
			Roster: func(r *roster.Roster) {
				undone(r)
				plans.ChangeRoster(*r, "web-1 web-2", func(n *roster.Node) { n.Served = false })
			},
			Seen:  func(s roster.Seen) { plans.ChangeSeen(s, "web-0 web-1 web-2", func(n *node.Node) { n.InService = "" }) },
			Image: "3", Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.InPlace),
			Policy: func(p *roster.Policy) { p.RequireMarks = true }, Moves: "~web-0 ~web-1 ~web-2", Remaining: 1},
		{Name: "nothing is taken back that a wait shows to be done", Nodes: []string{"R 2", "R 1"}, Broken: "web-1", Roster: undone,
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.InService, n.NotInService = "1-former", "2-later" })
			},
			Image: "2", Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.InPlace),
			Policy: func(p *roster.Policy) { p.RequireMarks = true }, Moves: "~web-1"},
		{Name: "the template that came first is the oldest profile, whatever its image", Nodes: []string{"R 2", "R 1", "R 3"},
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.ProfileCreatedAt = n.CreatedAt })
			},
			Capacity: 2, Image: "3", Policy: func(p *roster.Policy) { p.Criteria = deletion.OldestProfileFirst }, Moves: "-web-1"},
	})
}

// TestOutdatedInClosedPlaces: a serving node in a listed place that takes no nodes now waits, because its substitute
// would make the spread worse.
func TestOutdatedInClosedPlaces(t *testing.T) {
	noHostFor := func(s roster.Seen) {
		plans.ChangeSeen(s, "web-3", func(n *node.Node) { n.Status, n.Fault = "ERROR", plans.NoHost })
	}
	plans.Check(t, planner.Plan, func(p *roster.Policy) { p.Templates, p.Update = plans.Images("b"), plans.Update("6", roster.Outdated) }, []plans.Case{
		{Name: "a zone", Policy: func(p *roster.Policy) { p.Regions[0].Zones[1].Closed = true }, Remaining: 1,
			Moves: "+web-6 +web-7 +web-8 +web-9 +web-10 -web-0 -web-2 -web-3 -web-4 -web-5"},
		{Name: "a region", Policy: func(p *roster.Policy) { p.Regions[0].Closed = true }, Remaining: 3,
			Moves: "+web-6 +web-7 +web-8 -web-3 -web-4 -web-5"},
		{Name: "a zone where Nova found no host", Seen: noHostFor, Remaining: 1,
			Moves: "+web-6 +web-7 +web-8 +web-9 +web-10 -web-0 -web-1 -web-2 -web-3 -web-5"},
		{Name: "the only zone of its region", Seen: noHostFor, Policy: func(p *roster.Policy) { p.Regions[1].Zones = p.Regions[1].Zones[:1] }, Remaining: 1,
			Moves: "+web-6 +web-7 +web-8 +web-9 +web-10 -web-0 -web-1 -web-2 -web-3 -web-5"},
		{Name: "a region without zones where Nova found no host", Seen: noHostFor, Policy: func(p *roster.Policy) { p.Regions[1].Zones = nil }, Remaining: 2,
			Moves: "+web-6 +web-7 +web-8 +web-9 -web-0 -web-1 -web-2 -web-3"},
		{Name: "a region that is not listed", Policy: func(p *roster.Policy) { p.Regions = p.Regions[:1] },
			Moves: "+web-6 +web-7 +web-8 +web-9 +web-10 +web-11 -web-0 -web-1 -web-2 -web-3 -web-4 -web-5"},
		{Name: "a zone, where servers are made again", Policy: func(p *roster.Policy) { p.Regions[0].Zones[1].Closed, p.Update.Method = true, roster.Recreate },
			Remaining: 1,
			Moves:     "~web-0 ~web-2 ~web-3 ~web-4 ~web-5"},
		{Name: "a full zone takes a server that is made again", Seen: noHostFor, Policy: func(p *roster.Policy) { p.Update.Method = roster.Recreate },
			Moves: "~web-0 ~web-1 ~web-2 ~web-3 ~web-4 ~web-5"},
		{Name: "in place it does not matter", Policy: func(p *roster.Policy) {
			p.Regions[0].Closed, p.Regions[1].Closed, p.Update.Method = true, true, roster.InPlace
		},
			Moves: "~web-0 ~web-1 ~web-2 ~web-3 ~web-4 ~web-5"},
	})
}

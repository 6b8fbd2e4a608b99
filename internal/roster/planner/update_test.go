package planner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
)

// The faults of servers for which Nova's scheduler found no host.
const (
	noHost  = "No valid host was found. There are not enough hosts available."
	noRetry = "Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance 1."
)

// image is a template of an image; images has it for all places.
func image(name string) roster.Template { return roster.NewTemplate(map[string]string{"image": name}) }

func images(name string) roster.Templates { return roster.Templates{placement.Place{}: image(name)} }

// TestLifeOfAnUpdate follows one cluster of six nodes through rollouts, canaries,
// repairs and moves.
func TestLifeOfAnUpdate(t *testing.T) {
	life(t, func(p *roster.Policy) {
		p.Capacity, p.Templates, p.Update, p.RequireMarks = 6, images("a"), update("2", roster.Unhealthy, roster.Misplaced, roster.Outdated), true
	}, layout, []step{
		{name: "six nodes of the first template", policy: func(p *roster.Policy) { p.Update = nil },
			moves: "+web-0 +web-1 +web-2 +web-3 +web-4 +web-5",
			after: "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-3 web-4; RegionTwo/az-2: web-5"},
		{name: "another template touches no node by itself", policy: func(p *roster.Policy) { p.Update, p.Templates = nil, images("b") }},
		{name: "a new update replaces nothing yet", policy: func(p *roster.Policy) { p.Templates, p.Begins = images("b"), true },
			remaining: 6, notices: []string{"The update begins with the next apply"}},
		{name: "a canary of 30 % is two nodes", policy: func(p *roster.Policy) { p.Templates, p.Update.Target = images("b"), amount("30%") },
			moves: "+web-6 +web-7 -web-0 -web-3",
			after: "RegionOne/az-1: web-6@b; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-7@b; RegionTwo/az-2: web-5"},
		{name: "and stays two", policy: func(p *roster.Policy) { p.Templates, p.Update.Target = images("b"), amount("30%") }},
		{name: "raised to half it is three", policy: func(p *roster.Policy) { p.Templates, p.Update.Target = images("b"), amount("50%") },
			moves: "+web-8 -web-1",
			after: "RegionOne/az-1: web-6@b; RegionOne/az-2: web-8@b; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-7@b; RegionTwo/az-2: web-5"},
		{name: "lowered it replaces nothing back", policy: func(p *roster.Policy) { p.Templates, p.Update.Target = images("b"), amount("1") }},
		{name: "a rollback is the old template, in batches of two", policy: func(*roster.Policy) {},
			moves:     "+web-9 +web-10 -web-6 -web-7",
			after:     "RegionOne/az-1: web-9; RegionOne/az-2: web-8@b; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-10; RegionTwo/az-2: web-5",
			remaining: 1},
		{name: "a third template, while one node is of the second: that one first", policy: func(p *roster.Policy) { p.Templates = images("c") },
			moves:     "+web-11 +web-12 -web-4 -web-8",
			after:     "RegionOne/az-1: web-9; RegionOne/az-2: web-11@c; RegionOne/az-3: web-2; RegionTwo/az-1: web-10 web-12@c; RegionTwo/az-2: web-5",
			remaining: 4},
		{name: "which is bad: its nodes never get ready, and nothing goes on", policy: func(p *roster.Policy) { p.Templates = images("c") },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-11", func(n *node.Node) { n.InService = "" })
				changeSeen(s, "web-12", func(n *node.Node) { n.InService = "1-0000" })
			},
			remaining: 4, notices: []string{"A batch waits for the one before"}},
		{name: "one that is in ERROR is replaced, which takes nothing from service", policy: func(p *roster.Policy) { p.Templates = images("c") },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-11", func(n *node.Node) { n.InService = "" })
				changeSeen(s, "web-12", func(n *node.Node) { n.Status = "ERROR" })
			},
			moves:     "+web-13 -web-12",
			after:     "RegionOne/az-1: web-9; RegionOne/az-2: web-11@c; RegionOne/az-3: web-2; RegionTwo/az-1: web-10 web-13@c; RegionTwo/az-2: web-5",
			remaining: 4, notices: []string{"A batch waits for the one before"}},
		{name: "fixed: the bad ones first", policy: func(p *roster.Policy) { p.Templates = images("d") },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-11", func(n *node.Node) { n.InService = "" })
				loseSeen(s, "web-13")
			},
			moves:     "+web-14 +web-15 -web-11 -web-13",
			after:     "RegionOne/az-1: web-9; RegionOne/az-2: web-14@d; RegionOne/az-3: web-2; RegionTwo/az-1: web-10 web-15@d; RegionTwo/az-2: web-5",
			remaining: 4},
		{name: "the rest, with one protected", policy: func(p *roster.Policy) { p.Templates, p.Protected = images("d"), []string{"web-2"} },
			moves:     "+web-16 +web-17 -web-9 -web-10",
			after:     "RegionOne/az-1: web-16@d; RegionOne/az-2: web-14@d; RegionOne/az-3: web-2; RegionTwo/az-1: web-15@d web-17@d; RegionTwo/az-2: web-5",
			remaining: 1, notices: []string{"Protected nodes stay as they are"}},
		{name: "growth does not wait for the batch, nor the batch for it", policy: func(p *roster.Policy) { p.Templates, p.Capacity = images("d"), 8 },
			moves: "+web-18 +web-19 +web-20 +web-21 -web-2 -web-5",
			after: "RegionOne/az-1: web-16@d web-18@d; RegionOne/az-2: web-14@d; RegionOne/az-3: web-19@d; RegionTwo/az-1: web-15@d web-17@d; " +
				"RegionTwo/az-2: web-20@d web-21@d"},
		{name: "what was grown and not looked at counts", policy: func(p *roster.Policy) { p.Templates, p.Capacity = images("e"), 8 },
			moves: "+web-22 +web-23 -web-15 -web-16",
			after: "RegionOne/az-1: web-18@d web-22@e; RegionOne/az-2: web-14@d; RegionOne/az-3: web-19@d; RegionTwo/az-1: web-17@d web-23@e; " +
				"RegionTwo/az-2: web-20@d web-21@d",
			remaining: 6},
		{name: "a shrink takes what is not in service, and the batch goes on", policy: func(p *roster.Policy) { p.Templates = images("e") },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-20", func(n *node.Node) { n.Status = "ERROR" })
				loseSeen(s, "web-19")
			},
			moves: "+web-24 +web-25 -web-17 -web-18 -web-19 -web-20",
			after: "RegionOne/az-1: web-22@e; RegionOne/az-2: web-14@d; RegionOne/az-3: web-24@e; RegionTwo/az-1: web-23@e web-25@e; RegionTwo/az-2: " +
				"web-21@d",
			remaining: 2},
		{name: "in place a node keeps its name and place", policy: func(p *roster.Policy) { p.Templates, p.Update.Method = images("e"), roster.InPlace },
			moves: "~web-14 ~web-21",
			after: "RegionOne/az-1: web-22@e; RegionOne/az-2: web-14@e; RegionOne/az-3: web-24@e; RegionTwo/az-1: web-23@e web-25@e; RegionTwo/az-2: web-21@e"},
		{name: "with the mark of its old template it is under way", policy: func(p *roster.Policy) {
			p.Templates, p.Update.Method = images("f"),
				roster.InPlace
		},
			seen: func(s roster.Seen) {
				changeSeen(s, "web-14 web-21", func(n *node.Node) { n.InService = string(roster.FirstMark(image("d"))) })
			},
			moves: "~web-14 ~web-21",
			after: "RegionOne/az-1: web-22@e; RegionOne/az-2: web-14@f; RegionOne/az-3: web-24@e; RegionTwo/az-1: web-23@e web-25@e; RegionTwo/az-2: " +
				"web-21@f",
			remaining: 4},
		{name: "a repair: Nova found no host in one zone, so the substitute goes elsewhere; nothing remembers that, so one will be moved back",
			policy: func(p *roster.Policy) { p.Templates = images("f"); p.Update.Target = amount("0") },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-22", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
				changeSeen(s, "web-25", func(n *node.Node) { n.Tainted = true })
			},
			moves: "+web-26 +web-27 -web-22 -web-25",
			after: "RegionOne/az-2: web-14@f web-26@f; RegionOne/az-3: web-24@e; RegionTwo/az-1: web-23@e web-27@f; RegionTwo/az-2: web-21@f", remaining: 1},
		{name: "too many unhealthy nodes are an outage, and the rollout goes on with those that have another template",
			policy: func(p *roster.Policy) { p.Templates = images("f") },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-14 web-21 web-23 web-27", func(n *node.Node) { n.Tainted = true })
			},
			moves: "+web-28 +web-29 -web-14 -web-23",
			after: "RegionOne/az-1: web-28@f; RegionOne/az-2: web-26@f; RegionOne/az-3: web-24@e; RegionTwo/az-1: web-27@f web-29@f; RegionTwo/az-2: " +
				"web-21@f",
			remaining: 3, // after two of them are replaced, the other two are no outage
			notices:   []string{"Too many nodes are unhealthy to replace them"}},
		{name: "a dropped zone empties in batches", policy: func(p *roster.Policy) {
			p.Templates = images("f")
			p.Regions[1].Zones = p.Regions[1].Zones[1:]
		},
			moves: "+web-30 +web-31 -web-27 -web-29",
			after: "RegionOne/az-1: web-28@f; RegionOne/az-2: web-26@f; RegionOne/az-3: web-24@e; RegionTwo/az-2: web-21@f web-30@f web-31@f", remaining: 1},
		{name: "to its last node", policy: func(p *roster.Policy) {
			p.Templates = images("f")
			p.Regions[1].Zones = p.Regions[1].Zones[1:]
		},
			moves: "+web-32 -web-24",
			after: "RegionOne/az-1: web-28@f; RegionOne/az-2: web-26@f; RegionOne/az-3: web-32@f; RegionTwo/az-2: web-21@f web-30@f web-31@f"},
		{name: "listed again it takes nodes again", policy: func(p *roster.Policy) { p.Templates = images("f") },
			moves: "+web-33 -web-21",
			after: "RegionOne/az-1: web-28@f; RegionOne/az-2: web-26@f; RegionOne/az-3: web-32@f; RegionTwo/az-1: web-33@f; RegionTwo/az-2: web-30@f web-31@f"},
	})
}

// gone returns the roster after the servers of leaving nodes are deleted, and all others have served.
func gone(r roster.Roster) roster.Roster {
	r = r.Clone()
	clear(r.Leaving)
	for name, n := range r.Nodes {
		n.Served, n.Doubt = true, false
		r.Nodes[name] = n
	}
	return r
}

// cluster makes a roster of nodes such as "web-0 RegionOne/az-1 2", in which the number is the image of the node's
// template. Templates are ordered by their numbers.
func cluster(t *testing.T, nodes ...string) roster.Roster {
	t.Helper()
	r := roster.Roster{Nodes: map[string]roster.Node{}}
	for i, text := range nodes {
		n := roster.Node{Index: int64(i), Generation: 1, Served: true}
		var number string
		if _, err := fmt.Sscanf(text, "%s %s", &n.Region, &number); err != nil {
			t.Fatal(err)
		}
		n.Region, n.Zone, _ = strings.Cut(n.Region, "/")
		n.Template = image(number)
		n.Mark = roster.FirstMark(n.Template)
		r.Nodes[web(n.Index)] = n
		r.Next = n.Index + 1
	}
	for _, number := range []string{"1", "2", "3"} {
		r.Order = append(r.Order, image(number))
	}
	return r
}

// TestBatch has the nodes that a plan replaces, rule by rule.
func TestBatch(t *testing.T) {
	capped := func(name string, most int64) placement.Bin {
		b := bin(name, 100)
		b.Cap = most
		return b
	}
	zones := func(zones ...placement.Bin) []placement.Region {
		return []placement.Region{{Bin: bin("R", 100), Zones: zones}}
	}
	noHostFor := func(s roster.Seen) {
		changeSeen(s, "web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
	}
	never := func(r *roster.Roster) {
		changeRoster(*r, "web-0 web-1 web-2", func(n *roster.Node) { n.Served = false })
	}
	retried := func(r *roster.Roster) {
		changeRoster(*r, "web-0", func(n *roster.Node) { n.Served, n.Retried = false, true })
	}
	leaving := func(r *roster.Roster) {
		r.Leaving = map[string]roster.Node{"web-3": r.Nodes["web-3"]}
		delete(r.Nodes, "web-3")
	}
	unmarked := func(s roster.Seen) { changeSeen(s, "web-0", func(n *node.Node) { n.InService = "" }) }
	named := func(p *roster.Policy) { p.Candidates = []string{"web-0"} }
	anyOutage := func(p *roster.Policy) { p.Update.StopAbove, p.Update.RetryFullAfter = amount("100%"), time.Hour }
	plans(t, func(p *roster.Policy) { p.Templates = images("1") }, []planned{
		{name: "what is grown counts before anything moves, in zones",
			nodes: []string{"R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1", "R/a 1"}, regions: zones(bin("a", 1), bin("b", 1)),
			capacity: 10, update: update("4", roster.Misplaced), moves: "+web-8 +web-9 +web-10 +web-11 +web-12 -web-0 -web-1 -web-2"},
		{name: "and in regions that list none",
			nodes: []string{"R 1", "R 1", "R 1", "R 1", "S 1"}, regions: []placement.Region{{Bin: bin("R", 100)}, {Bin: bin("S", 100)}},
			capacity: 8, update: update("4", roster.Misplaced), moves: "+web-5 +web-6 +web-7"},
		{name: "a node that carries a later mark makes no room, so another has to move",
			nodes: []string{"R/a 1", "R/a 1", "R/b 1", "R/a 1"}, regions: zones(bin("a", 1), bin("b", 1)), capacity: 3, roster: leaving,
			broken: "web-2", seen: func(s roster.Seen) {
				s.Servers["web-3"] = node.Node{ID: "id-web-3", Status: "ACTIVE"}
				changeSeen(s, "web-1", func(n *node.Node) { n.InService = "7-deadbeef" })
			},
			update: update("1", roster.Unhealthy, roster.Misplaced), moves: "^web-3 -web-2", remaining: 1,
			notices: []string{"Servers are ahead of this state"}},
		{name: "what finds no room is no place to move to",
			nodes: []string{"R/a 1", "R/a 1", "R/b 1", "R/b 1", "R/old 1", "R/old 1"}, regions: zones(bin("a", 1), capped("b", 3)),
			update: update("1", roster.Unhealthy, roster.Misplaced), policy: func(p *roster.Policy) { p.Begins = true },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-0 web-1", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
			},
			remaining: 2, notices: []string{"The update begins with the next apply"}},
		{name: "a node that nobody has looked at is the youngest", nodes: []string{"R 1", "R 1", "R 1"}, capacity: 2,
			roster: func(r *roster.Roster) { changeRoster(*r, "web-1 web-2", func(n *roster.Node) { n.Served = true }) },
			seen: func(s roster.Seen) {
				delete(s.Servers, "web-0")
				changeSeen(s, "web-1 web-2", func(n *node.Node) { n.InService = "" })
			},
			policy: func(p *roster.Policy) { p.RequireMarks = true }, moves: "-web-1"},
		{name: "a node under way that is replaced leaves its part of the batch to another", nodes: []string{"R 2", "R 1", "R 1"}, broken: "web-0",
			image: "2", update: update("2", roster.Unhealthy, roster.Outdated), moves: "+web-3 +web-4 -web-0 -web-1", remaining: 1},
		{name: "a full batch waits for nobody", nodes: []string{"R 2", "R 2", "R 1"}, broken: "web-0", seen: func(s roster.Seen) { loseSeen(s, "web-1") },
			image: "2", update: update("1", roster.Unhealthy, roster.Outdated), moves: "+web-3 -web-0", remaining: 1},
		{name: "two nodes of a full zone are replaced at once", nodes: []string{"R/a 1", "R/a 1"}, regions: zones(capped("a", 2)),
			seen:   func(s roster.Seen) { changeSeen(s, "web-0 web-1", func(n *node.Node) { n.Tainted = true }) },
			update: update("2", roster.Unhealthy), policy: anyOutage, moves: "+web-2 +web-3 -web-0 -web-1"},
		{name: "a node that is revised in place is out of service for a while, as if it left",
			nodes: []string{"R/a 1", "R/a 2", "R/b 1", "R/b 1"}, regions: zones(bin("a", 1), bin("b", 1)),
			image: "3", update: byUpdate(update("2", roster.Outdated), roster.InPlace), moves: "~web-1 ~web-2", remaining: 2},
		{name: "and its neighbours may follow",
			nodes: []string{"R/a 1", "R/a 2", "R/b 1", "R/b 1"}, regions: zones(bin("a", 1), bin("b", 1)),
			image: "3", update: byUpdate(update("3", roster.Outdated), roster.InPlace), moves: "~web-0 ~web-1 ~web-2", remaining: 1},
		{name: "zones take turns in place, too", nodes: []string{"R/a 1", "R/b 1", "R/a 1"}, regions: zones(bin("a", 1), bin("b", 1)),
			image: "2", update: byUpdate(update("2", roster.Outdated), roster.InPlace), moves: "~web-0 ~web-1", remaining: 1},
		{name: "nodes of a full place stay for want of room, and others go on",
			nodes: []string{"R/a 1", "R/b 1", "R/a 1"}, regions: zones(capped("a", 2), capped("b", 1)),
			broken: "web-1 web-2", update: update("1", roster.Unhealthy), policy: anyOutage, seen: func(s roster.Seen) {
				noHostFor(s)
				s.Full[roster.Spot{Place: placement.Place{Region: "R", Zone: "a"}}] = time.Unix(0, 0)
			}, moves: "+web-3 -web-1", remaining: 2, notices: []string{"Places are full", "No room for a replacement"}},
		{name: "and once its place is not full any more Nova is asked again",
			nodes: []string{"R/a 1", "R/b 1", "R/a 1"}, regions: zones(capped("a", 2), capped("b", 1)),
			broken: "web-1 web-2", update: update("1", roster.Unhealthy), policy: anyOutage, seen: noHostFor, moves: "+web-3 -web-0", remaining: 2},
		{name: "a shrink that takes what is not in service leaves the batch to another", nodes: []string{"R 1", "R 1", "R 1", "R 1"}, broken: "web-0",
			capacity: 3, image: "2", update: byUpdate(update("1", roster.Outdated), roster.Recreate), moves: "-web-0 ~web-1", remaining: 2},
		{name: "the substitute of what is not in service is not in service either",
			nodes: []string{"R/old 1", "R/a 1", "R/a 1"}, regions: zones(bin("a", 1)), broken: "web-0 web-1",
			image: "2", update: byUpdate(update("2", roster.Misplaced, roster.Outdated), roster.Recreate),
			policy: func(p *roster.Policy) { p.Protected = []string{"web-1"} },
			moves:  "+web-3 -web-0", remaining: 1, notices: []string{"Protected nodes stay as they are", "Too many nodes are unhealthy to replace them"}},
		{name: "a fault of the past closes no place", nodes: []string{"R/a 1"}, regions: zones(capped("a", 1)),
			seen:   func(s roster.Seen) { changeSeen(s, "web-0", func(n *node.Node) { n.Tainted, n.Fault = true, noHost }) },
			update: update("1", roster.Unhealthy), policy: anyOutage, moves: "+web-1 -web-0"},
		{name: "servers that were never found: all get the template, and a server under another name ignores it", nodes: []string{"R 1", "R 1", "R 1"},
			roster: never,
			seen:   func(s roster.Seen) { loseSeen(s, "web-0"); loseSeen(s, "web-1"); loseSeen(s, "web-2") },
			image:  "2", update: update("1", roster.Outdated), moves: "~web-0 ~web-1 ~web-2"},
		{name: "but one that no refresh has looked at may be in service", nodes: []string{"R 1", "R 1", "R 1"}, roster: never,
			seen: func(s roster.Seen) { clear(s.Servers) }, image: "2", update: update("1", roster.Outdated), remaining: 3,
			notices: []string{"Nodes wait to be looked at"}},
		{name: "a second try that never served is not made again with the same template", nodes: []string{"R 1", "R 1", "R 1"}, roster: retried,
			broken: "web-0", seen: unmarked, update: update("1", roster.Unhealthy), remaining: 1, notices: []string{"Nodes are not made a third time"}},
		{name: "and is with another one", nodes: []string{"R 1", "R 1", "R 1"}, roster: retried,
			broken: "web-0", seen: unmarked, image: "2", update: update("1", roster.Unhealthy), moves: "~web-0"},
		{name: "a candidate with which a person tries once more fills the batch", nodes: []string{"R 2", "R 1", "R 1"}, roster: retried,
			broken: "web-0", seen: unmarked, image: "2", update: update("1", roster.Unhealthy, roster.Outdated), policy: named,
			moves: "+web-3 -web-0", remaining: 2, status: "behind: 2 of 3 nodes to replace"},
		{name: "so does one that came back for two that failed", nodes: []string{"R 1", "R 1", "R 1"},
			roster: func(r *roster.Roster) {
				changeRoster(*r, "web-0", func(n *roster.Node) { n.Tried = image("2").Hash() })
			},
			image: "2", update: update("1", roster.Unhealthy, roster.Outdated), policy: named, moves: "+web-3 -web-0", remaining: 2},
		{name: "but not one that leaves a smaller cluster", nodes: []string{"R 2", "R 1", "R 1"}, roster: retried, capacity: 2,
			broken: "web-0", seen: unmarked, image: "2", update: update("1", roster.Unhealthy, roster.Outdated), policy: named,
			moves: "+web-3 -web-0 -web-1", remaining: 1},
		{name: "one that comes back for it counts against the batch until it is marked", nodes: []string{"R 2", "R 1", "R 1", "R 2"}, capacity: 3,
			roster: func(r *roster.Roster) { retried(r); leaving(r) }, broken: "web-0",
			seen:  func(s roster.Seen) { unmarked(s); s.Servers["web-3"] = node.Node{ID: "id-web-3", Status: "ACTIVE"} },
			image: "2", update: update("1", roster.Unhealthy, roster.Outdated), moves: "^web-3 -web-0", remaining: 2,
			policy: func(p *roster.Policy) { p.Update.Method, p.RequireMarks = roster.InPlace, true }},
		{name: "servers that did not follow, and that a wait ended without, change a batch at a time", nodes: []string{"R 1", "R 1", "R 1"},
			roster: func(r *roster.Roster) {
				changeRoster(*r, "web-0 web-1 web-2", func(n *roster.Node) { n.Mark, n.Generation, n.Served = "2-new", 2, false })
			},
			seen: func(s roster.Seen) {
				for name := range s.Servers {
					s.Builds[name] = roster.Build{Mark: "1-old", Generation: 1}
					changeSeen(s, name, func(n *node.Node) { n.InService, n.NotInService = "1-old", "2-new" })
				}
			},
			image: "2", update: byUpdate(update("1", roster.Outdated), roster.Recreate), policy: func(p *roster.Policy) { p.RequireMarks = true },
			moves: "~web-0", remaining: 2, notices: []string{"Servers did not follow their nodes"}},
		{name: "a change that is taken back is the only one of its node", nodes: []string{"R 2", "R 1", "R 1"}, broken: "web-1 web-2",
			roster: func(r *roster.Roster) {
				n := r.Nodes["web-0"]
				n.Template, n.Mark = image("1"), "1-former"
				r.Before = map[string]roster.Node{"web-0": n}
				changeRoster(*r, "web-0", func(n *roster.Node) { n.Mark, n.Served = "2-later", false })
			},
			seen: func(s roster.Seen) {
				changeSeen(s, "web-0", func(n *node.Node) { n.InService, n.NotInService = "1-former", "2-later" })
			},
			image: "3", update: byUpdate(update("1", roster.Outdated), roster.InPlace),
			policy: func(p *roster.Policy) { p.Protected, p.RequireMarks = []string{"web-0"}, true },
			moves:  "~web-0 ~web-1", remaining: 1},
		{name: "the template that came first is the oldest profile, whatever its image", nodes: []string{"R 2", "R 1", "R 3"},
			seen:     func(s roster.Seen) { changeSeen(s, "web-0", func(n *node.Node) { n.ProfileCreatedAt = n.CreatedAt }) },
			capacity: 2, image: "3", policy: func(p *roster.Policy) { p.Criteria = deletion.OldestProfileFirst }, moves: "-web-1"},
	})
}

// TestOutdatedInClosedPlaces: a serving node in a listed place that takes no nodes now waits, because its substitute
// would make the spread worse.
func TestOutdatedInClosedPlaces(t *testing.T) {
	noHostFor := func(s roster.Seen) {
		changeSeen(s, "web-3", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
	}
	plans(t, func(p *roster.Policy) { p.Templates, p.Update = images("b"), update("6", roster.Outdated) }, []planned{
		{name: "a zone", policy: func(p *roster.Policy) { p.Regions[0].Zones[1].Closed = true }, remaining: 1,
			moves: "+web-6 +web-7 +web-8 +web-9 +web-10 -web-0 -web-2 -web-3 -web-4 -web-5"},
		{name: "a region", policy: func(p *roster.Policy) { p.Regions[0].Closed = true }, remaining: 3,
			moves: "+web-6 +web-7 +web-8 -web-3 -web-4 -web-5"},
		{name: "a zone where Nova found no host", seen: noHostFor, remaining: 1,
			moves: "+web-6 +web-7 +web-8 +web-9 +web-10 -web-0 -web-1 -web-2 -web-3 -web-5"},
		{name: "the only zone of its region", seen: noHostFor, policy: func(p *roster.Policy) { p.Regions[1].Zones = p.Regions[1].Zones[:1] }, remaining: 1,
			moves: "+web-6 +web-7 +web-8 +web-9 +web-10 -web-0 -web-1 -web-2 -web-3 -web-5"},
		{name: "a region without zones where Nova found no host", seen: noHostFor, policy: func(p *roster.Policy) { p.Regions[1].Zones = nil }, remaining: 2,
			moves: "+web-6 +web-7 +web-8 +web-9 -web-0 -web-1 -web-2 -web-3"},
		{name: "a region that is not listed", policy: func(p *roster.Policy) { p.Regions = p.Regions[:1] },
			moves: "+web-6 +web-7 +web-8 +web-9 +web-10 +web-11 -web-0 -web-1 -web-2 -web-3 -web-4 -web-5"},
		{name: "a zone, where servers are made again", policy: func(p *roster.Policy) { p.Regions[0].Zones[1].Closed, p.Update.Method = true, roster.Recreate },
			remaining: 1,
			moves:     "~web-0 ~web-2 ~web-3 ~web-4 ~web-5"},
		{name: "a full zone takes a server that is made again", seen: noHostFor, policy: func(p *roster.Policy) { p.Update.Method = roster.Recreate },
			moves: "~web-0 ~web-1 ~web-2 ~web-3 ~web-4 ~web-5"},
		{name: "in place it does not matter", policy: func(p *roster.Policy) {
			p.Regions[0].Closed, p.Regions[1].Closed, p.Update.Method = true, true, roster.InPlace
		},
			moves: "~web-0 ~web-1 ~web-2 ~web-3 ~web-4 ~web-5"},
	})
}

func titles(notices []say.Notice) (list []string) {
	for _, n := range notices {
		list = append(list, n.Title)
	}
	return list
}

package planner

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

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
			remaining: 6},
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
		{name: "a third template, while one node is of the second and lost its mark: that one first",
			policy:    func(p *roster.Policy) { p.Templates = images("c") },
			seen:      func(s roster.Seen) { changeSeen(s, "web-8", func(n *node.Node) { n.InService = "" }) },
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
			remaining: 1},
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
				changeSeen(s, "web-14 web-21", func(n *node.Node) { n.InService = string(roster.MarkOf(1, image("d"))) })
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

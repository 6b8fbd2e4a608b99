package say_test

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// TestStatus has forms of the status, with and without a plan. Other tables have the status of their own subject.
func TestStatus(t *testing.T) {
	baking := func(s roster.Seen) { s.Baking["web-0"] = true }
	oneMade := func(p *roster.Policy) {
		p.Templates = roster.Templates{placement.Place{}: plans.Image("b"), {Region: "RegionOne", Zone: "az-1"}: plans.Image("a")}
	}
	plans.Check(t, planner.Plan, func(p *roster.Policy) { p.Update = plans.Update("1", roster.Outdated) }, []plans.Case{
		{Name: "without update", Policy: func(p *roster.Policy) { p.Update = nil }, Status: "in step"},
		{Name: "nothing to do", Status: "in step"},
		{Name: "in ERROR without a cause", Broken: "web-0", Status: "held: web-0: in ERROR, which no cause replaces: name it in candidates"},
		{Name: "two of them", Broken: "web-0 web-1", Status: "held: web-0, web-1: in ERROR, which no cause replaces: name it in candidates"},
		{Name: "and protected", Broken: "web-0", Policy: func(p *roster.Policy) { p.Protected = []string{"web-0"} },
			Status: "held: web-0: in ERROR, and is listed as protected"},
		{Name: "and two of them", Broken: "web-0 web-1", Policy: func(p *roster.Policy) { p.Protected = []string{"web-0", "web-1"} },
			Status: "held: web-0, web-1: in ERROR, and is listed as protected"},
		{Name: "growth", Capacity: 8, Moves: "+web-6 +web-7", Status: "in step", Looked: "behind: 2 of 8 nodes to make; apply again"},
		{Name: "a batch of two", Image: "b", Update: plans.Update("2", roster.Outdated), Moves: "+web-6 +web-7 -web-0 -web-3", Remaining: 4,
			Status: "behind: 4 of 6 nodes to replace", Looked: "behind: 6 of 6 nodes to replace"},
		{Name: "a batch of one", Image: "b", Moves: "+web-6 -web-0", Remaining: 5,
			Status: "behind: 5 of 6 nodes to replace", Looked: "behind: 6 of 6 nodes to replace"},
		{Name: "in place", Image: "b", Update: plans.ByUpdate(plans.Update("4", roster.Outdated), roster.InPlace), Moves: "~web-0 ~web-1 ~web-3 ~web-4",
			Remaining: 2,
			Status:    "behind: 2 of 6 nodes to replace", Looked: "behind: 6 of 6 nodes to replace"},
		{Name: "a node that this plan makes again does not remain", Update: plans.ByUpdate(plans.Update("1", roster.Unhealthy), roster.Recreate),
			Broken: "web-0",
			Moves:  "~web-0", Status: "in step", Looked: "behind: 1 of 6 nodes to replace"},
		{Name: "the last nodes are under way", Seen: func(s roster.Seen) { plans.ChangeSeen(s, "web-5", func(n *node.Node) { n.Status = "BUILD" }) },
			Status: "waits: web-5 (its server is in BUILD)"},
		{Name: "nodes that are too old in closed places", Update: plans.ByUpdate(plans.Update("1", roster.TooOld), roster.InPlace),
			Policy: func(p *roster.Policy) {
				p.Regions[0].Zones[0].Closed, p.Regions[0].Zones[0].Why = true, "is not available"
			}, Seen: func(s roster.Seen) {
				s.Aged["web-0"] = roster.Aged{Mark: roster.Mark(s.Servers["web-0"].InService), Launched: time.Unix(1<<30, 0)}
			}, Remaining: 1, Status: "held: web-0 (RegionOne/az-1 is not available)"},
		{Name: "servers of a region that do not follow", Image: "b", Policy: func(p *roster.Policy) {
			p.MissingWire = map[string]string{"RegionOne": "the lifecycle"}
			p.Regions[1].Maintenance = true
		}, Remaining: 6, Status: "held: wiring of web-0, web-1, web-2: the lifecycle"},
		{Name: "more than it names", Image: "b", Policy: func(p *roster.Policy) {
			p.MissingWire = map[string]string{"RegionOne": "the lifecycle", "RegionTwo": "the lifecycle"}
		}, Remaining: 6, Status: "held: wiring of web-0, web-1, web-2, web-3, web-4 and 1 more: the lifecycle"},
		{Name: "and have nothing to follow", Policy: func(p *roster.Policy) { p.MissingWire = map[string]string{"RegionOne": "the lifecycle"} },
			Status: "held: wiring: the lifecycle of RegionOne"},
		{Name: "bakes", Seen: baking, Policy: func(p *roster.Policy) {
			oneMade(p)
			p.Update.Pause = time.Hour
		}, Remaining: 5, Status: "paused: web-0 must be in service for longer"},
		{Name: "the target is reached", Policy: func(p *roster.Policy) {
			oneMade(p)
			p.Update.Target = plans.Amount("1")
		}, Status: "in step, as target says: 5 nodes of another template"},
		{Name: "no node is too old", Update: plans.Update("1", roster.TooOld), Status: "in step"},
		{Name: "a node that is too old is protected, so it is held", Update: plans.Update("1", roster.TooOld), Policy: func(p *roster.Policy) {
			p.Protected = []string{"web-0"}
		}, Seen: func(s roster.Seen) {
			s.Aged["web-0"] = roster.Aged{Mark: roster.Mark(s.Servers["web-0"].InService), Launched: time.Unix(1<<30, 0)}
		}, Status: "held: web-0 is listed as protected"},
		{Name: "a node of a later flavor is protected, so it is held", Update: plans.Update("1", roster.LaterFlavor), Policy: func(p *roster.Policy) {
			p.Flavors, p.Protected = roster.Flavors{{}: {"big", "small"}}, []string{"web-0"}
		}, Roster: func(r *roster.Roster) {
			for name, n := range r.Nodes {
				n.Flavor = "big"
				if name == "web-0" {
					n.Flavor = "small"
				}
				r.Nodes[name] = n
			}
		}, Status: "held: web-0 is listed as protected"},
		{Name: "all have the first flavor", Update: plans.Update("1", roster.LaterFlavor), Policy: func(p *roster.Policy) {
			p.Flavors = roster.Flavors{{}: {"big", "small"}}
		}, Roster: func(r *roster.Roster) {
			for name, n := range r.Nodes {
				n.Flavor = "big"
				r.Nodes[name] = n
			}
		}, Status: "in step"},
		{Name: "nothing bakes once pause is taken away", Seen: baking, Policy: oneMade, Moves: "+web-6 -web-1", Remaining: 4,
			Status: "behind: 4 of 6 nodes to replace", Looked: "behind: 5 of 6 nodes to replace"},
		{Name: "protected nodes", Image: "b", Update: plans.Update("6", roster.Outdated), Policy: func(p *roster.Policy) {
			p.Protected = []string{"web-0", "web-1", "web-2", "web-3", "web-4", "web-5"}
		},
			Status: "held: web-0 is listed as protected and 5 more"},
	})
}

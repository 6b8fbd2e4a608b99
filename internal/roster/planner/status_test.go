package planner

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// TestStatus has forms of the status, with and without a plan. Other tables have the status of their own subject.
func TestStatus(t *testing.T) {
	baking := func(s roster.Seen) { s.Baking["web-0"] = true }
	oneMade := func(p *roster.Policy) {
		p.Templates = roster.Templates{placement.Place{}: image("b"), {Region: "RegionOne", Zone: "az-1"}: image("a")}
	}
	plans(t, func(p *roster.Policy) { p.Update = update("1", roster.Outdated) }, []planned{
		{name: "without update", policy: func(p *roster.Policy) { p.Update = nil }, status: "in step"},
		{name: "nothing to do", status: "in step"},
		{name: "growth", capacity: 8, moves: "+web-6 +web-7", status: "in step"},
		{name: "a batch of two", image: "b", update: update("2", roster.Outdated), moves: "+web-6 +web-7 -web-0 -web-3", remaining: 4,
			status: "behind: 4 of 6 nodes to replace", looked: "behind: 6 of 6 nodes to replace", does: "batch 2 of 4: web-0, web-3 leave; web-6, web-7 come"},
		{name: "a batch of one", image: "b", moves: "+web-6 -web-0", remaining: 5,
			status: "behind: 5 of 6 nodes to replace", looked: "behind: 6 of 6 nodes to replace", does: "batch 2 of 7: web-0 leaves; web-6 comes"},
		{name: "in place", image: "b", update: byUpdate(update("4", roster.Outdated), roster.InPlace), moves: "~web-0 ~web-1 ~web-3 ~web-4", remaining: 2,
			status: "behind: 2 of 6 nodes to replace", looked: "behind: 6 of 6 nodes to replace", does: "batch 2 of 3: web-0, web-1, web-3, web-4 change"},
		{name: "a node that this plan makes again does not remain", update: byUpdate(update("1", roster.Unhealthy), roster.Recreate), broken: "web-0",
			moves: "~web-0", status: "in step", looked: "behind: 1 of 6 nodes to replace", does: "batch 2 of 2: web-0 changes"},
		{name: "the last nodes are under way", seen: func(s roster.Seen) { changeSeen(s, "web-5", func(n *node.Node) { n.Status = "BUILD" }) },
			status: "waits: web-5 (its server is in BUILD)"},
		{name: "nodes that are too old in closed places", update: byUpdate(update("1", roster.TooOld), roster.InPlace), policy: func(p *roster.Policy) {
			p.Regions[0].Zones[0].Closed, p.Regions[0].Zones[0].Why = true, "is not available"
		}, seen: func(s roster.Seen) {
			s.Aged["web-0"] = roster.Aged{Mark: roster.Mark(s.Servers["web-0"].InService), Launched: time.Unix(1<<30, 0)}
		}, remaining: 1, notices: []string{"Nodes wait for their places"}, status: "held: web-0 (RegionOne/az-1 is not available)"},
		{name: "servers of a region that do not follow", image: "b", policy: func(p *roster.Policy) {
			p.Loose = map[string]string{"RegionOne": "the lifecycle"}
			p.Regions[1].Maintenance = true
		}, remaining: 6, told: "3 nodes should be replaced in places...", status: "held: wiring of web-0, web-1, web-2: the lifecycle"},
		{name: "and have nothing to follow", policy: func(p *roster.Policy) { p.Loose = map[string]string{"RegionOne": "the lifecycle"} },
			status: "held: wiring: the lifecycle of RegionOne"},
		{name: "bakes", seen: baking, policy: func(p *roster.Policy) {
			oneMade(p)
			p.Update.Pause = time.Hour
		}, remaining: 5, notices: []string{"A batch has to serve before the next one"}, status: "bakes: web-0 must be in service for longer"},
		{name: "nothing bakes once pause is taken away", seen: baking, policy: oneMade, moves: "+web-6 -web-1", remaining: 4,
			status: "behind: 4 of 6 nodes to replace", looked: "behind: 5 of 6 nodes to replace", does: "batch 2 of 6: web-1 leaves; web-6 comes"},
		{name: "protected nodes", image: "b", update: update("6", roster.Outdated), policy: func(p *roster.Policy) {
			p.Protected = []string{"web-0", "web-1", "web-2", "web-3", "web-4", "web-5"}
		}, notices: []string{"Protected nodes stay as they are"},
			status: "held: web-0 is listed as protected and 5 more"},
	})
}

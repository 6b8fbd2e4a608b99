package say_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// TestNotices has the notices word for word.
func TestNotices(t *testing.T) {
	taint := func(names string) func(roster.Seen) {
		return func(s roster.Seen) { plans.ChangeSeen(s, names, func(n *node.Node) { n.Tainted = true }) }
	}
	unseen := func(s roster.Seen) { clear(s.Servers) }
	begins := func(p *roster.Policy) { p.Begins = true }
	plans.Check(t, planner.Plan, func(*roster.Policy) {}, []plans.Case{
		{Name: "an unknown candidate", Policy: func(p *roster.Policy) { p.Candidates = []string{"web-9"} }, Notices: []string{"A candidate is not there"},
			Told: `No node has the name, or a server with the id, web-9, so nothing is removed for it. Remove it from the list of ` +
				`candidates, or correct it.`},
		{Name: "one candidate, named twice", Capacity: 5, Policy: func(p *roster.Policy) { p.Candidates = []string{"web-2", "id-web-2"} }, Moves: "-web-2"},
		{Name: "two are chosen unseen", Capacity: 4, Seen: unseen, Moves: "-web-0 -web-3",
			Reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; made by the last apply and not looked at since",
				"web-3: RegionTwo/az-1 loses 1 of 2; made by the last apply and not looked at since"}},
		{Name: "an update begins", Image: "b", Update: plans.Update("1", roster.Outdated), Policy: begins,
			Remaining: 6, Status: "behind: 6 of 6 nodes to replace"},
		{Name: "and begins while too many are unhealthy", Policy: func(p *roster.Policy) {
			p.Update, p.Begins = plans.Update("1", roster.Unhealthy, roster.Misplaced), true
			p.Update.StopAbove = plans.Amount("0")
			p.Regions[0].Zones[2].Cap = 0
		}, Seen: taint("web-4"), Remaining: 2},
		{Name: "an outage", Update: plans.Update("1", roster.Unhealthy), Policy: func(p *roster.Policy) { p.Update.StopAbove = plans.Amount("1") },
			Seen:      taint("web-4"),
			Broken:    "web-5",
			Remaining: 2, Notices: []string{"Too many nodes are unhealthy to replace them"},
			Told: "2 of 6 nodes are unhealthy, more than stop_above (1) allows. So no node is replaced for being unhealthy, and no healthy one for another " +
				"cause. Look at the cloud first. To replace nodes anyway, raise stop_above, or name them in candidates.",
			Status: "held: 2 of 6 nodes are unhealthy, more than stop_above (1) allows"},
		{Name: "none yet", Update: plans.Update("1", roster.Unhealthy), Policy: func(p *roster.Policy) { p.Update.StopAbove = plans.Amount("2") },
			Seen:  taint("web-4 web-5"),
			Moves: "+web-6 -web-4", Remaining: 1},
		{Name: "none for those who replace no unhealthy node", Update: plans.Update("1", roster.Misplaced),
			Policy: func(p *roster.Policy) { p.Update.StopAbove = plans.Amount("0") },
			Seen:   taint("web-4")},
		{Name: "a batch waits", Update: plans.Update("2", roster.Misplaced), Policy: func(p *roster.Policy) { p.Regions = p.Regions[:1] },
			Seen: func(s roster.Seen) {
				plans.LoseSeen(s, "web-0")
				plans.ChangeSeen(s, "web-1", func(n *node.Node) { n.Status = "BUILD" })
			}, Remaining: 3, Notices: []string{"A batch waits for the one before"},
			Told: "3 nodes more should be replaced. The batch waits for web-0 (no server of its name was found), web-1 (its server is in BUILD). " +
				"Apply again once these nodes are in service, or gone. If one cannot get into service, change the template, or name the node in " +
				"candidates; open a closed place first. If somebody keeps the server of a node that leaves, name the node in deletion.kept.",
			Status: "behind: 3 of 6 nodes to replace", Looked: "waits: web-0 (no server of its name was found), web-1 (its server is in BUILD)"},
		{Name: "for a readiness attachment", Image: "b", Update: plans.Update("1", roster.Outdated),
			Policy: func(p *roster.Policy) { p.RequireMarks, p.Unmarked = true, true },
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-0 web-1 web-2 web-3 web-4 web-5", func(n *node.Node) { n.InService = "" })
			}, Remaining: 6, Status: "held: wiring of web-0 and 5 more: no readiness attachment marks the servers: apply again, or add one"},
		{Name: "for what was not looked at, or did not follow",
			Policy: func(p *roster.Policy) { p.Update, p.Regions = plans.Update("2", roster.Misplaced), p.Regions[:1] }, Seen: func(s roster.Seen) {
				delete(s.Servers, "web-0")
				s.Builds["web-1"] = roster.Build{Mark: "1-0", Generation: 1}
				plans.ChangeSeen(s, "web-1", func(n *node.Node) { n.InService = "" })
			}, Remaining: 3, Notices: []string{"A batch waits for the one before"},
			Told: "...web-0 (no refresh has looked at it since it changed), web-1 (its server did not change with the node). ..."},
		{Name: "no room, also because a place is full", Policy: func(p *roster.Policy) {
			p.Update = plans.Update("1", roster.Unhealthy)
			p.Regions = []placement.Region{{Bin: placement.Bin{Name: "RegionOne", Weight: 1, Cap: 3}},
				{Bin: placement.Bin{Name: "RegionTwo", Weight: 1, Cap: 3}}}
		}, Seen: func(s roster.Seen) {
			plans.ChangeSeen(s, "web-4", func(n *node.Node) { n.Status, n.Fault = "ERROR", "no valid host" })
			s.Full[roster.Spot{Place: placement.Place{Region: "RegionTwo"}}] = time.Date(2026, 11, 1, 0, 0, 4, 0, time.UTC)
		}, Remaining: 1, Notices: []string{"Places are full", "No room for a replacement"},
			Told: "Nova found no host for a server in these places. " +
				"They are tried again after an hour: RegionTwo (until 2026-11-01 01:00:04 UTC). Until then no node " +
				"is placed or moved there, unless no other place has room. Make room there, or raise the quotas or " +
				"extend the aggregates that leave no room, or list another place.\n1 node should be replaced now, but there is no room for " +
				"substitutes: web-4. 1 node must be added, but there is room for 0: RegionOne 0 (cap 3), RegionTwo 0 " +
				"(takes no nodes now). Raise a cap, or list another place.",
			Status: "held: no room for the substitutes of web-4"},
	})

	p := plans.Policy(6)
	p.Templates = plans.Images("a")
	r, change, err := planner.Plan(plans.Six(t, ""), roster.Seen{}, p)
	want := []say.Notice{{Title: "The first template is taken for what all nodes were made from", Text: "6 nodes had no template until now: web-0, " +
		"web-1, web-2, web-3, web-4 and 1 more. The template must be what they were made from: a server that differs does not count as " +
		"outdated, and keeps what it has."}}
	if err != nil || !slices.Equal(change.Notices, want) || !change.Empty() || r.Nodes["web-5"].Mark != roster.MarkOf(1, plans.Image("a")) ||
		r.Nodes["web-5"].Template != plans.Image("a") {
		t.Errorf("got %q, %v, %v", change.Notices, r.Nodes, err)
	}
	one := roster.Roster{Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "RegionOne", Zone: "az-1"}}}, Next: 1}
	p.Capacity = 1
	if _, change, err := planner.Plan(one, plans.Running(one), p); err != nil || !slices.Contains(plans.Titles(change.Notices),
		"The first template is taken for what all nodes were made from") {
		t.Errorf("one node: got %q, %v", change.Notices, err)
	}
	p.Templates = nil
	if _, _, err := planner.Plan(r, roster.Seen{}, p); err == nil || !strings.Contains(err.Error(), "made from a template, so it cannot be removed") {
		t.Errorf("without the template: %v", err)
	}
}

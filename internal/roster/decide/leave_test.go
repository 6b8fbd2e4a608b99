package decide_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKept: a node whose server somebody keeps leaves as a candidate does. It cannot come back, and no batch waits for
// it, even if it left before it was named.
func TestKept(t *testing.T) {
	regions := []placement.Region{{Bin: plans.Bin("R", 1)}}
	for name, first := range map[string]func(*roster.Policy, string){
		"at once":           func(p *roster.Policy, who string) { p.Candidates, p.Kept = []string{who}, []string{who} },
		"it had left alone": func(p *roster.Policy, who string) { p.Candidates = []string{who} },
	} {
		for _, who := range []string{"web-1", "id-web-1"} {
			r := plans.Cluster(t, "R 1", "R 1", "R 1")
			seen := plans.Running(r)
			p := roster.Policy{Name: plans.Web, Capacity: 2, Regions: regions, Templates: plans.Images("1")}
			first(&p, who)
			next, change, err := planner.Plan(r, seen, p)
			require.NoError(t, err, name)
			assert.Equal(t, "-web-1", plans.Moves(change), name)
			assert.Equal(t, name == "at once", len(next.Leaving) == 0, "%s: leaving are %v", name, next.LeavingNames())
			p.Candidates, p.Capacity = nil, 3
			_, change, err = planner.Plan(next, seen, p)
			require.NoError(t, err, name)
			assert.Equal(t, "+web-3", plans.Moves(change), "%s: named no more", name)
			p.Candidates, p.Kept = []string{who}, []string{who}
			if name == "at once" { // it need not be named any more then
				p.Candidates, p.Kept = nil, nil
			}
			grown, change, err := planner.Plan(next, seen, p)
			require.NoError(t, err, name)
			assert.Equal(t, "+web-3", plans.Moves(change), name)
			assert.Empty(t, grown.Leaving, name)
			p.Capacity, p.Templates, p.Update = 2, plans.Images("2"), plans.Update("1", roster.Outdated)
			_, change, err = planner.Plan(next, seen, p)
			require.NoError(t, err, name)
			assert.EqualValues(t, 1, change.Replaced(), "%s: a rollout replaces", name)
			assert.Empty(t, change.Notices, name)
		}
	}
	r := plans.Cluster(t, "R 1", "R 1")
	p := roster.Policy{Name: plans.Web, Capacity: 2, Regions: regions, Templates: plans.Images("1"), Update: plans.Update("1", roster.Outdated),
		Candidates: []string{"web-1"}, Kept: []string{"web-1"}}
	p.Update.Method = roster.Recreate
	_, _, err := planner.Plan(r, plans.Running(r), p)
	assert.ErrorContains(t, err, "it would be made again under its name, which its kept server has")
	p.Capacity = 1
	_, change, err := planner.Plan(r, plans.Running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "-web-1", plans.Moves(change))
}

func TestPlanRefuses(t *testing.T) {
	r, _, err := planner.Plan(roster.Roster{}, roster.Seen{}, plans.Policy(5))
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		change func(*roster.Policy)
		want   string
	}{
		{"a candidate that is protected", func(p *roster.Policy) { p.Candidates, p.Protected = []string{"web-1"}, []string{"web-1"} },
			`The node "web-1" cannot be a candidate, because it is listed as protected.`},
		{"a node whose protected name is misspelled", func(p *roster.Policy) { p.Capacity, p.Protected = 4, []string{"Web-0"} },
			`No node has the protected name "Web-0", and "web-0" would be removed or replaced.`},
		{"too many are protected", func(p *roster.Policy) { p.Capacity, p.Protected = 1, []string{"web-0", "web-1"} },
			"4 nodes must be removed from the cluster, but only 3 of its nodes can be (protected: 2)"},
		{"no room", func(p *roster.Policy) {
			p.Capacity, p.Regions = 9, []placement.Region{{Bin: placement.Bin{Name: "RegionOne", Weight: 1, Cap: 4}}}
		},
			"There is no feasible plan to handle all nodes."},
		{"a min", func(p *roster.Policy) { p.Capacity, p.Regions[0].Min = 1, 2 }, "There is no feasible plan to handle all nodes."},
		{"the slot of a node is released", func(p *roster.Policy) { p.Stateful = &roster.Stateful{Retain: true, Release: []string{"web-1"}} }, "web-1"},
		{"a min, of as many nodes as are left to remove", func(p *roster.Policy) { p.Capacity, p.Regions[0].Min = 0, 2 },
			"There is no feasible plan to handle all nodes."},
	} {
		p := plans.Policy(5)
		c.change(&p)
		next, change, err := planner.Plan(r, plans.Running(r), p)
		assert.ErrorContains(t, err, c.want, c.name)
		if plans.Layout(next) != plans.Layout(r) || !change.Empty() {
			t.Errorf("%s: an error changed the roster to %s", c.name, plans.Layout(next))
		}
	}
	p := plans.Policy(1)
	p.Protected = []string{"web-3", "web-0"}
	_, _, err = planner.Plan(r, plans.Running(r), p)
	assert.ErrorContains(t, err, "protect fewer: web-0 is listed as protected, web-3 is listed as protected.")
}

// TestTooFewNumbers: a refusal counts all nodes of the cluster, including the ones that could be removed.
func TestTooFewNumbers(t *testing.T) {
	p := plans.Policy(10)
	p.Regions = []placement.Region{{Bin: plans.Bin("A", 100)}, {Bin: plans.Bin("B", 100)}}
	p.Regions[1].Cap = 2
	r, _, err := planner.Plan(roster.Roster{}, roster.Seen{}, p)
	require.NoError(t, err)
	p.Capacity, p.Regions[0].Min = 1, 3
	for _, c := range []struct {
		name        string
		lost        []string
		unreachable map[string]bool
		want        string
	}{
		{"all in service", nil, nil, "7 can be: A 5 (min 3), B 2."},
		{"some that may leave whatever the mins", []string{"web-0", "web-1"}, nil, "7 can be: A 5 (min 3), B 2."},
		{"one of two regions cannot be reached", nil, map[string]bool{"A": true, "B": false}, "2 can be: A 0 (takes no nodes now, and keeps its nodes), B 2."},
	} {
		seen := plans.Running(r)
		for _, name := range c.lost {
			plans.LoseSeen(seen, name)
		}
		p.Unreachable = c.unreachable
		_, _, err := planner.Plan(r, seen, p)
		var infeasible *placement.InfeasibleError
		require.ErrorAs(t, err, &infeasible, c.name)
		assert.Equal(t, "9 nodes must be removed, but only "+c.want, infeasible.Detail(), c.name)
	}
}

// TestShrinkAtMins: a node that serves, tainted or not, is never removed below a min; a node that does not serve is
// removed first. Nodes of a region that cannot be reached stay.
func TestShrinkAtMins(t *testing.T) {
	nodes := []string{"R/az-1 1", "R/az-2 1", "R/az-2 1", "R/az-2 1"}
	regions := []placement.Region{{Bin: plans.Bin("R", 100), Zones: []placement.Bin{plans.Bin("az-1", 100), plans.Bin("az-2", 300)}}}
	regions[0].Zones[0].Min = 1
	named := func(p *roster.Policy) { p.Candidates = []string{"web-0"} }
	plans.Check(t, planner.Plan, func(p *roster.Policy) { p.Templates = plans.Images("1") }, []plans.Case{
		{Name: "named, at the min", Nodes: nodes, Regions: regions, Capacity: 3, Policy: named, Moves: "-web-0"},
		{Name: "named, and another comes there", Nodes: nodes, Regions: regions, Policy: named, Moves: "+web-4 -web-0"},
		{Name: "tainted, at the min", Nodes: nodes, Regions: regions, Capacity: 3,
			Seen: func(s roster.Seen) { plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Tainted = true }) }, Moves: "-web-1"},
		{Name: "in ERROR, at the min", Nodes: nodes, Regions: regions, Capacity: 3, Broken: "web-0", Moves: "-web-0"},
		{Name: "stopped, above the min", Nodes: nodes, Regions: regions, Capacity: 3,
			Seen: func(s roster.Seen) { plans.ChangeSeen(s, "web-3", func(n *node.Node) { n.Status = "SHUTOFF" }) }, Moves: "-web-3"},
		{Name: "drained", Nodes: nodes, Regions: regions, Capacity: 3,
			Seen: func(s roster.Seen) { plans.ChangeSeen(s, "web-2", func(n *node.Node) { n.Drained = true }) }, Moves: "-web-2"},
	})
	r, p := plans.Cluster(t, nodes...), plans.Policy(3)
	p.Regions, p.Templates, p.Unreachable = regions, plans.Images("1"), map[string]bool{"R": true}
	_, _, err := planner.Plan(r, plans.Running(r), p)
	assert.ErrorAs(t, err, new(*placement.InfeasibleError), "nodes of a region that cannot be reached are removed")
	p = roster.Policy{Name: plans.Web, Capacity: 2, Regions: []placement.Region{{Bin: plans.Bin("A", 1)}, {Bin: plans.Bin("B", 1)}},
		Templates: plans.Images("2"),
		Update:    plans.Update("2", roster.Outdated), Unreachable: map[string]bool{"B": true}}
	r = plans.Cluster(t, "A 1", "B 1")
	_, change, err := planner.Plan(r, plans.Running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "+web-2 -web-0", plans.Moves(change), "an update")
	assert.Contains(t, change.Held(hold.Closed)[0].Reason, "; B cannot be reached")
	p.Candidates = []string{"web-1"}
	_, _, err = planner.Plan(r, plans.Running(r), p)
	assert.ErrorContains(t, err, "its region cannot be reached")
	p.Regions[1].Maintenance = true // the operator knows that the region is lost
	next, _, err := planner.Plan(r, plans.Running(r), p)
	require.NoError(t, err)
	assert.NotContains(t, next.Nodes, "web-1")
}

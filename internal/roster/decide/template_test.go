package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRevert has plans after the given template failed.
func TestRevert(t *testing.T) {
	zone := placement.Place{Region: "RegionTwo", Zone: "az-1"}
	second := placement.Region{Bin: plans.Bin("RegionTwo", 100), Zones: []placement.Bin{plans.Bin("az-1", 100)}}
	for _, c := range []struct {
		name      string
		change    func(*roster.Roster, *roster.Policy)
		moves     string
		remaining int64
		status    string // status before the plan
		says      string
	}{
		{name: "the settled one is wanted again", change: func(*roster.Roster, *roster.Policy) {}, moves: "+web-4 -web-1 ~web-0",
			status: "reverted: the template of web-0 failed, 2 nodes go back",
			says:   "it has image b, new nodes get a. 2 nodes go back: web-0, web-1."},
		{name: "also a canary, to the last node", change: func(_ *roster.Roster, p *roster.Policy) {
			p.Update.Target, p.Update.BatchSize = plans.Amount("25%"), plans.Amount("1")
		},
			moves: "~web-0", remaining: 1, status: "reverted: the template of web-0 failed, 2 nodes go back", says: "2 nodes go back"},
		{name: "one node has it", change: func(r *roster.Roster, _ *roster.Policy) {
			plans.ChangeRoster(*r, "web-1", func(n *roster.Node) { n.Template, n.Mark = plans.Image("a"), roster.FirstMark(plans.Image("a")) })
		}, moves: "~web-0", status: "reverted: the template of web-0 failed, 1 node goes back", says: "1 node goes back: web-0."},
		{name: "no node has it any more", change: func(r *roster.Roster, _ *roster.Policy) {
			plans.ChangeRoster(*r, "web-0 web-1", func(n *roster.Node) { n.Template, n.Mark = plans.Image("a"), roster.FirstMark(plans.Image("a")) })
		}, status: "reverted: the template of web-0 failed", says: "No node has the failed one any more."},
		{name: "another template is wanted as any", change: func(_ *roster.Roster, p *roster.Policy) { p.Templates = plans.Images("c") },
			moves:     "+web-4 -web-1 ~web-0",
			remaining: 2, status: "behind: 4 of 4 nodes to replace"},
		{name: "the settled one is not failed", change: func(r *roster.Roster, p *roster.Policy) {
			r.Failed[0].Template, p.Templates = plans.Image("a").Hash(), plans.Images("a")
		},
			moves: "+web-4 -web-1 ~web-0", status: "behind: 2 of 4 nodes to replace"},
		{name: "without revert_after nothing failed", change: func(_ *roster.Roster, p *roster.Policy) { p.Update.RevertAfter = 0 },
			moves: "+web-4 -web-2", remaining: 1, status: "behind: 2 of 4 nodes to replace"},
		{name: "nothing is settled: it holds", change: func(r *roster.Roster, _ *roster.Policy) { r.Settled = nil }, remaining: 2,
			status: "held: the template of web-0 failed, and there is no settled one to go back to", says: "There is no settled template to go back to"},
		{name: "the template of one place takes all back", change: func(r *roster.Roster, p *roster.Policy) {
			p.Templates, p.Regions = roster.NewTemplates(map[placement.Place]roster.Template{{}: plans.Image("b"), zone: plans.Image("z")}), append(p.Regions,
				second)
			r.Failed[0].Template = plans.Image("z").Hash()
		}, moves: "+web-4 -web-1 ~web-0",
			status: "reverted: the template of web-0 failed, 2 nodes go back", says: "it has image z, new nodes get a. 2 nodes go back"},
		{name: "but not of one that is not listed any more", change: func(r *roster.Roster, p *roster.Policy) {
			p.Templates = roster.NewTemplates(map[placement.Place]roster.Template{{}: plans.Image("b"), {Region: "RegionThree"}: plans.Image("z")})
			r.Failed[0].Template = plans.Image("z").Hash()
		}, moves: "+web-4 -web-2", remaining: 1, status: "behind: 2 of 4 nodes to replace"},
		{name: "a place without a settled template keeps its own", change: func(r *roster.Roster, p *roster.Policy) {
			p.Templates = roster.NewTemplates(map[placement.Place]roster.Template{{Region: "RegionOne"}: plans.Image("b"),
				{Region: "RegionTwo"}: plans.Image("z")})
			p.Capacity, r.Settled = 6, roster.Templates{{Region: "RegionOne"}: plans.Image("a")}
			p.Regions[0].Cap, p.Regions = 4, append(p.Regions, second)
		}, moves: "+web-4 +web-5 +web-6 -web-1 ~web-0",
			status: "reverted: the template of web-0 failed, 2 nodes go back", says: "2 nodes go back"},
	} {
		r, seen, policy := plans.Halfway()
		r.Failed = []roster.Failure{{Template: plans.Image("b").Hash(), Node: "web-0", After: 42 * time.Minute}}
		c.change(&r, &policy)
		_, change, err := planner.Plan(r, seen, policy)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.moves, plans.Moves(change), c.name)
		assert.Equal(t, c.remaining, change.Remaining, c.name)
		assert.Equal(t, c.status, change.Now, c.name)
		var texts []string
		for _, n := range change.Notices {
			if n.Title == "The template failed, and the settled one is wanted again" || n.Title == "The template failed, and there is none to go back to" {
				texts = append(texts, n.Text)
			}
		}
		all := strings.Join(texts, "\n")
		if !strings.Contains(all, c.says) || (all == "") != (c.says == "") ||
			all != "" && !strings.Contains(all, "The template of web-0 failed: its server had run for 42m when a wait for it ended") {
			t.Errorf("%s: %q", c.name, all)
		}
	}
}

// TestTemplateOfARegion: a changed image of one region makes only its nodes
// outdated, and a node that comes to a place gets that place's template.
func TestTemplateOfARegion(t *testing.T) {
	p := plans.Policy(6)
	p.Templates = plans.Images("a")
	r := plans.Six(t, plans.Image("a"))
	p.Templates[placement.Place{Region: "RegionTwo"}] = plans.Image("b")
	p.Update = plans.Update("6", roster.Misplaced, roster.Outdated)
	next, change, err := planner.Plan(r, plans.Running(r), p)
	const want = "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-6@b web-7@b; RegionTwo/az-2: web-8@b"
	if err != nil || plans.Layout(next) != want {
		t.Errorf("got %s, %v, want %s", plans.Layout(next), err, want)
	}
	assert.Equal(t, `replaced (TEMPLATE) in RegionTwo/az-1: it has image a, new nodes get b`, change.With(verdict.Leaves)[0].Reason)
	p.Regions[0].Zones = p.Regions[0].Zones[:2] // so web-2 moves
	p.Regions[0].Weight = 1
	next, _, err = planner.Plan(plans.Gone(next), plans.Running(next), p)
	require.NoError(t, err)
	for _, name := range next.Names() {
		assert.Equal(t, p.Templates.At(next.Nodes[name].Place), next.Nodes[name].Template, name)
	}
	delete(p.Templates, placement.Place{Region: "RegionTwo"}) // so its nodes go back to the template for all
	back, _, err := planner.Plan(plans.Gone(next), plans.Running(next), p)
	require.NoError(t, err)
	for _, name := range back.Names() {
		assert.Equal(t, plans.Image("a"), back.Nodes[name].Template, name)
	}
	p.Templates = roster.Templates{{Region: "RegionOne"}: plans.Image("a")} // so RegionTwo has no template
	_, _, err = planner.Plan(next, plans.Running(next), p)
	assert.ErrorContains(t, err, "made from a template, so it cannot be removed")
}

// TestOtherMarks: after an import in the middle of a rollout, the marks show which nodes have which template.
func TestOtherMarks(t *testing.T) {
	r := plans.Six(t, "")
	seen := plans.Running(r)
	for i, name := range r.Names() {
		n := r.Nodes[name]
		n.Mark = roster.MarkOf(int64(i+1), plans.Image("a"))
		if i >= 4 {
			n.Mark = roster.MarkOf(int64(i+1), plans.Image("b"))
		}
		r.Nodes[name] = n
		plans.ChangeSeen(seen, name, func(s *node.Node) { s.InService = string(n.Mark) })
	}
	p := plans.Policy(6)
	p.Templates, p.RequireMarks, p.Update = plans.Images("b"), true, plans.Update("2", roster.Outdated)
	next, change, err := planner.Plan(r, seen, p)
	require.NoError(t, err)
	require.Equal(t, []string{"The first template is taken for what all nodes were made from", "Nodes carry the mark of another template"},
		plans.Titles(change.Notices)[:2])
	assert.Equal(t, "web-0 web-3", plans.Listed(change.With(verdict.Leaves)), "replaced")
	if n := next.Nodes["web-5"]; n.Mark != roster.MarkOf(6, plans.Image("b")) || n.Template != plans.Image("b") {
		t.Errorf("web-5 was made from the template, and has %+v", n)
	}
	if n := next.Nodes["web-1"]; n.Template != "" || n.Mark != roster.MarkOf(2, plans.Image("a")) {
		t.Errorf("web-1 was made from another template, and has %+v", n)
	}
}

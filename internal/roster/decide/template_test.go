package decide_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	assert.Equal(t, `replaced (TEMPLATE): it has image a, new nodes get b`, change.With(verdict.Leaves)[0].Reason)
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

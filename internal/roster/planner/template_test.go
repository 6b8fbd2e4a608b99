package planner

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMark has the vectors of the documentation: the hash is the first 8 digits of
//
//	printf '%s' '{"flavor":"m1.small","image":"ubuntu-24.04"}' | sha256sum
func TestMark(t *testing.T) {
	for _, c := range []struct {
		values map[string]string
		text   string
		want   roster.Mark
	}{
		{nil, ``, "1"},
		{map[string]string{"image": "ubuntu-24.04", "flavor": "m1.small"}, `{"flavor":"m1.small","image":"ubuntu-24.04"}`, "1-bba4aa57"},
		{map[string]string{"a": "<b> & \"c\"\n"}, `{"a":"<b> & \"c\"\n"}`, "1-95395458"},
	} {
		template := roster.NewTemplate(c.values)
		if string(template) != c.text || roster.FirstMark(template) != c.want {
			t.Errorf("got %s, %s, want %s, %s", template, roster.FirstMark(template), c.text, c.want)
		}
		if again := roster.NewTemplate(template.Values()); again != template {
			t.Errorf("%s becomes %s", template, again)
		}
	}
	b := image("b")
	for got, want := range map[roster.Mark]roster.Mark{
		roster.Mark("7-00000000").Next(b):  roster.Mark("8-" + b.Hash()),
		roster.Mark("7-00000000").Next(""): "8",
		roster.Mark("no mark").Next(""):    "1",
		roster.Mark("3").With(b):           roster.Mark("3-" + b.Hash()),
	} {
		assert.Equal(t, want, got)
	}
	if !roster.Mark("3").Matches(b) || !roster.FirstMark(b).Matches(b) || roster.Mark("3-00000000").Matches(b) {
		t.Error("a mark is of the template whose hash it has, and without a hash of any")
	}
}

func TestDiffers(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, c := range []struct {
		has, wants map[string]string
		want       string
	}{
		{map[string]string{"image": "a", "flavor": "f"}, map[string]string{"image": "b", "flavor": "f"}, `it has image a, new nodes get b`},
		{map[string]string{"image": "a"}, map[string]string{"flavor": "f"}, `it has no flavor, new nodes get f; image a, new nodes have none`},
		{nil, map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"},
			`it has no a, new nodes get 1; no b, new nodes get 2; no c, new nodes get 3; 1 more values differ`},
		{map[string]string{"a": long}, map[string]string{"a": "b"}, `it has a ` + long[:80] + `..., new nodes get b`},
	} {
		assert.Equal(t, c.want, say.Differs(roster.NewTemplate(c.has), roster.NewTemplate(c.wants)))
	}
}

// TestTemplates: the template of a place overrides the template of its region, and both override the template for all
// places.
func TestTemplates(t *testing.T) {
	values := func(list ...string) roster.Template {
		m := map[string]string{}
		for i := 0; i < len(list); i += 2 {
			m[list[i]] = list[i+1]
		}
		return roster.NewTemplate(m)
	}
	templates := roster.NewTemplates(roster.Templates{
		{}:                           values("image", "a", "flavor", "f"),
		{Region: "R1"}:               values("image", "b"),
		{Region: "R1", Zone: "az-1"}: values("flavor", "g", "network", "n"),
		{Region: "R2", Zone: "az-1"}: values("flavor", "h"),
	})
	for at, want := range map[placement.Place]roster.Template{
		{Region: "R1"}:               values("image", "b", "flavor", "f"),
		{Region: "R1", Zone: "az-1"}: values("image", "b", "flavor", "g", "network", "n"),
		{Region: "R1", Zone: "az-2"}: values("image", "b", "flavor", "f"),
		{Region: "R2", Zone: "az-1"}: values("image", "a", "flavor", "h"),
		{Region: "R3", Zone: "az-1"}: values("image", "a", "flavor", "f"),
	} {
		assert.Equal(t, want, templates.At(at), "%s", at)
	}
	if got := (roster.Templates{}).At(placement.Place{Region: "R1", Zone: "az-1"}); got != "" {
		t.Errorf("without templates: %s", got)
	}
}

// TestTemplateOfARegion: a changed image of one region makes only its nodes
// outdated, and a node that comes to a place gets that place's template.
func TestTemplateOfARegion(t *testing.T) {
	p := policy(6)
	p.Templates = images("a")
	r := six(t, image("a"))
	p.Templates[placement.Place{Region: "RegionTwo"}] = image("b")
	p.Update = update("6", roster.Misplaced, roster.Outdated)
	next, change, err := Plan(r, running(r), p)
	const want = "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-6@b web-7@b; RegionTwo/az-2: web-8@b"
	if err != nil || layout(next) != want {
		t.Errorf("got %s, %v, want %s", layout(next), err, want)
	}
	assert.Equal(t, `replaced (TEMPLATE) in RegionTwo/az-1: it has image a, new nodes get b`, change.With(verdict.Leaves)[0].Reason)
	p.Regions[0].Zones = p.Regions[0].Zones[:2] // so web-2 moves
	p.Regions[0].Weight = 1
	next, _, err = Plan(gone(next), running(next), p)
	require.NoError(t, err)
	for _, name := range next.Names() {
		assert.Equal(t, p.Templates.At(next.Nodes[name].Place), next.Nodes[name].Template, name)
	}
	delete(p.Templates, placement.Place{Region: "RegionTwo"}) // so its nodes go back to the template for all
	back, _, err := Plan(gone(next), running(next), p)
	require.NoError(t, err)
	for _, name := range back.Names() {
		assert.Equal(t, image("a"), back.Nodes[name].Template, name)
	}
	p.Templates = roster.Templates{{Region: "RegionOne"}: image("a")} // so RegionTwo has no template
	_, _, err = Plan(next, running(next), p)
	assert.ErrorContains(t, err, "made from a template, so it cannot be removed")
}

// TestOtherMarks: after an import in the middle of a rollout, the marks show which nodes have which template.
func TestOtherMarks(t *testing.T) {
	r := six(t, "")
	seen := running(r)
	for i, name := range r.Names() {
		n := r.Nodes[name]
		n.Mark = roster.MarkOf(int64(i+1), image("a"))
		if i >= 4 {
			n.Mark = roster.MarkOf(int64(i+1), image("b"))
		}
		r.Nodes[name] = n
		changeSeen(seen, name, func(s *node.Node) { s.InService = string(n.Mark) })
	}
	p := policy(6)
	p.Templates, p.RequireMarks, p.Update = images("b"), true, update("2", roster.Outdated)
	next, change, err := Plan(r, seen, p)
	require.NoError(t, err)
	require.Equal(t, []string{"The first template is taken for what all nodes were made from", "Nodes carry the mark of another template"},
		titles(change.Notices)[:2])
	assert.Equal(t, "web-0 web-3", listed(change.With(verdict.Leaves)), "replaced")
	if n := next.Nodes["web-5"]; n.Mark != roster.MarkOf(6, image("b")) || n.Template != image("b") {
		t.Errorf("web-5 was made from the template, and has %+v", n)
	}
	if n := next.Nodes["web-1"]; n.Template != "" || n.Mark != roster.MarkOf(2, image("a")) {
		t.Errorf("web-1 was made from another template, and has %+v", n)
	}
}

// TestLargeTemplate: a plan reads a template of 1,000 keys a few times, and not for each of 1,000 nodes, which would
// take 6,000,000 allocations. The next plan, in which each other node waits for the batch, lists the batch once.
func TestLargeTemplate(t *testing.T) {
	r, seen, p := largeRollout(t, 1_000, largeTemplates()["keys=1000"])
	if n := testing.AllocsPerRun(1, func() {
		next, change, err := Plan(learn.Learn(r, seen, p), seen, p)
		if err != nil || change.Replaced() == 0 {
			t.Error(change.Replaced(), err)
		}
		if _, change, err = Plan(next, seen, p); err != nil || change.Replaced() > 0 {
			t.Error(change.Replaced(), err)
		}
	}); n > 350_000 { // four plans: each is followed by the one that its status is from
		t.Errorf("%.0f allocations", n)
	}
}

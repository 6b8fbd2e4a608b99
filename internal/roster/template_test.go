package roster_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
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
		if string(template) != c.text || roster.MarkOf(1, template) != c.want {
			t.Errorf("got %s, %s, want %s, %s", template, roster.MarkOf(1, template), c.text, c.want)
		}
		if again := roster.NewTemplate(template.Values()); again != template {
			t.Errorf("%s becomes %s", template, again)
		}
	}
	b := plans.Image("b")
	for got, want := range map[roster.Mark]roster.Mark{
		roster.Mark("7-00000000").Next(b):  roster.Mark("8-" + b.Hash()),
		roster.Mark("7-00000000").Next(""): "8",
		roster.Mark("no mark").Next(""):    "1",
		roster.Mark("3").With(b):           roster.Mark("3-" + b.Hash()),
	} {
		assert.Equal(t, want, got)
	}
	if !roster.Mark("3").Matches(b) || !roster.MarkOf(1, b).Matches(b) || roster.Mark("3-00000000").Matches(b) {
		t.Error("a mark is of the template whose hash it has, and without a hash of any")
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
		{Region: "R1", Zone: "az-3"}: "",
		{Region: "R3"}:               values("image", "a"),
		{Region: "R3", Zone: "az-1"}: values("flavor", "f"),
	})
	assert.Len(t, templates, 4, "places whose template is another than around them")
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

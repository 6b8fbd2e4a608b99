package placementtf_test

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
)

// TestPlacementChange: the change has what a plan adds, removes and changes in
// place, and null for what it does not. The first nodes are not named: they are
// all in nodes.
func TestPlacementChange(t *testing.T) {
	t.Parallel()
	template := func(size int, image string) protocol.Attributes {
		return zonal(size, "az-1", protocol.Attributes{"deletion": oldestFirst["deletion"], "template": protocol.Attributes{"image": image},
			"update": protocol.Attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "1", "method": "IN_PLACE"}})
	}
	a := attach(t, template(2, "a"))
	holds := func(step, created, deleted, inPlace string) {
		t.Helper()
		change := protocol.Object(protocol.Elements(protocol.Object(a.I.State)["change"])[0])
		for part, want := range map[string]string{"creation": created, "deletion": deleted, "in_place": inPlace} {
			if change[part].IsNull() != (want == "null") {
				t.Errorf("%s: %s is %s", step, part, change[part])
				continue
			}
			if want == "null" {
				continue
			}
			names := protocol.Object(change[part])["nodes"]
			if part == "deletion" {
				names = protocol.Object(change[part])["candidates"]
			}
			var list []string
			for _, name := range protocol.Elements(names) {
				list = append(list, protocol.Text(name))
			}
			assert.Equal(t, want, strings.Join(list, " "), "%s: %s names", step, part)
		}
	}
	holds("create", "", "null", "null")
	a.server("web-0", "az-1", 2, nil)
	a.server("web-1", "az-1", 1, nil)
	a.Look(t)
	a.Must(t, template(4, "a"))
	holds("grow", "web-2 web-3", "null", "null")
	a.server("web-2", "az-1", 0, nil)
	a.Look(t)
	a.Must(t, template(3, "a"))
	holds("shrink", "null", "web-3", "null") // which has no server
	a.Must(t, template(3, "b"))
	holds("another template", "null", "null", "web-0")
}

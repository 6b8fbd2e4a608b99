package requesttf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestOneFaultOneError: what is wrong with a request is said once, and nothing
// that only follows from it.
func TestOneFaultOneError(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	w := c.Workspace(t, "")
	for _, bad := range []struct{ kind, request, want string }{
		{"zone", "resize {}", "Nothing is requested: give one of scale_out, scale_in, resize and node_create, or another policy's decision."},
		{"deletion", "delete_nodes {}", `Attribute "delete_nodes.candidates" must be specified when "delete_nodes" is specified`},
		{"deletion", "", "Nothing is requested: give one of scale_in, resize and delete_nodes, or another policy's decision."},
	} {
		zones := "zones = [{ name = \"az-1\" }]"
		if bad.kind == "deletion" {
			zones = ""
		}
		config := fmt.Sprintf("data \"stackpolicy_%s_plan\" \"p\" {\n  nodes = []\n  %s\n  %s\n}\n", bad.kind, zones, bad.request)
		if err := w.Write(config); err != nil {
			t.Fatal(err)
		}
		said, err := w.Run(t.Context(), "plan", "-no-color")
		said = fmt.Sprint(said, err)
		if n := strings.Count(said, "Error: "); n != 1 || !acctest.Says(bad.want).MatchString(said) {
			t.Errorf("%s: %d errors, want one that says %q:\n%s", bad.request, n, bad.want, said)
		}
	}
}

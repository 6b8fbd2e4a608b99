package placementtf_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wired returns a cluster of four nodes whose blocks refer to each other as they should.
func wired(c *acctest.Cloud, places, version, flavor, health string) string {
	return acctest.Placement(c, 4, places, fmt.Sprintf(`
  template = { version = %q, flavor = %q }
  update {
    causes         = ["TEMPLATE", "UNHEALTHY"]
    max_batch_size = 2
  }`, version, flavor)) + acctest.Servers(fmt.Sprintf(`
  image_id     = %q
  flavor_id    = each.value.template.flavor
  network_mode = "none"
  metadata     = { version = each.value.template.version }
  %s`, c.Image, acctest.First)) +
		acctest.Drained("node_name = each.key\n  grace_period = \"1s\"\n  "+acctest.First) +
		acctest.Awaited(c, "http {\n    url = \""+health+"/{name}\"\n  }")
}

// wires lists references between blocks that a user may forget, and their cost: the text that each command prints ("!": as an
// error, "~": does not print), and the number of servers of each version after it. The plans are of package wiring.
var wires = []struct {
	name     string
	cut, put string // a text of the configuration, and its replacement until it is repaired
	steps    [][3]string
}{
	{"the name", "= each.key\n", "= \"${each.key}x\"\n", [][3]string{{"a", "!Write name = each.key", ""}, {"repaired a", "", "a:4"}}},
	{"the region", "= each.value.region\n", "= \"REGION\"\n", [][3]string{{"a", "!Write region = each.value.region", ""}}},
	{"a value of its template", "each.value.template.flavor", "\"FLAVOR\"", [][3]string{
		{"a", "", "a:4"},
		{"b", "!Nodes with different templates get one image or flavor", "a:4"},
		{"repaired b", "Plan: 4 to add, 2 to change, 4 to destroy", "a:2 b:2"},
	}},
	{"replace_triggered_by", "max_batch_size = 2", "max_batch_size = 2\n    method = \"RECREATE\"", [][3]string{
		{"a", "", "a:4"},
		{"c", "!Write replace_triggered_by", "a:4"},
		{"repaired c", "the update begins with the next apply", "a:4"},
		{"repaired c", "Plan: 4 to add, 2 to change, 4 to destroy", "a:2 c:2"},
	}},
	{"ignore_changes", "network_mode = \"none\"", "network_mode = \"none\"\n  user_data = \"x\"", [][3]string{
		{"repaired a", "", "a:4"},
		{"a", "!Servers change outside of the batch", "a:4"},
		{"repaired a", "No changes.", "a:4"},
	}},
	{"create_before_destroy of the deletion attachments", "\"1s\"\n  " + acctest.First, "\"1s\"", [][3]string{
		{"a", "", "a:4"},
		{"b", "!Error: A drain would begin too early", "a:4"},
		{"b", "!the readiness attachment has not found them in service yet", "a:4"},
		{"repaired -refresh-only", "", "a:4"},
		{"repaired b", "Plan: 4 to add, 2 to change, 4 to destroy", "a:2 b:2"},
	}},
	{"the readiness attachment", "readiness_attachment\" \"web\" {", "readiness_attachment\" \"web\" {\n  count = 0", [][3]string{
		{"a", "", "a:4"},
		{"b", "wiring: no readiness attachment marks the servers", "a:4"},
		{"repaired b", "", "a:4"},
		{"repaired b", "Plan: 4 to add, 2 to change, 4 to destroy", "a:2 b:2"},
	}},
	{"a part of the nodes of the readiness attachment", "= stackpolicy_placement_attachment.web.nodes\n  servers    = openstack_compute_instance_v2.web\n",
		"= { for k, n in stackpolicy_placement_attachment.web.nodes : k => n if n.region == \"REGION\" }\n" +
			"  servers    = { for k, s in openstack_compute_instance_v2.web : k => s if s.region == \"REGION\" }\n", [][3]string{
			{"a", "Warning: Nodes are not waited for", "a:4"},
			{"b", "!Error: Nodes are not waited for", "a:4"},
			{"b", "!without a filter, and all of the servers", "a:4"},
			{"repaired b", "Plan: 4 to add, 2 to change, 4 to destroy", "a:2 b:2"},
			{"repaired b", "", "b:4"},
			{"repaired b", "No changes.", "b:4"},
		}},
	{"the cluster of the readiness attachment", "readiness_attachment\" \"web\" {\n  cluster    = \"NAME\"",
		"readiness_attachment\" \"web\" {\n  cluster    = \"shop\"",
		[][3]string{{"a", "!Nodes of another cluster", ""}, {"a", "!Write cluster = \"NAME\"", ""}, {"repaired a", "", "a:4"}}},
	{"the cluster of the deletion attachments", "node_name = each.key", "node_name = each.key\n  cluster = \"shop\"",
		[][3]string{{"a", "!Nodes of another cluster", ""}, {"a", "!Write cluster = \"NAME\"", ""}, {"repaired a", "", "a:4"}}},
	{"an attachment that is made again", "", "", [][3]string{
		{"a", "", "a:4"},
		{"-replace=stackpolicy_deletion_attachment.web[\"NAME0\"]", "!Error: Servers that stay would be drained", "a:4"},
		{"taint", "", "a:4"},
		{"a", "!If the attachment is tainted, run terraform untaint", "a:4"},
		{"untaint", "", "a:4"},
		{"a", "No changes.", "a:4"},
	}},
	{"a cluster of its own", "resource \"openstack", "resource \"stackpolicy_placement_attachment\" \"too\" {\n  cluster = \"NAME\"\n" +
		"  node_name_pattern = \"{cluster}{index}\"\n  desired_capacity = 1\n  PLACES\n}\nresource \"openstack", [][3]string{
		{"a", "!Error: Two attachments give the same names", ""},
		{"repaired a", "", "a:4"},
	}},
}

// TestAccWires: the first command that can see a loose wire names it. The wire costs no server, or one batch; when it is
// repaired, the rollout goes on.
func TestAccWires(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	for _, row := range wires {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := acctest.New(t, fakecloud.Config{})
			health := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			t.Cleanup(health.Close)
			regions, flavors := c.Regions(t), c.TwoFlavors(t)
			zones := c.Zones(t, regions[0])[:2]
			places := acctest.Places(fmt.Sprintf("%s: %s; %s: %s", regions[0], strings.Join(zones, " "), regions[1], zones[0]))
			fill := strings.NewReplacer("NAME", c.Prefix, "PLACES", "regions = "+places, "FLAVOR", flavors[0][0], "REGION", regions[0])
			version, w := "a", c.Workspace(t, "")
			for i, step := range row.steps {
				do, repaired := strings.CutPrefix(step[0], "repaired ")
				args := []string{"apply", "-auto-approve", "-input=false", "-no-color"}
				switch {
				case strings.HasSuffix(do, "taint"):
					args = []string{do, fill.Replace("stackpolicy_deletion_attachment.web[\"NAME0\"]")}
				case strings.HasPrefix(do, "-"):
					args = append(args, fill.Replace(do))
				default:
					version = do
				}
				config := wired(c, places, version, flavors[map[string]int{"b": 1}[version]][0], health.URL)
				if !repaired && row.cut != "" {
					require.Contains(t, config, fill.Replace(row.cut))
					config = strings.Replace(config, fill.Replace(row.cut), fill.Replace(row.put), 1)
				}
				require.NoError(t, w.Write(config))
				said, err := w.Run(t.Context(), args...)
				if err != nil {
					said = err.Error()
				}
				says, fails := strings.CutPrefix(fill.Replace(step[1]), "!")
				says, not := strings.CutPrefix(says, "~")
				if fails != (err != nil) || acctest.Says(says).MatchString(said) == not {
					t.Errorf("%d, %s: said\n%s\nwant %q", i, step[0], said, says)
				}
				assert.Equal(t, step[2], c.Versions(t), "%d, %s: servers", i, step[0])
			}
		})
	}
}

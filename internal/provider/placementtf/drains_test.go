package placementtf_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAccPlacementDrains: a plan that destroys the deletion attachments of nodes that stay warns of it. Nodes that leave
// are drained without a word, and so is all that is destroyed. A server group of servers that are destroyed is no news.
func TestAccPlacementDrains(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	health := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(health.Close)
	regions, flavors := c.Regions(t), c.TwoFlavors(t)
	places := acctest.Places(fmt.Sprintf("%s: %s; %s: %s", regions[0], c.Zones(t, regions[0])[0], regions[1], c.Zones(t, regions[1])[0]))
	config := strings.Replace(wired(c, places, "a", flavors[0][0], health.URL), `network_mode = "none"`, `network_mode = "none"
  scheduler_hints {
    group = stackpolicy_affinity_attachment.web[each.value.region].servergroup_id
  }`, 1) + fmt.Sprintf(`
resource "stackpolicy_affinity_attachment" "web" {
  for_each = toset([%q, %q])
  region   = each.key
  servergroup {
    name     = %q
    policies = "soft-anti-affinity"
  }
}`, regions[0], regions[1], c.Prefix)
	w := c.Workspace(t, config)
	acctest.Apply(t, w)
	plan := func(name, from, to string, want []string, args ...string) {
		t.Helper()
		require.Contains(t, config, from)
		require.NoError(t, w.Write(strings.Replace(config, from, to, 1)))
		said := acctest.Must(t, w, append([]string{"plan", "-input=false", "-no-color"}, args...)...)
		var warnings []string
		for line := range strings.SplitSeq(said, "\n") {
			if warning, is := strings.CutPrefix(line, "Warning: "); is {
				warnings = append(warnings, warning)
			}
		}
		slices.Sort(warnings)
		assert.Equal(t, want, warnings, name)
		assert.Equal(t, slices.Contains(want, "Servers will be drained"), strings.Contains(said, "deletion_attachment.NEW_NAME"), name)
	}
	const count, each = "desired_capacity  = 4", "for_each  = openstack_compute_instance_v2.web"
	plan("a destroy", count, count, nil, "-destroy")
	plan("a shrink", count, "desired_capacity  = 3", nil)
	plan("a batch", `version = "a"`, `version = "b"`, nil)
	none := each[:len("for_each  = ")] + "{ for name, s in " + each[len("for_each  = "):] + " : name => s if false }"
	plan("other keys", each, none, []string{"Servers will be drained"})
	c.Kill(t, regions[0], c.In(t, regions[0])[0].ID)
	plan("a shrink by a server that is gone", count, "desired_capacity  = 3", nil)
}

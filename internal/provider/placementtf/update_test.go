package placementtf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// updates returns an update block.
func updates(lines ...string) string {
	return "update {\n    require_in_service = false\n    " + strings.Join(lines, "\n    ") + "\n  }"
}

// inPlace returns a cluster of openstack_compute_instance_v2 with a template of an
// image and a flavor, which the servers take over in place.
func inPlace(c *acctest.Cloud, region string, zones []string, image, flavor string) string {
	template := fmt.Sprintf("template = { image = %q, flavor = %q }\n  ", image, flavor)
	return acctest.Placement(c, 4, acctest.Places(region+": "+strings.Join(zones, " ")),
		template+updates(`causes = ["TEMPLATE"]`, "max_batch_size = 2", `method = "IN_PLACE"`)) + acctest.Servers(`
  image_id     = each.value.template.image
  flavor_id    = each.value.template.flavor
  network_mode = "none"`)
}

// rolling is a cluster whose servers keep their names and their places in a rollout.
type rolling struct {
	acctest.Loop
	before        map[string]servers.Server
	image, flavor string // new image and flavor
}

// step applies a configuration, and compares the numbers of servers that were made again, of servers of the new image,
// and of servers of the new flavor.
func (r *rolling) step(t *testing.T, name, config string, want ...int) {
	t.Helper()
	require.NoError(t, r.Write(config))
	text, got, after := acctest.Apply(t, r.Workspace), make([]int, 3), r.Cloud.Servers(t)
	for node, s := range after {
		for i, is := range []bool{s.ID != r.before[node].ID, s.Image["id"] == r.image, s.Flavor["original_name"] == r.flavor} {
			if is {
				got[i]++
			}
		}
		assert.Equal(t, r.before[node].AvailabilityZone+" ACTIVE", s.AvailabilityZone+" "+s.Status, "%s: %s", name, node)
	}
	assert.Equal(t, want, got, "%s: servers made again, of the new image, of the new flavor\n%s", name, text)
	assert.Len(t, r.Cloud.AllServers(t), len(r.before), name)
	r.before = after
}

// TestAccRolloutInPlace: with IN_PLACE each apply rebuilds or resizes one batch of
// servers, and all keep their ids, names and zones.
func TestAccRolloutInPlace(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zones := c.Zones(t, region)
	if len(zones) < 2 {
		t.Skipf("needs two zones, and %s has %v", region, zones)
	}
	images, flavors := c.TwoImages(t), c.TwoFlavors(t)
	config := func(image, flavor int) string {
		return inPlace(c, region, zones[:2], images[image][0], flavors[flavor][0])
	}
	r := rolling{Loop: acctest.Loop{Workspace: c.Workspace(t, config(0, 0)), Cloud: c}, image: images[1][0], flavor: flavors[1][1]}
	acctest.Apply(t, r.Workspace)
	r.before = c.Servers(t)
	r.step(t, "the first batch is rebuilt", config(1, 0), 0, 2, 0)
	r.step(t, "the second", config(1, 0), 0, 4, 0)
	r.step(t, "the first batch is resized", config(1, 1), 0, 4, 2)
	r.step(t, "the second", config(1, 1), 0, 4, 4)
	r.Settled(t, "resized")
}

package placementtf_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestAccPlacementUnknown: if only the template is unknown, a new attachment knows its nodes.
func TestAccPlacementUnknown(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	w := c.Workspace(t, "resource \"terraform_data\" \"made\" {\n  input = { image = \"one\" }\n}\n"+
		web(c, fmt.Sprintf("regions = [{ name = %q }]", c.Regions(t)[0]), "template = terraform_data.made.output", "desired_capacity = 2")+`
resource "terraform_data" "node" {
  for_each = stackpolicy_placement_attachment.web.nodes
  input    = each.value.template.image
}
`)
	acctest.Apply(t, w)
	images := []any{}
	for _, node := range acctest.Resources(t, w, "terraform_data") {
		images = append(images, node["output"])
	}
	assert.ElementsMatch(t, []any{map[string]any{"image": "one"}, "one", "one"}, images)
	acctest.Loop{Workspace: w}.Settled(t, "applied")
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

// recreated returns three nodes whose servers are destroyed first and made again.
func recreated(c *acctest.Cloud, region string, zones []string, image, more string) string {
	update := updates(`causes = ["TEMPLATE", "UNHEALTHY"]`, "max_batch_size = 1", `method = "RECREATE"`)
	return acctest.Placement(c, 3, acctest.Places(region+": "+strings.Join(zones, " ")),
		fmt.Sprintf("template = { image = %q }\n  %s\n  %s", image, update, more)) +
		acctest.Generations + acctest.Servers(fmt.Sprintf(`
  image_id     = each.value.template.image
  flavor_id    = %q
  network_mode = "none"
  lifecycle {
    %s
  }`, c.Flavor, acctest.Again))
}

// TestAccRolloutRecreate: with RECREATE each apply destroys the server of one node and
// makes it again under its name and in its place; there are never more servers than
// nodes. While a node is broken, the update repairs it and takes no other node. A
// candidate is made again once.
func TestAccRolloutRecreate(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zones, images := c.Zones(t, region), c.TwoImages(t)
	r := rolling{Loop: acctest.Loop{Workspace: c.Workspace(t, recreated(c, region, zones, images[0][0], "")), Cloud: c}, image: images[1][0]}
	acctest.Apply(t, r.Workspace)
	r.before = c.Servers(t)
	next := recreated(c, region, zones, images[1][0], "")
	r.step(t, "the first", next, 1, 1, 0)
	// Any of the other nodes may be tainted. A real cloud decides which node was the first, by the ids of servers.
	old := slices.DeleteFunc(slices.Collect(maps.Values(r.before)), func(s servers.Server) bool { return s.Image["id"] != images[0][0] })
	c.Mark(t, region, old[0].ID, "stackpolicy_tainted", "yes")
	r.step(t, "the tainted one, and no other", next, 1, 2, 0)
	r.step(t, "the last", next, 1, 3, 0)
	named := recreated(c, region, zones, images[1][0], fmt.Sprintf("deletion {\n candidates = [%q]\n}", c.Prefix+slices.Sorted(maps.Keys(r.before))[0]))
	r.step(t, "a candidate", named, 1, 3, 0)
	r.step(t, "once", named, 0, 3, 0)
	r.Settled(t, "once")
}

// TestAccRolloutFullZone: a server for which Nova finds no host is replaced by a
// node in another zone, because its own zone is full.
func TestAccRolloutFullZone(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{TokenTTL: 365 * 24 * time.Hour})
	region := c.Regions(t)[0]
	zones := c.Zones(t, region)
	if len(zones) < 2 {
		t.Skipf("needs two zones, and %s has %v", region, zones)
	}
	// The second zone has one host, and no two of the servers may share one.
	group := c.Group(t, region, "apart", "anti-affinity")
	regions := fmt.Sprintf("[{ name = %q, zones = [{ name = %q }, { name = %q, weight = 200 }] }]", region, zones[0], zones[1])
	w := c.Workspace(t, acctest.Placement(c, 3, regions, updates(`causes = ["UNHEALTHY", "PLACEMENT"]`, "max_batch_size = 1"))+
		acctest.Made(c, fmt.Sprintf(`
  scheduler_hints {
    group = %q
  }
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [scheduler_hints]
  }`, group)))
	// The servers are made one after the other: Nova may refuse both if it builds them at once on the host.
	_, err := w.Run(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1")
	require.ErrorContains(t, err, "unexpected state 'ERROR'", "two servers are on the one host of %s", zones[1])
	require.Regexp(t, acctest.Says("its server is in ERROR ("), acctest.Apply(t, w))
	counts := map[string]int{}
	for _, s := range c.AllServers(t) {
		counts[s.AvailabilityZone]++
		assert.Equal(t, "ACTIVE", s.Status, s.Name)
	}
	assert.Equal(t, map[string]int{zones[0]: 2, zones[1]: 1}, counts, "the servers")
	text := acctest.Must(t, w, "plan", "-input=false", "-no-color")
	assert.Contains(t, text, "No changes")
	assert.Regexp(t, acctest.Says("Places are full"), text)
	assert.Contains(t, text, region+"/"+zones[1])
	if c.Fake == nil {
		return // a test cannot wait for an hour
	}
	c.Fake.Advance(time.Hour)
	text = acctest.Must(t, w, "plan", "-input=false", "-no-color")
	assert.Regexp(t, acctest.Says("replaced (PLACEMENT): "), text, "after an hour the place is tried again")
	assert.NotRegexp(t, acctest.Says("Places are full"), text)
}

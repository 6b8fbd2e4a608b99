package placementtf_test

import (
	"crypto/sha1"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// madeFrom is the configuration of a cluster of four, whose servers are made from what their nodes say. The user data
// names something that another resource makes.
func madeFrom(c *acctest.Cloud, image, userData string) string {
	return fmt.Sprintf(`
resource "terraform_data" "other" {
  input = %q
}
`, userData) + acctest.Placement(c, 4, acctest.Places("RegionOne: az-1 az-2"), fmt.Sprintf(`image = %q
  flavors   = ["web"]
  user_data = "join ${terraform_data.other.output}"
  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = 1
    method             = "IN_PLACE"
    require_in_service = false
  }`, image)) + acctest.Generations + acctest.Servers(fmt.Sprintf(`image_id = each.value.image_id
  flavor_id = each.value.flavor_id
  user_data = stackpolicy_placement_attachment.web.user_data_texts[each.value.template.user_data]
  network_mode = "none"
  lifecycle {
    %s
    ignore_changes = [user_data, availability_zone, network_mode]
  }`, acctest.Again))
}

// TestAccPlacementSources: whatever happens to an image, a flavor, user data or the zone of a server outside, the plan is
// empty or a batch changes in place, in the middle of a rollout too. TestModuleSources has the other methods.
func TestAccPlacementSources(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	first := c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	c.Fake.AddImage(fakecloud.Image{Name: "debian-13"})
	small := c.Fake.AddFlavor(fakecloud.Flavor{Name: "web", VCPUs: 1, RAM: 64, Disk: 1})
	config := madeFrom(c, "debian-12", "a")
	w := c.Workspace(t, config)
	acctest.Apply(t, w)
	acctest.Loop{Workspace: w, Cloud: c}.Settled(t, "at first")
	for _, s := range acctest.Resources(t, w, "openstack_compute_instance_v2") {
		assert.Contains(t, []any{"join a", fmt.Sprintf("%x", sha1.Sum([]byte("join a")))}, s["user_data"], s["name"])
	}
	batch := func(name, config string) {
		t.Helper()
		before := builds(c)
		require.NoError(t, w.Write(config))
		acctest.Apply(t, w)
		changed := 0
		for id, build := range builds(c) {
			if before[id] != build {
				changed++
			}
		}
		assert.Equal(t, 1, changed, "%s: servers that an apply changed", name)
	}
	stays := func(name string) {
		t.Helper()
		before := builds(c)
		acctest.Loop{Workspace: w, Cloud: c}.Settled(t, name)
		assert.Equal(t, before, builds(c), name)
	}
	c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	stays("an image is published again")
	c.Fake.RemoveFlavor(small)
	c.Fake.AddFlavor(fakecloud.Flavor{Name: "web", VCPUs: 1, RAM: 64, Disk: 1})
	stays("a flavor is made again")
	moved := c.Fake.Servers("RegionOne")[0]
	c.Fake.MoveServer("RegionOne", moved.ID, map[string]string{"az-1": "r1-cmp-3", "az-2": "r1-cmp-1"}[moved.Zone])
	stays("a server is evacuated to another zone")
	config = madeFrom(c, "debian-13", "a")
	batch("another image", config)
	c.Fake.RemoveImage(first)
	batch("the old image is deleted in the middle of a rollout", config)
	finishes(t, c, w)
	stays("in step")
	before := builds(c)
	require.NoError(t, w.Write(madeFrom(c, "debian-13", "b"))) // a rebuild keeps the user data
	require.Regexp(t, acctest.Says("The cluster waits for a value"), acctest.Apply(t, w))
	acctest.Finish(t, func() string { return acctest.Apply(t, w) })
	assert.Equal(t, before, builds(c), "servers, with other user data")
	stays("in step")
}

// TestAccRefusedZone: a plan says that Nova refuses a server of a flavor without a disk, unless it boots from a volume. While
// one zone's servers are refused, Terraform skips the readiness attachment, so the others have no mark: nodes of the zone that
// are named as candidates while it is closed come elsewhere, and all serve.
func TestAccRefusedZone(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddFlavor(fakecloud.Flavor{Name: "p1", VCPUs: 1, RAM: 64})
	config := func(boots, closed, more string) string {
		zones := `[{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", flavors = ["p1"]` + closed + ` }] }]`
		return strings.ReplaceAll(acctest.Placement(c, 4, zones, fmt.Sprintf("image = %q\n flavors = [\"m1.tiny\"]\n %s", c.Image, more))+
			acctest.Servers("flavor_id = each.value.flavor_id\n network_mode = \"none\"\n "+boots)+acctest.Drained("")+acctest.Awaited(c, ""), c.Prefix, "web-")
	}
	const says, image = "web-3 (flavor p1). Nova makes no server", "image_id = each.value.image_id"
	w := c.Workspace(t, config("block_device {\n uuid = each.value.image_id\n source_type = \"image\"\n destination_type = \"volume\"\n volume_size = 1\n"+
		" boot_index = 0\n }", "", ""))
	assert.NotRegexp(t, acctest.Says(says), acctest.Must(t, w, "plan", "-no-color"))
	require.NoError(t, w.Write(config(image, "", "")))
	assert.Regexp(t, acctest.Says(says), acctest.Must(t, w, "plan", "-no-color"))
	refuses := func() {
		_, err := w.Apply(t.Context())
		require.ErrorContains(t, err, "Only volume-backed servers are allowed")
	}
	refuses()
	update := "update {\n causes = [\"UNHEALTHY\"]\n max_batch_size = 1\n }"
	require.NoError(t, w.Write(strings.ReplaceAll(config(image, "", update), `["p1"]`, `["p1", "m1.tiny"]`)))
	refuses()
	plan := acctest.Must(t, w, "plan", "-no-color")
	assert.NotRegexp(t, acctest.Says(says), plan)
	assert.Contains(t, plan, "it never had a server: p1 in RegionOne/az-2 is full or refused")
	require.NoError(t, w.Write(config(image, "", "")))
	require.NoError(t, w.Write(config(image, ", closed = true", "deletion {\n candidates = [\"web-2\", \"web-3\"]\n }")))
	acctest.Apply(t, w)
	marked := 0
	for _, s := range c.Fake.Servers("RegionOne") {
		if s.Zone == "az-1" && s.Metadata[openstack.MarkKey] != "" {
			marked++
		}
	}
	assert.Equal(t, 4, marked)
}

// builds are the servers of a fake cloud, each with what shows that it was made or changed.
func builds(c *acctest.Cloud) map[string]string {
	all := map[string]string{}
	for _, s := range c.Fake.Servers("RegionOne") {
		all[s.ID] = s.ImageID + " " + s.Flavor
	}
	return all
}

// finishes applies until nothing changes any more, at most four batches.
func finishes(t *testing.T, c *acctest.Cloud, w *workspace.Workspace) {
	t.Helper()
	for range 5 {
		before := builds(c)
		acctest.Apply(t, w)
		if maps.Equal(before, builds(c)) {
			return
		}
		gone := slices.DeleteFunc(slices.Collect(maps.Keys(before)), func(id string) bool { return before[id] == builds(c)[id] })
		assert.LessOrEqual(t, len(gone), 1, "servers that an apply destroyed or changed")
	}
	t.Error("the rollout does not end")
}

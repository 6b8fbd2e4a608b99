//go:build unix

package provider_test

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// rolled is a cluster of three nodes whose version is replaced one by one, each
// new server marked as in service before the old one goes.
func rolled(c *acctest.Cloud, version string) string {
	return fmt.Sprintf(`
resource "stackpolicy_placement_attachment" "web" {
  cluster           = %[1]q
  node_name_pattern = "{cluster}{index}"
  desired_capacity  = 3
  zones             = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }]
  template          = { version = %[2]q }
  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = 1
    require_in_service = true
  }
}
resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  availability_zone = each.value.zone
  image_id          = %[3]q
  flavor_id         = %[4]q
  network_mode      = "none"
  metadata          = { version = each.value.template.version }
  lifecycle {
    create_before_destroy = true
  }
}
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  shutdown  = true
  lifecycle {
    create_before_destroy = true
  }
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = %[1]q
  servers = { for name, s in stackpolicy_deletion_attachment.web : name => {
    id = s.server_id, mark = stackpolicy_placement_attachment.web.nodes[name].mark } }
  timeout = 30
}
`, c.Prefix, version, c.Image, c.Flavor)
}

// TestKilledRollout kills terraform at each request of a batch. The applies that
// follow end the rollout, and none ever takes more than its one node.
func TestKilledRollout(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	l := acctest.Loop{Workspace: c.Installed(t, rolled(c, "a")), Cloud: c}
	k := killing{l, rolled(c, "a"), rolled(c, "b")}
	k.prepare(t)
	k.apply(t)
	targets, killed := c.Fake.Requests(), 0
	for n, r := range targets {
		if spared(r) || testing.Short() && killed == 2 { // "make faults" kills at all
			continue
		}
		killed++
		name := fmt.Sprintf("killed at request %d, %s", n+1, r)
		k.prepare(t)
		k.kill(t, n+1)
		for applies := 1; ; applies++ {
			// An apply ends one batch, and the one that was killed began one.
			old, there := serversOf(c, "a")
			if old < 3-applies || there < 3 {
				t.Errorf("%s: before apply %d there are %d servers, %d of the old version", name, applies, there, old)
			}
			if old == 0 || applies > 4 {
				break
			}
			k.apply(t)
		}
		l.Settled(t, name)
		if got, _ := serversOf(c, "b"); got < 3 || len(c.Servers(t)) != 3 {
			t.Errorf("%s: %d servers of the new version, of %d names", name, got, len(c.Servers(t)))
		}
	}
	t.Logf("killed at %d of %d requests", killed, len(targets))
}

// serversOf counts the servers of a version, and all.
func serversOf(c *acctest.Cloud, version string) (of, all int) {
	for _, s := range c.Fake.Servers("RegionOne") {
		if all++; s.Metadata["version"] == version {
			of++
		}
	}
	return of, all
}

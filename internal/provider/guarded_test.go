package provider_test

import (
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

// guarded is a cluster with all that the policies attach to it.
func guarded(c *acctest.Cloud, size int) string {
	return fmt.Sprintf(`
resource "stackpolicy_affinity_attachment" "web" {
  servergroup {
    name     = "%[1]sgroup"
    policies = "soft-anti-affinity"
  }
}
resource "stackpolicy_placement_attachment" "web" {
  cluster          = %[1]q
  node_name_pattern = "{cluster}{index}"
  desired_capacity = %[2]d
  zones            = [{ name = "az-1" }, { name = "az-2" }]
}
resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  availability_zone = each.value.zone
  %[3]s
  scheduler_hints {
    group = stackpolicy_affinity_attachment.web.servergroup_id
  }
}
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  shutdown  = true
}
`, c.Prefix, size, c.Bare())
}

package provider_test

import (
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
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
resource "nova_server" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  availability_zone = each.value.zone
  group             = stackpolicy_affinity_attachment.web.servergroup_id
  image_id          = %[3]q
  flavor_id         = %[4]q
}
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = nova_server.web
  server_id = each.value.id
  shutdown  = true
}
`, c.Prefix, size, c.Image, c.Flavor)
}

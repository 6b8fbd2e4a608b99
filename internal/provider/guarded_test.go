package provider_test

import (
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

// guarded is a cluster with attachments of all policies.
func guarded(c *acctest.Cloud, size int) string {
	return grouped(c) + acctest.Placement(c, size, acctest.Places("RegionOne: az-1 az-2"), "") + acctest.Made(c, inGroup) + acctest.Drained("shutdown = true")
}

// grouped is a server group for the servers.
func grouped(c *acctest.Cloud) string {
	return fmt.Sprintf(`
resource "stackpolicy_affinity_attachment" "web" {
  servergroup {
    name     = "%sgroup"
    policies = "soft-anti-affinity"
  }
}`, c.Prefix)
}

// inGroup puts the servers into the group.
const inGroup = "scheduler_hints {\n    group = stackpolicy_affinity_attachment.web.servergroup_id\n  }"

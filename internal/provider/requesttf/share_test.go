package requesttf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestDecisionOfLargeChange: the change of an attachment fits into a decision as
// it is, also where its lists leave names out.
func TestDecisionOfLargeChange(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int) string {
		return fmt.Sprintf(`
resource "stackpolicy_placement_attachment" "a" {
  cluster          = "web"
  desired_capacity = %d
  zones            = [{ name = "az-1" }, { name = "az-2" }]
}
locals {
  nodes = [for i in range(300) : { id = "n${i}", name = "web-${i}", region = "RegionOne", zone = "az-${i %% 2 + 1}", created_at = "2026-11-01T00:00:00Z" }]
}
data "stackpolicy_zone_plan" "p" {
  nodes    = local.nodes
  zones    = [{ name = "az-1" }, { name = "az-2" }]
  decision = { creation = one(stackpolicy_placement_attachment.a.change).creation, deletion = one(stackpolicy_placement_attachment.a.change).deletion }
}
data "stackpolicy_deletion_plan" "p" {
  nodes    = local.nodes
  decision = { deletion = one(stackpolicy_placement_attachment.a.change).deletion }
}
`, size)
	}
	is := statecheck.ExpectKnownValue
	const attachment, zones, deletion = "stackpolicy_placement_attachment.a", "data.stackpolicy_zone_plan.p", "data.stackpolicy_deletion_plan.p"
	c.Test(t,
		resource.TestStep{Config: config(20)},
		resource.TestStep{Config: config(270), ConfigStateChecks: []statecheck.StateCheck{
			is(attachment, tfjsonpath.New("change").AtSliceIndex(0).AtMapKey("creation").AtMapKey("omitted"), knownvalue.Int64Exact(150)),
			is(zones, tfjsonpath.New("creation"), acctest.ZoneShare(250, "RegionOne", acctest.Counts("az-1", 125, "az-2", 125))),
			is(deletion, tfjsonpath.New("deletion"), knownvalue.Null()),
		}},
		resource.TestStep{Config: config(30), ConfigStateChecks: []statecheck.StateCheck{
			is(attachment, tfjsonpath.New("change").AtSliceIndex(0).AtMapKey("deletion").AtMapKey("omitted"), knownvalue.Int64Exact(140)),
			is(zones, tfjsonpath.New("deletion"), acctest.ZoneShare(240, "RegionOne", acctest.Counts("az-1", 120, "az-2", 120))),
			is(deletion, tfjsonpath.New("deletion").AtMapKey("count"), knownvalue.Int64Exact(240)),
		}},
	)
}

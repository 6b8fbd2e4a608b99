package planstf_test

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

// eightNodes are eight nodes: six in RegionOne, two in RegionTwo, two a zone.
const eightNodes = `[for i in range(8) : {
    id         = "n${i}"
    name       = "web-${i}"
    region     = i < 6 ? "RegionOne" : "RegionTwo"
    zone       = "az-${i % 3 + 1}"
    status     = "ACTIVE"
    created_at = "2026-11-0${i + 1}T00:00:00Z"
  }]`

// TestDecisionPlaces: a decision carries its places along, from plan to plan.
func TestDecisionPlaces(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(request string) string {
		return fmt.Sprintf(`
locals {
  nodes = %s
}
data "stackpolicy_region_plan" "r" {
  nodes   = local.nodes
  regions = [{ name = "RegionOne" }, { name = "RegionTwo" }]
  %s
}
data "stackpolicy_zone_plan" "one" {
  nodes    = local.nodes
  region   = "RegionOne"
  zones    = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }]
  decision = { creation = data.stackpolicy_region_plan.r.creation, deletion = data.stackpolicy_region_plan.r.deletion }
}
data "stackpolicy_zone_plan" "two" {
  nodes    = local.nodes
  region   = "RegionTwo"
  zones    = [{ name = "az-1" }, { name = "az-2" }]
  decision = { creation = data.stackpolicy_region_plan.r.creation, deletion = data.stackpolicy_region_plan.r.deletion }
}
data "stackpolicy_deletion_plan" "one" {
  nodes    = local.nodes
  criteria = "OLDEST_FIRST"
  decision = { deletion = data.stackpolicy_zone_plan.one.deletion }
}
data "stackpolicy_deletion_plan" "region" {
  nodes    = local.nodes
  criteria = "OLDEST_FIRST"
  decision = { deletion = data.stackpolicy_region_plan.r.deletion }
}
output "names" {
  value = flatten(data.stackpolicy_deletion_plan.one.deletion[*].names)
}
`, eightNodes, request)
	}
	is := func(kind, name, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.stackpolicy_"+kind+"_plan."+name, tfjsonpath.New(attribute), check)
	}
	c.Test(t,
		// Four and four, not eight and eight.
		resource.TestStep{Config: config("scale_out { count = 8 }"), ConfigStateChecks: []statecheck.StateCheck{
			is("region", "r", "creation", acctest.Share(8, acctest.Counts("RegionOne", 2, "RegionTwo", 6))),
			is("zone", "one", "creation", acctest.ZoneShare(2, "RegionOne", acctest.Counts("az-1", 1, "az-2", 1))),
			is("zone", "one", "reason", knownvalue.StringExact("2 nodes to create. The decision has 8 nodes, of which other regions get 6.")),
			is("zone", "two", "creation", acctest.ZoneShare(6, "RegionTwo", acctest.Counts("az-1", 3, "az-2", 3))),
			is("deletion", "one", "deletion", knownvalue.Null()),
			statecheck.ExpectKnownOutputValue("names", acctest.Texts()),
		}},
		// A region plan's decision has zones to choose by, a zone plan's its region.
		resource.TestStep{Config: config("scale_in { count = 4 }"), ConfigStateChecks: []statecheck.StateCheck{
			is("region", "r", "deletion", acctest.Share(4, acctest.Counts("RegionOne", 4))),
			is("zone", "one", "deletion", acctest.ZoneShare(4, "RegionOne", acctest.Counts("az-1", 1, "az-2", 1, "az-3", 2))),
			is("zone", "two", "deletion", knownvalue.Null()),
			is("zone", "two", "reason", knownvalue.StringExact("Nothing to create or to delete. The decision has 4 nodes, of which other regions get 4.")),
			is("deletion", "one", "survivors", acctest.Texts("n3", "n4", "n6", "n7")), // the oldest of each zone of RegionOne, and none of RegionTwo
			is("deletion", "region", "survivors", acctest.Texts("n4", "n5", "n6", "n7")),
			statecheck.ExpectKnownOutputValue("names", acctest.Texts("web-0", "web-1", "web-2", "web-5")),
		}},
	)
}

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

// TestRegionPlanZones: a region plan that lists zones plans them too, and its
// decision fits into a deletion plan.
func TestRegionPlanZones(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.SetZoneAvailable("RegionTwo", "az-2", false)
	config := func(request string) string {
		return fmt.Sprintf(`
data "stackpolicy_region_plan" "r" {
  nodes = %s
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", weight = 200 }], cap = 7 },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }] },
  ]
  %s
}
data "stackpolicy_deletion_plan" "d" {
  nodes    = %[1]s
  criteria = "OLDEST_FIRST"
  decision = { deletion = data.stackpolicy_region_plan.r.deletion }
}
data "stackpolicy_zone_plan" "z" {
  nodes    = %[1]s
  zones    = [{ name = "az-1" }]
  decision = { creation = data.stackpolicy_region_plan.r.creation }
}
`, eightNodes, request)
	}
	zones := func(regions map[string]knownvalue.Check) knownvalue.Check { return knownvalue.MapExact(regions) }
	is := func(kind, name, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.stackpolicy_"+kind+"_plan."+name, tfjsonpath.New(attribute), check)
	}
	c.Test(t,
		resource.TestStep{Config: config("scale_out { count = 5 }"), ConfigStateChecks: []statecheck.StateCheck{
			is("region", "r", "creation", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"count": knownvalue.Int64Exact(5), "regions": acctest.Counts("RegionOne", 1, "RegionTwo", 4),
				"zones": zones(map[string]knownvalue.Check{"RegionOne": acctest.Counts("az-2", 1), "RegionTwo": acctest.Counts("az-1", 4)})})),
			is("region", "r", "target", acctest.Counts("RegionOne", 7, "RegionTwo", 6)),
			is("region", "r", "summary", knownvalue.StringExact(table(`
place      now  after     ideal  weight   min    cap
RegionOne    6      7      6.50     100     0      7  full: cap
  az-1       2      2      2.17     100     0   none
  az-2       2      3      4.33     200     0   none
  az-3       2      2      none    none  none   none  not listed: removed first
RegionTwo    2      6      6.50     100     0   none
  az-1       1      5      3.25     100     0   none
  az-2       1      1      3.25     100     0   none  not available
total        8     13
`))),
			is("zone", "z", "creation", acctest.ZoneShare(1, "RegionOne", acctest.Counts("az-1", 1))),
		}},
		resource.TestStep{Config: config("scale_in { count = 5 }"), ConfigStateChecks: []statecheck.StateCheck{
			is("region", "r", "deletion", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"count": knownvalue.Int64Exact(5), "regions": acctest.Counts("RegionOne", 4, "RegionTwo", 1),
				"zones": zones(map[string]knownvalue.Check{"RegionOne": acctest.Counts("az-1", 1, "az-2", 1, "az-3", 2), "RegionTwo": acctest.Counts("az-1", 1)})})),
			is("deletion", "d", "survivors", acctest.Texts("n3", "n4", "n7")),
		}},
		resource.TestStep{Config: config("node_create { region = \"RegionTwo\" }"), ConfigStateChecks: []statecheck.StateCheck{
			is("region", "r", "creation", knownvalue.Null()),
			is("region", "r", "reason", knownvalue.StringExact("The region RegionTwo that the node names takes precedence: nothing is planned. To choose its zone use a plan of zones.")),
		}},
		// The zone that is down keeps its node, and so there is no plan.
		resource.TestStep{Config: config("scale_in { count = 8 }"), PlanOnly: true,
			ExpectError: acctest.Says("8 nodes must be removed, but only 7 can be: RegionOne 6, RegionTwo/az-1 1, RegionTwo/az-2 0 (not available, and keeps its nodes).")},
	)
}

package planstf_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func TestAccRegionPlan(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	plan := func(request string, at ...any) string {
		return fmt.Sprintf("data \"stackpolicy_region_plan\" \"p\" {\n  nodes = %s\n  regions = [{ name = %q, weight = 200 }, { name = %q, cap = 5 }]\n  %s\n}\n",
			acctest.Nodes("region", at...), two, one, request)
	}
	const p = "data.stackpolicy_region_plan.p"
	is := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(p, tfjsonpath.New(attribute), check)
	}
	c.Test(t,
		resource.TestStep{Config: plan("scale_out { count = 5 }", one, 2, two, 4), ConfigStateChecks: []statecheck.StateCheck{
			is("status", knownvalue.StringExact("OK")),
			is("reason", knownvalue.StringExact("5 nodes to create.")),
			is("creation", acctest.Share(5, acctest.Counts(one, 2, two, 3))),
			is("deletion", knownvalue.Null()),
			is("distribution", acctest.Counts(one, 2, two, 4)),
			is("target", acctest.Counts(one, 4, two, 7)),
			is("summary", knownvalue.StringExact(table(fmt.Sprintf(`
place      now  after     ideal  weight   min    cap
%s    4      7      7.33     200     0   none
%s    2      4      3.67     100     0      5
total        6     11
`, two, one)))),
		}},
		resource.TestStep{Config: plan("scale_out { count = 5 }", one, 2, two, 4), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{Config: plan(`resize {
    adjustment_type = "CHANGE_IN_PERCENTAGE"
    number = -50
  }`, one, 2, "Elsewhere", 3, two, 4), ConfigStateChecks: []statecheck.StateCheck{
			is("deletion", acctest.Share(4, acctest.Counts(one, 1, two, 3))), // nothing can be deleted elsewhere
			is("target", acctest.Counts(one, 1, two, 1, "Elsewhere", 3)),
			is("summary", knownvalue.StringRegexp(regexp.MustCompile(`(?m)^Elsewhere +3 +3( +none){4} +not listed, no compute endpoint$`))),
		}},
	)
}

// table takes the first line's end away from a raw string.
func table(text string) string { return strings.TrimPrefix(text, "\n") }

func TestAccZonePlan(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zones := c.Zones(t, region)
	if len(zones) < 2 {
		t.Skipf("needs two availability zones, and %s has %v", region, zones)
	}
	a, b := zones[0], zones[1]
	plan := func(request string, at ...any) string {
		return fmt.Sprintf("data \"stackpolicy_zone_plan\" \"p\" {\n  region = %q\n  nodes = concat(%s, [{ id = \"unplaced\" }, { id = \"far\", region = \"Elsewhere\", zone = %q }])\n  zones = [{ name = %q }, { name = %q, min = 1 }]\n  %s\n}\n",
			region, acctest.Nodes("zone", at...), a, b, a, request)
	}
	const p = "data.stackpolicy_zone_plan.p"
	is := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(p, tfjsonpath.New(attribute), check)
	}
	c.Test(t,
		resource.TestStep{Config: plan("scale_out { count = 3 }", a, 1), ConfigStateChecks: []statecheck.StateCheck{
			is("creation", acctest.ZoneShare(3, region, acctest.Counts(a, 1, b, 2))),
			is("distribution", acctest.Counts(a, 1, b, 0, "", 1)), // a node elsewhere is not ours
			is("region", knownvalue.StringExact(region)),
		}},
		resource.TestStep{Config: plan("scale_in { count = 2 }", a, 1, b, 2), ConfigStateChecks: []statecheck.StateCheck{
			is("deletion", acctest.ZoneShare(2, region, acctest.Counts("", 1, b, 1))), // the one without a zone first; the min of a holds
			is("summary", knownvalue.StringRegexp(regexp.MustCompile(`(?m)^  \(no zone\) +1 +0 +none +none +none +none +not listed: removed first$`))),
		}},
		// The decision of a region plan fits as it is.
		resource.TestStep{
			Config: fmt.Sprintf("data \"stackpolicy_region_plan\" \"r\" {\n  nodes = %s\n  regions = [{ name = %q }]\n  scale_out { count = 3 }\n}\n", acctest.Nodes("region", region, 2), region) +
				plan("decision = { creation = data.stackpolicy_region_plan.r.creation, deletion = data.stackpolicy_region_plan.r.deletion }", a, 2),
			ConfigStateChecks: []statecheck.StateCheck{is("creation", acctest.ZoneShare(3, region, acctest.Counts(a, 1, b, 2)))},
		},
	)
}

// TestAccPlanFromCluster: the nodes of a cluster fit into the plans.
func TestAccPlanFromCluster(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	c.Boot(t, acctest.Server{Name: "web-0", Region: one}, acctest.Server{Name: "web-1", Region: one}, acctest.Server{Name: "web-2", Region: two})
	config := fmt.Sprintf(`
data "stackpolicy_cluster" "web" {
  regions    = [%[1]q, %[2]q]
  name_regex = "^%[3]sweb-"
}
data "stackpolicy_region_plan" "p" {
  nodes    = data.stackpolicy_cluster.web.nodes
  regions  = [{ name = %[1]q }, { name = %[2]q }]
  scale_in { count = 2 }
}
data "stackpolicy_deletion_plan" "d" {
  nodes    = data.stackpolicy_cluster.web.nodes
  decision = { deletion = data.stackpolicy_region_plan.p.deletion }
  criteria = "OLDEST_FIRST"
}
output "victims" {
  value = [for n in data.stackpolicy_cluster.web.nodes : n.name if contains(data.stackpolicy_deletion_plan.d.deletion.candidates, n.id)]
}
`, one, two, c.Prefix)
	c.Test(t, resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
		statecheck.ExpectKnownOutputValue("victims", knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(c.Prefix + c.ByAge(t, "web-0", "web-1")[0]), knownvalue.StringExact(c.Prefix + "web-2")})),
	}})
}

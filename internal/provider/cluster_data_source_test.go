package provider_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

func TestAccCluster_twoRegions(t *testing.T) {
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	zones := c.Zones(t, one)
	ids := c.Boot(t,
		acctest.Server{Name: "web-0", Region: two},
		acctest.Server{Name: "web-1", Region: one, Zone: zones[0], Metadata: map[string]string{"stackpolicy_tainted": "true"}},
		acctest.Server{Name: "web-2", Region: one, Zone: zones[0], Metadata: map[string]string{"stackpolicy_protected": "yes"}},
		acctest.Server{Name: "db-0", Region: one, Zone: zones[0]},
	)
	config := fmt.Sprintf(`
data "stackpolicy_cluster" "web" {
  regions    = [%q, %q]
  name_regex = "^%sweb-"
}`, two, one, c.Prefix)
	const web = "data.stackpolicy_cluster.web"
	node := func(i int, attribute string) tfjsonpath.Path {
		return tfjsonpath.New("nodes").AtSliceIndex(i).AtMapKey(attribute)
	}
	c.Test(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(web, tfjsonpath.New("size"), knownvalue.Int64Exact(3)),
			statecheck.ExpectKnownValue(web, tfjsonpath.New("distribution").AtMapKey(one).AtMapKey(zones[0]), knownvalue.Int64Exact(2)),
			// Sorted by region, then by age.
			statecheck.ExpectKnownValue(web, node(0, "id"), knownvalue.StringExact(ids[1])),
			statecheck.ExpectKnownValue(web, node(1, "id"), knownvalue.StringExact(ids[2])),
			statecheck.ExpectKnownValue(web, node(2, "id"), knownvalue.StringExact(ids[0])),
			statecheck.ExpectKnownValue(web, node(0, "name"), knownvalue.StringExact(c.Prefix+"web-1")),
			statecheck.ExpectKnownValue(web, node(0, "zone"), knownvalue.StringExact(zones[0])),
			statecheck.ExpectKnownValue(web, node(0, "status"), knownvalue.StringExact("ACTIVE")),
			statecheck.ExpectKnownValue(web, node(0, "profile"), knownvalue.StringExact(c.Image)),
			statecheck.ExpectKnownValue(web, node(0, "profile_created_at"), knownvalue.NotNull()),
			statecheck.ExpectKnownValue(web, node(0, "created_at"), knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`))),
			statecheck.ExpectKnownValue(web, node(0, "host_id"), knownvalue.NotNull()),
			statecheck.ExpectKnownValue(web, node(0, "tainted"), knownvalue.Bool(true)),
			statecheck.ExpectKnownValue(web, node(0, "protected"), knownvalue.Bool(false)),
			statecheck.ExpectKnownValue(web, node(1, "protected"), knownvalue.Bool(true)),
		}},
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

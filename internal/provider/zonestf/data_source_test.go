package zonestf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

func TestAccZones(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	config := fmt.Sprintf("data \"stackpolicy_zones\" \"all\" {\n  regions = [%q, %q, %q]\n}\n", two, one, two)
	var want []knownvalue.Check
	for _, region := range []string{min(one, two), max(one, two)} {
		for _, zone := range c.Zones(t, region) {
			want = append(want, knownvalue.ObjectExact(map[string]knownvalue.Check{
				"region": knownvalue.StringExact(region), "name": knownvalue.StringExact(zone), "available": knownvalue.Bool(true)}))
		}
	}
	c.Test(t, resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
		statecheck.ExpectKnownValue("data.stackpolicy_zones.all", tfjsonpath.New("zones"), knownvalue.ListExact(want))}})
}

// TestZoneDown: a zone that is down stays in the list, and a cluster whose zones
// are that list keeps its nodes there.
func TestZoneDown(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	const config = `
data "stackpolicy_zones" "all" {}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  zones            = [for zone in data.stackpolicy_zones.all.zones : { name = zone.name }]
}
`
	zone := func(i int, name string, available bool) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.stackpolicy_zones.all", tfjsonpath.New("zones").AtSliceIndex(i), knownvalue.ObjectExact(map[string]knownvalue.Check{
			"region": knownvalue.StringExact("RegionOne"), "name": knownvalue.StringExact(name), "available": knownvalue.Bool(available)}))
	}
	down := func() { c.Fake.SetZoneAvailable("RegionOne", "az-2", false) }
	c.Test(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{zone(0, "az-1", true), zone(1, "az-2", true), zone(2, "az-3", true)}},
		resource.TestStep{Config: config, PreConfig: down, ConfigStateChecks: []statecheck.StateCheck{zone(1, "az-2", false)},
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

// TestZonesErrors: a region that cannot be read is an error, and never one without
// zones.
func TestZonesErrors(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	const read = "data \"stackpolicy_zones\" \"all\" {\n  regions = [\"RegionOne\", \"%s\"]\n}\n"
	c.Test(t, resource.TestStep{Config: fmt.Sprintf(read, "Nowhere"), PlanOnly: true, ExpectError: acctest.Says(`region "Nowhere" has no compute endpoint`)})
	c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionTwo", Path: "/os-availability-zone", Status: 500, Times: fakecloud.Forever})
	c.Test(t, resource.TestStep{Config: fmt.Sprintf(read, "RegionTwo"), PlanOnly: true, ExpectError: acctest.Says("Unable to list availability zones")})
}

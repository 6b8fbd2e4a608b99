package planstf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlanProtected: region and zone plans leave protected nodes where they are,
// so that the deletion plan that gets their decision can follow it.
func TestPlanProtected(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(count int) string {
		return fmt.Sprintf(`
locals {
  nodes = [
    { id = "a", region = "RegionOne", zone = "az-1" },
    { id = "b", region = "RegionTwo", zone = "az-1", protected = true },
    { id = "c", region = "RegionTwo", zone = "az-1", protected = true },
    { id = "d", region = "RegionTwo", zone = "az-2" },
  ]
}
data "stackpolicy_region_plan" "r" {
  nodes   = local.nodes
  regions = [{ name = "RegionOne" }, { name = "RegionTwo" }]
  scale_in { count = %d }
}
data "stackpolicy_zone_plan" "z" {
  nodes    = local.nodes
  region   = "RegionTwo"
  zones    = [{ name = "az-1" }, { name = "az-2" }]
  decision = { deletion = data.stackpolicy_region_plan.r.deletion }
}
data "stackpolicy_deletion_plan" "d" {
  nodes    = local.nodes
  decision = { deletion = data.stackpolicy_region_plan.r.deletion }
}
data "stackpolicy_deletion_plan" "z" {
  nodes    = local.nodes
  decision = { deletion = data.stackpolicy_zone_plan.z.deletion }
}
`, count)
	}
	is := func(kind, name, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.stackpolicy_"+kind+"_plan."+name, tfjsonpath.New(attribute), check)
	}
	c.Test(t,
		resource.TestStep{Config: config(1), ConfigStateChecks: []statecheck.StateCheck{
			is("region", "r", "deletion", acctest.Share(1, acctest.Counts("RegionTwo", 1))),
			is("zone", "z", "deletion", acctest.ZoneShare(1, "RegionTwo", acctest.Counts("az-2", 1))),
			is("deletion", "z", "survivors", acctest.Texts("a", "b", "c")),
		}},
		resource.TestStep{Config: config(2), ConfigStateChecks: []statecheck.StateCheck{
			is("region", "r", "deletion", acctest.Share(2, acctest.Counts("RegionOne", 1, "RegionTwo", 1))),
			is("deletion", "d", "survivors", acctest.Texts("b", "c")),
		}},
		resource.TestStep{Config: config(3), PlanOnly: true,
			ExpectError: acctest.Says("3 nodes must be removed, but only 2 can be: RegionOne 1, RegionTwo 1 (2 protected).")},
	)
}

// TestPlanUnlistedUnusable: nodes of a place that is not listed stay where
// nothing can be deleted, as those of a listed one do.
func TestPlanUnlistedUnusable(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddRegion("Dark")
	c.Fake.SetZoneAvailable("RegionOne", "az-2", false)
	plan := func(kind, name, more string) string {
		return fmt.Sprintf("data \"stackpolicy_%s_plan\" %q {\n  scale_in { count = 2 }\n%s\n}\n", kind, name, more)
	}
	config := plan("region", "r", `
  nodes = [
    { id = "a", region = "Dark" }, { id = "b", region = "Dark" }, { id = "c", region = "Gone" },
    { id = "d", region = "RegionOne" }, { id = "e", region = "RegionTwo" },
  ]
  regions = [{ name = "RegionOne" }]`) + plan("zone", "z", `
  nodes = [{ id = "a", zone = "az-2" }, { id = "b", zone = "az-2" }, { id = "c", zone = "az-3" }, { id = "d", zone = "az-1" }, { id = "e", zone = "az-1" }]
  zones = [{ name = "az-1" }]`)
	is := func(kind, name, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.stackpolicy_"+kind+"_plan."+name, tfjsonpath.New(attribute), check)
	}
	c.Test(t, resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
		is("region", "r", "deletion", acctest.Share(2, acctest.Counts("RegionOne", 1, "RegionTwo", 1))),
		is("zone", "z", "deletion", acctest.ZoneShare(2, "RegionOne", acctest.Counts("az-1", 1, "az-3", 1))),
	}})
	w := c.Workspace(t, config)
	said, err := w.Run(t.Context(), "plan", "-no-color")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`The region "Dark" has no compute endpoint for this user. It keeps the nodes that it has: nothing could be deleted there.`,
		`No service in the availability zone "az-2" of region "RegionOne" is up. It keeps the nodes that it has`,
	} {
		if !acctest.Says(want).MatchString(said) {
			t.Errorf("no warning %q in\n%s", want, said)
		}
	}
}

// TestMinsAboveCap: the mins of a region's zones fit into its cap.
func TestMinsAboveCap(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	regions := func(bound int) string {
		return fmt.Sprintf(`regions = [{ name = "RegionOne", cap = %d, zones = [{ name = "az-1", min = 2 }, { name = "az-2", min = 1 }] }]`, bound)
	}
	region := func(bound int) string {
		return "data \"stackpolicy_region_plan\" \"p\" {\n  nodes = []\n  scale_out { count = 3 }\n  " + regions(bound) + "\n}\n"
	}
	want := acctest.Says(`The mins of the zones of the region "RegionOne" add up to 3, and its cap is 2. Lower a min or raise the cap.`)
	c.Test(t,
		resource.TestStep{Config: region(2), PlanOnly: true, ExpectError: want},
		resource.TestStep{Config: "resource \"stackpolicy_placement_attachment\" \"a\" {\n  cluster = \"web\"\n  desired_capacity = 1\n  " + regions(2) + "\n}\n",
			PlanOnly: true, ExpectError: want},
		resource.TestStep{Config: strings.NewReplacer("cap = 3", "min = 5", "min = 2", "cap = 1", "min = 1", "cap = 1").Replace(region(3)), PlanOnly: true,
			ExpectError: acctest.Says(`The caps of the zones of the region "RegionOne" add up to 2, and its min is 5. Lower the min or raise a cap.`)},
		resource.TestStep{Config: region(3)},
	)
}

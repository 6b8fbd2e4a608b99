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

// TestDecisionRefused: a decision that failed, or whose zones have no region, and
// numbers next to a decision that make no sense.
func TestDecisionRefused(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	var steps []resource.TestStep
	for request, want := range map[string]string{
		`decision = { status = "ERROR", creation = { count = 2 } }`: `Its status is "ERROR": the policy that made it has not decided anything that could be planned.`,
		`decision = { status = 1, creation = { count = 2 } }`:       "status: a text is needed, not 1.",
		`decision = { creation = { regions = { RegionOne = 1 }, zones = { az-1 = 1 } } }`: "creation: zones: The decision has a count for each region, and zones without a region. " +
			"Write the zones by region, as in { RegionOne = { az-1 = 1 } }.",
		`decision = { creation = { candidates = ["a"] } }`:                 `creation: it has "candidates", and can have count, region, regions and zones.`,
		`decision = { deletion = { candidates = "a" } }`:                   `deletion: candidates: a list is needed, not "a".`,
		`decision = { deletion = { candidates = [null] } }`:                "deletion: candidates: a name or an id is needed, and it is null.",
		`decision = { deletion = { candidates = [[]] } }`:                  "deletion: candidates: a name or an id is needed, not a list.",
		`decision = { deletion = { candidates = ["a"], count = 0 } }`:      "deletion: candidates: The decision has a count of 0, but its candidates are 1.",
		"decision = { creation = { count = 1 } }\n  resize { number = 3 }": "A number needs an adjustment_type",
	} {
		steps = append(steps, resource.TestStep{PlanOnly: true, ExpectError: acctest.Says(want),
			Config: fmt.Sprintf("data \"stackpolicy_zone_plan\" \"p\" {\n  nodes = []\n  zones = [{ name = \"az-1\" }]\n  %s\n}\n", request)})
	}
	c.Test(t, steps...)
}

// TestCountAboveSize: plans cut a number of nodes to the size of the cluster, and
// warn; the number of a place is not cut.
func TestCountAboveSize(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	w := c.Workspace(t, "")
	plan := func(request string) string {
		return fmt.Sprintf(`
data "stackpolicy_region_plan" "p" {
  nodes   = [{ id = "a", region = "RegionOne" }, { id = "b", region = "RegionOne" }, { id = "c", region = "RegionTwo" }]
  regions = [{ name = "RegionOne" }, { name = "RegionTwo" }]
  %s
}
output "deletion" {
  value = data.stackpolicy_region_plan.p.deletion.regions
}
`, request)
	}
	const cut = "Warning: The count is above the cluster's size"
	for request, want := range map[string]string{
		"scale_in { count = 9 }":                                          "9 nodes must be removed, and the cluster has 3: all of them would be removed.",
		"decision = { deletion = { count = 9 } }":                         "9 nodes must be removed, and the cluster has 3: all of them would be removed.",
		"decision = { deletion = { region = \"RegionTwo\", count = 9 } }": "There is no feasible plan to handle all nodes.",
	} {
		if err := w.Write(plan(request)); err != nil {
			t.Fatal(err)
		}
		said, err := w.Run(t.Context(), "plan", "-no-color")
		said = fmt.Sprint(said, err)
		if !acctest.Says(want).MatchString(said) || acctest.Says(cut).MatchString(said) != (err == nil) {
			t.Errorf("%s: want %q in\n%s", request, want, said)
		}
	}
}

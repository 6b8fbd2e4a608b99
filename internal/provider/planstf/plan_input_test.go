package planstf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccPlanOddInput: nulls, fractions, misspelled keys and absurd numbers are
// refused while planning, with a sentence.
func TestAccPlanOddInput(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	plan := func(regions, request string) string {
		return fmt.Sprintf("data \"stackpolicy_region_plan\" \"p\" {\n  nodes = %s\n  regions = %s\n  %s\n}\n", acctest.Nodes("region", region, 1), regions, request)
	}
	listed := fmt.Sprintf("[{ name = %q }]", region)
	var steps []resource.TestStep
	for _, bad := range []struct{ config, want string }{
		// Fractions.
		{plan(listed, "resize {\n    adjustment_type = \"CHANGE_IN_CAPACITY\"\n    number = 12.5\n  }"), "CHANGE_IN_CAPACITY needs a whole number, not 12.5. Only a percentage may have decimals."},
		{plan(listed, "resize {\n    adjustment_type = \"CHANGE_IN_PERCENTAGE\"\n    number = 1e400\n  }"), "A number is needed that can be planned with, not one beyond all bounds."},
		{plan(listed, "decision = { creation = { count = 1.5 } }"), "creation: count: a whole number is needed, not 1.5."},
		// Nulls and empty names.
		{plan("[null]", "scale_out {}"), "The element 0 of the list is null."},
		{plan(fmt.Sprintf("[{ name = %q, zones = [null] }]", region), "scale_out {}"), "The element 0 of the list is null."},
		{plan("[{ name = \"\" }]", "scale_out {}"), "Attribute regions[0].name string length must be at least 1"},
		{plan(listed, "node_create { region = \"\" }"), "Attribute node_create.region string length must be at least 1"},
		{plan(fmt.Sprintf("[{ name = %q, zones = [{ name = \"a\" }, { name = \"a\" }] }]", region), "scale_out {}"), `"a" is at the indices 0 and 1.`},
		// Misspelled keys.
		{plan(listed, "scale_out { cuont = 2 }"), `An argument named "cuont" is not expected here. Did you mean "count"?`},
		{plan(listed, "scaleout { count = 2 }"), `Blocks of type "scaleout" are not expected here.`},
		{plan(listed, "scale_out = { count = 2 }"), `An argument named "scale_out" is not expected here. Did you mean to define a block of type "scale_out"?`},
		{plan(listed, "decision = { creaton = { count = 2 } }"), `It has "creaton", and can have creation and deletion.`},
		{plan(listed, "decision = { creation = { cuont = 2 } }"), `creation: it has "cuont", and can have count, region, regions and zones.`},
		{plan(listed, "scale_out {}\n  decision = {}"), "It has neither creation nor deletion."},
		{plan(listed, "decision = { creation = 3 }"), "creation: an object is needed, not 3."},
		{plan(listed, "decision = 3"), "An object is needed, not 3."},
		{plan(listed, "resize {}"), "Nothing is requested"},
		// Numbers that contradict each other.
		{plan(listed, "decision = { creation = { count = -1 } }"), "creation: count: A number of nodes is 0 or more, not -1."},
		{plan(listed, "decision = { deletion = { regions = { A = 3, B = -1 } } }"), `deletion: regions: "B": A number of nodes is 0 or more, not -1.`},
		{plan(listed, "decision = { deletion = { regions = { A = null } } }"), `deletion: regions: "A": a whole number is needed, and it is null.`},
		{plan(listed, "decision = { deletion = { count = 5, regions = { A = 3 } } }"), "The decision has a count of 5, but its regions or zones add up to 3."},
		{plan(listed, "decision = { deletion = { zones = { A = { a = 1 }, B = \"x\" } } }"), `deletion: zones: "A": a whole number is needed, not an object.`},
		// The selector.
		{`data "stackpolicy_cluster" "c" { metadata = { a = null } }`, "This attribute contains a null value."},
		{`data "stackpolicy_cluster" "c" { tags = ["a", null] }`, "This attribute contains a null value."},
		{`data "stackpolicy_cluster" "c" { ids = [null] }`, "This attribute contains a null value."},
		{"data \"stackpolicy_cluster\" \"c\" {\n  name_regex = \"a\"\n  regions = [\"\"]\n}", "Attribute regions[0] string length must be at least 1"},
		{`data "stackpolicy_cluster" "c" { servergroup_id = "00000000-0000-0000-0000-000000000000" }`, `has the server group "00000000-0000-0000-0000-000000000000".`},
		{`data "stackpolicy_zone_plan" "p" {
		    region = ""
		    nodes  = []
		    zones  = [{ name = "a" }]
		    scale_out {}
		  }`, "Attribute region string length must be at least 1"},
	} {
		steps = append(steps, resource.TestStep{Config: bad.config, PlanOnly: true, ExpectError: acctest.Says(bad.want)})
	}
	c.Test(t, steps...)
}

// TestAccPlanBadInput: each fault is reported while planning, at the attribute.
func TestAccPlanBadInput(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	plan := func(regions, request string) string {
		return fmt.Sprintf("data \"stackpolicy_region_plan\" \"p\" {\n  nodes = %s\n  regions = %s\n  %s\n}\n", acctest.Nodes("region", region, 1), regions, request)
	}
	listed := fmt.Sprintf("[{ name = %q }]", region)
	steps := []resource.TestStep{}
	for _, bad := range []struct{ config, want string }{
		{plan(fmt.Sprintf("[{ name = %q, weight = 0 }]", region), "scale_out {}"), "Attribute regions[0].weight value must be at least 1"},
		{plan(fmt.Sprintf("[{ name = %q, weight = -3 }]", region), "scale_out {}"), "Attribute regions[0].weight value must be at least 1"},
		{plan(fmt.Sprintf("[{ name = %q, cap = -2 }]", region), "scale_out {}"), "Attribute regions[0].cap value must be at least -1"},
		{plan(fmt.Sprintf("[{ name = %q, min = -1 }]", region), "scale_out {}"), "Attribute regions[0].min value must be at least 0"},
		{plan(fmt.Sprintf("[{ name = %q, cap = 2, min = 3 }]", region), "scale_out {}"), fmt.Sprintf("The min of the region %q (3) is larger than its cap (2).", region)},
		{plan(fmt.Sprintf("[{ name = %[1]q }, { name = %[1]q, weight = 5 }]", region), "scale_out {}"), fmt.Sprintf("%q is at the indices 0 and 1.", region)},
		{plan("[]", "scale_out {}"), "Attribute regions list must contain at least 1 elements"},
		{plan(fmt.Sprintf("[{ name = %q }, { name = \"Atlantis\" }]", region), "scale_out {}"), `Keystone does not know the region "Atlantis". It knows`},
		{plan(fmt.Sprintf("[{ name = %q, cap = 3 }]", region), "scale_out { count = 5 }"),
			fmt.Sprintf("5 nodes must be added, but there is room for 2: %s 2 (cap 3).", region)},
		{plan(fmt.Sprintf("[{ name = %q, min = 1 }]", region), "scale_in {}"),
			fmt.Sprintf("1 node must be removed, but only 0 can be: %s 0 (min 1). Lower a min, protect fewer nodes, or remove fewer.", region)},
		{plan(listed, "scale_out {}\n  scale_in {}"), "Two requests are made at once, scale_out and scale_in: make one."},
		{plan(listed, ""), "Nothing is requested"},
		{plan(listed, "scale_out { count = -1 }"), "Attribute scale_out.count value must be at least 0"},
		{plan(listed, `resize { adjustment_type = "CHANGE_IN_PERCENTAGE" }`), "CHANGE_IN_PERCENTAGE needs a number."},
		{plan(listed, `resize {
    adjustment_type = "BY_HALF"
    number = 1
  }`), `"BY_HALF" is not one of ["EXACT_CAPACITY" "CHANGE_IN_CAPACITY" "CHANGE_IN_PERCENTAGE"].`},
		{plan(listed, `resize { number = 1 }`), "A number needs an adjustment_type"},
		{plan(listed, `resize {
    min_size = 5
    max_size = 3
  }`), "The specified min_size (5) is greater than the specified max_size (3)."},
		{plan(listed, `resize {
    adjustment_type = "EXACT_CAPACITY"
    number = 9
    max_size = 3
    strict = true
  }`),
			"The target capacity (9) is greater than the specified max_size (3)."},
		{`data "stackpolicy_cluster" "c" {}`, "Nothing says which servers belong to the cluster."},
		{`data "stackpolicy_cluster" "c" { name_regex = "" }`, "Nothing says which servers belong to the cluster."},
		{`data "stackpolicy_cluster" "c" { name_regex = "web-(" }`, "missing closing ): `web-(`"},
		{`data "stackpolicy_cluster" "c" {
		    name_regex = "web"
		    regions    = ["Atlantis"]
		  }`, `region "Atlantis" has no compute endpoint in the catalogue of this user; there is one in`},
		{`data "stackpolicy_region_plan" "p" {
		    nodes     = [{ id = "a" }, { id = "a", region = "R" }]
		    regions   = [{ name = "R" }]
		    scale_out {}
		  }`, `The nodes 0 and 1 have the same id "a".`},
		{`data "stackpolicy_region_plan" "p" {
		    nodes     = [{ id = "a" }, null]
		    regions   = [{ name = "R" }]
		    scale_out {}
		  }`, "This attribute contains a null value."},
		{`data "stackpolicy_region_plan" "p" {
		    nodes     = [{ id = "a" }]
		    regions   = [{ name = "R" }]
		    scale_out {}
		  }`, `The node "a" has no region.`},
		{`data "stackpolicy_deletion_plan" "p" {
		    nodes    = [{ id = "a", created_at = "yesterday" }]
		    scale_in {}
		  }`, `"yesterday" is not a time as RFC 3339 writes it`},
		{fmt.Sprintf(`data "stackpolicy_zone_plan" "p" {
		    region    = %q
		    nodes     = []
		    zones     = [{ name = "cloud-nine" }]
		    scale_out {}
		  }`, region), fmt.Sprintf("Nova in region %q does not list the availability zone \"cloud-nine\". It lists", region)},
	} {
		steps = append(steps, resource.TestStep{Config: bad.config, PlanOnly: true, ExpectError: acctest.Says(bad.want)})
	}
	c.Test(t, steps...)
}

// TestNothingUsable: no region or zone that is listed takes nodes.
func TestNothingUsable(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddRegion("Dark")
	c.Fake.SetZoneAvailable("RegionOne", "az-2", false)
	c.Test(t,
		resource.TestStep{PlanOnly: true, ExpectError: acctest.Says("No region is found usable."), Config: `
data "stackpolicy_region_plan" "p" {
  nodes     = []
  regions   = [{ name = "Dark" }]
  scale_out {}
}`},
		resource.TestStep{PlanOnly: true, ExpectError: acctest.Says("No availability zone found available."), Config: `
data "stackpolicy_zone_plan" "p" {
  nodes     = []
  zones     = [{ name = "az-2" }]
  scale_out {}
}`},
	)
}

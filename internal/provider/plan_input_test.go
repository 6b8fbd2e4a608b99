package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// TestAccPlanOddInput: nulls, fractions, misspelled keys and absurd numbers are
// refused while planning, with a sentence.
func TestAccPlanOddInput(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	plan := func(regions, request string) string {
		return fmt.Sprintf("data \"stackpolicy_region_plan\" \"p\" {\n  nodes = %s\n  regions = %s\n  %s\n}\n", nodes("region", region, 1), regions, request)
	}
	listed := fmt.Sprintf("[{ name = %q }]", region)
	var steps []resource.TestStep
	for _, bad := range []struct{ config, want string }{
		// Fractions.
		{plan(fmt.Sprintf("[{ name = %q, weight = 1.5 }]", region), "scale_out {}"), "A whole number is needed, not 1.5."},
		{plan(fmt.Sprintf("[{ name = %q, zones = [{ name = \"a\", cap = 2.5 }] }]", region), "scale_out {}"), "A whole number is needed, not 2.5."},
		{plan(listed, "scale_out { count = 3.7 }"), "A whole number is needed, not 3.7."},
		{plan(listed, "scale_out { count = 1e400 }"), "A whole number of at most 19 digits is needed, not one beyond all bounds."},
		{plan(listed, "resize {\n    adjustment_type = \"CHANGE_IN_CAPACITY\"\n    number = 12.5\n  }"), "CHANGE_IN_CAPACITY needs a whole number, not 12.5. Only a percentage may have decimals."},
		{plan(listed, "resize {\n    adjustment_type = \"CHANGE_IN_PERCENTAGE\"\n    number = 1e400\n  }"), "A number is needed that can be planned with, not one beyond all bounds."},
		{plan(listed, "resize { max_size = 2.5 }"), "A whole number is needed, not 2.5."},
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
		{plan(listed, "decision = { creation = { count = -1 } }"), "creation: count: A number of nodes is 0 or more (at most 1000000000000000), not -1."},
		{plan(listed, "decision = { deletion = { regions = { A = 3, B = -1 } } }"), `deletion: regions: A number of nodes is 0 or more (at most 1000000000000000), and that of "B" is -1.`},
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
		steps = append(steps, resource.TestStep{Config: bad.config, PlanOnly: true, ExpectError: says(bad.want)})
	}
	c.Test(t, steps...)
}

// TestDeletionPlanOddInput does the same without a cloud.
func TestDeletionPlanOddInput(t *testing.T) {
	t.Parallel()
	var steps []resource.TestStep
	for request, want := range map[string]string{
		"scale_in {}\n  grace_period = 1.5":                        "A whole number is needed, not 1.5.",
		"scale_in {}\n  protected = [null]":                        "This attribute contains a null value.",
		"delete_nodes { candidates = [null] }":                     "This attribute contains a null value.",
		"delete_nodes {}":                                          `Attribute "delete_nodes.candidates" must be specified when "delete_nodes" is specified`,
		"delete_nodes { candidate = [\"a\"] }":                     `An argument named "candidate" is not expected here. Did you mean "candidates"?`,
		"decision = { deletion = { count = 1.5 } }":                "deletion: count: a whole number is needed, not 1.5.",
		"decision = { deletion = { zones = { z1 = 1 } } }":         `The decision names the zone "z1" without a region, and nodes of R1 and R2 are in a zone of that name.`,
		"decision = { deletion = { region = \"R1\", count = 3 } }": `3 nodes must be removed from "R1", which has 2`,
		"decision = { delete = {} }":                               `It has "delete", and can have creation and deletion.`,
		"nodez = []":                                               `An argument named "nodez" is not expected here.`,
	} {
		steps = append(steps, resource.TestStep{PlanOnly: true, ExpectError: says(want),
			Config: needsProvider + fmt.Sprintf("data \"stackpolicy_deletion_plan\" \"p\" {\n  nodes = %s\n  %s\n}\n", fiveNodes, request)})
	}
	offline(t, steps...)
}

// TestClusterReadErrors: a wrong password, and a region that fails, each have a
// text of their own.
func TestClusterReadErrors(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	const read = "data \"stackpolicy_cluster\" \"c\" {\n  name_regex = \"web\"\n  regions = [\"RegionOne\", \"RegionTwo\"]\n}\n"
	wrong := fmt.Sprintf("provider \"stackpolicy\" {\n  auth_url = %q\n  user_name = \"member\"\n  password = \"wrong\"\n  tenant_name = \"member\"\n}\n", c.Fake.AuthURL())
	c.Test(t, resource.TestStep{Config: wrong + read, PlanOnly: true, ExpectError: says("Unable to log in")})
	c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionTwo", Path: "/servers/detail", Status: 500, Times: fakecloud.Forever})
	c.Test(t, resource.TestStep{Config: read, PlanOnly: true, ExpectError: says("To go on without a region that does not answer, leave it out of regions.")})
}

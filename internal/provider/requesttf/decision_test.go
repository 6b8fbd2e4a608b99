package requesttf_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestDecisionForms: the ways to write a decision, and what takes precedence.
func TestDecisionForms(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	zone := func(request string) string {
		return "data \"stackpolicy_zone_plan\" \"p\" {\n  nodes = [{ id = \"a\", zone = \"az-1\" }]\n  zones = [{ name = \"az-1\" }, { name = \"az-2\" }]\n  " + request + "\n}\n"
	}
	is := func(attribute string, check knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectKnownValue("data.stackpolicy_zone_plan.p", tfjsonpath.New(attribute), check)}
	}
	one, none := acctest.ZoneShare(1, "RegionOne", acctest.Counts("az-2", 1)), knownvalue.Null()
	three := acctest.ZoneShare(3, "RegionOne", acctest.Counts("az-1", 1, "az-2", 2))
	var steps []resource.TestStep
	for _, s := range []struct {
		request, attribute string
		want               knownvalue.Check
	}{
		{"decision = { creation = {} }", "creation", one},
		{"decision = { creation = { count = 3 } }", "creation", three},
		{"decision = { creation = { regions = { RegionOne = 3, RegionTwo = 5 } } }", "creation", three},
		{"decision = { creation = { region = { RegionOne = 3, RegionTwo = 5 } } }", "creation", three}, // the documents' spelling
		{"decision = { creation = { region = \"RegionOne\", count = 3 } }", "creation", three},
		{"decision = { creation = { region = \"RegionTwo\", count = 3 } }", "creation", none},
		{"decision = { creation = { zones = { az-1 = 2, az-2 = 1 } } }", "creation", three},
		{"decision = { creation = { zones = { RegionOne = { az-1 = 3 }, RegionTwo = { az-1 = 9 } } } }", "creation", three},
		{"scale_out { count = 3 }\n  decision = { creation = null, deletion = { count = 1 } }", "creation", three}, // a deletion is not looked for
		{"scale_in {}\n  decision = { creation = { count = 1 } }", "deletion", acctest.ZoneShare(1, "RegionOne", acctest.Counts("az-1", 1))},
		{"resize { max_size = 0 }\n  decision = { creation = { count = 3 }, deletion = { count = 1 } }", "creation", three}, // a creation first
		{"scale_out { count = 3 }\n  decision = null", "creation", three},
		{"decision = { status = \"OK\", creation = { count = 3, nodes = [\"x\"] } }", "creation", three}, // as a change has it
		{"node_create {}", "creation", one},
		{"node_create { region = \"RegionOne\" }", "creation", one},
		{"node_create { region = \"RegionTwo\" }", "reason", knownvalue.StringExact("The node is for the region RegionTwo: nothing is planned in RegionOne.")},
		{"node_create { zone = \"az-7\" }", "reason", knownvalue.StringExact("The availability zone az-7 that the node names takes precedence: nothing is planned.")},
		{"resize {\n    adjustment_type = \"CHANGE_IN_PERCENTAGE\"\n    number = 312.5\n  }", "creation", three},
	} {
		steps = append(steps, resource.TestStep{Config: zone(s.request), ConfigStateChecks: is(s.attribute, s.want)})
	}
	// What is not known yet is neither given nor missing.
	steps = append(steps, resource.TestStep{
		Config: "resource \"terraform_data\" \"later\" { input = { count = 3 } }\n" + zone("decision = { creation = terraform_data.later.output }"),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectUnknownValue("data.stackpolicy_zone_plan.p", tfjsonpath.New("creation"))}},
		ConfigStateChecks: is("creation", three),
	})
	c.Test(t, steps...)
}

package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

// outputs writes an output for each expression.
func outputs(expressions ...string) string {
	var b strings.Builder
	b.WriteString(acctest.RequiresProvider)
	for i, e := range expressions {
		fmt.Fprintf(&b, "output \"o%d\" {\n  value = %s\n}\n", i, e)
	}
	return b.String()
}

func expectOutputs(checks ...knownvalue.Check) (list []statecheck.StateCheck) {
	for i, c := range checks {
		list = append(list, statecheck.ExpectKnownOutputValue(fmt.Sprintf("o%d", i), c))
	}
	return list
}

func TestDistributeFunction(t *testing.T) {
	t.Parallel()
	acctest.Offline(t,
		resource.TestStep{
			Config: outputs(
				"provider::stackpolicy::distribute(3, { RegionOne = { cap = 150 }, RegionTwo = { weight = 200 } })",
				"provider::stackpolicy::distribute(3, { RegionOne = {}, RegionTwo = {} })", // a map of empty objects
				"provider::stackpolicy::distribute(-3, { A = { current = 3 }, B = { current = 3, min = 3 }, old = { current = 1, weight = 0 } })",
				"provider::stackpolicy::distribute(0, { A = { current = 3 } })",
				"provider::stackpolicy::distribute(0, {})",
				"provider::stackpolicy::distribute(2, tomap({ A = { weight = 1, cap = null }, B = { weight = 3, cap = 1 } }))",
				"provider::stackpolicy::distribute(4000000000000, { A = {}, B = { weight = 300 } })",
			),
			ConfigStateChecks: expectOutputs(
				acctest.Counts("RegionOne", 1, "RegionTwo", 2),
				acctest.Counts("RegionOne", 2, "RegionTwo", 1),
				acctest.Counts("A", 2, "old", 1),
				acctest.Counts(),
				acctest.Counts(),
				acctest.Counts("A", 1, "B", 1),
				knownvalue.MapExact(map[string]knownvalue.Check{"A": knownvalue.Int64Exact(1_000_000_000_000), "B": knownvalue.Int64Exact(3_000_000_000_000)}),
			),
		},
		resource.TestStep{
			Config:            outputs("provider::stackpolicy::distribute(3, { A = { current = terraform_data.later.output }, B = {} })") + "resource \"terraform_data\" \"later\" { input = 2 }\n",
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("o0")}},
			ConfigStateChecks: expectOutputs(acctest.Counts("A", 1, "B", 2)),
		},
	)
}

func TestFunctionBadInput(t *testing.T) {
	t.Parallel()
	var steps []resource.TestStep
	for expression, want := range map[string]string{
		`distribute(1, { A = { wieght = 3 } })`:                                     `bins["A"] has "wieght", which is not one of weight, cap, min and current`,
		`distribute(1, { A = { weight = -3 } })`:                                    `the weight of "A" is -3`,
		`distribute(1, { A = { cap = -2 } })`:                                       `the cap of "A" is -2`,
		`distribute(1, { A = { cap = 1, min = 2 } })`:                               `bins["A"]: its min (2) is above its cap (1)`,
		`distribute(1, { A = { cap = 1.5 } })`:                                      `bins["A"].cap: a whole number is needed, not 1.5`,
		`distribute(1, { A = { cap = "many" } })`:                                   `bins["A"].cap: a whole number is needed, not "many"`,
		`distribute(1, { A = 3 })`:                                                  `bins["A"]: an object is needed, not 3`,
		`distribute(1, ["A"])`:                                                      `bins: an object is needed`,
		`distribute(1, null)`:                                                       `argument must not be null`,
		`distribute(3, { A = { cap = 1 }, B = { cap = 1 } })`:                       "There is no feasible plan to handle all nodes. 3 nodes must be added, but there is room for 2: A 1 (cap 1), B 1 (cap 1).",
		`distribute(-3, { A = { current = 1 } })`:                                   "3 nodes must be removed, but only 1 can be: A 1.",
		`distribute(2000000000000000, { A = {} })`:                                  "more than can be planned",
		`desired_capacity(7, { adjustment_type = "CHANGE_IN_PERCENTAGE" })`:         "number: CHANGE_IN_PERCENTAGE needs a number.",
		`desired_capacity(7, { number = 3 })`:                                       "adjustment_type: A number needs an adjustment_type",
		`desired_capacity(7, { adjustment = "x" })`:                                 `resize has "adjustment", which is not one of its arguments`,
		`desired_capacity(7, { strict = "maybe" })`:                                 `resize.strict: true or false is needed, not "maybe"`,
		`desired_capacity(7, { adjustment_type = "EXACT_CAPACITY", number = 3.5 })`: "number: EXACT_CAPACITY needs a whole number, not 3.5. Only a percentage may have decimals.",
		`desired_capacity(-7, {})`:                                                  "a cluster of -7 nodes is outside 0 to",
		`desired_capacity(7, { min_size = 5, max_size = 4 })`:                       "The specified min_size (5) is greater than the specified max_size (4).",
		`desired_capacity(7, { adjustment_type = "EXACT_CAPACITY", number = 9, max_size = 8, strict = true })`: "The target capacity (9) is greater than the specified max_size (8).",
	} {
		steps = append(steps, resource.TestStep{Config: outputs("provider::stackpolicy::" + expression), PlanOnly: true, ExpectError: acctest.Says(want)})
	}
	acctest.Offline(t, steps...)
}

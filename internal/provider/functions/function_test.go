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

func TestMain(m *testing.M) { acctest.Main(m) }

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
		resource.TestStep{Config: outputs("provider::stackpolicy::distribute(-3, { A = { current = 1 } })"), PlanOnly: true, ExpectError: acctest.Says("3 nodes must be removed, but only 1 can be: A 1.")},
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

package functions_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// TestDistributeFunction: each kind of value that Terraform hands over: maps and objects, null, large numbers, and
// values that are unknown before an apply. TestRefused has all that is refused.
func TestDistributeFunction(t *testing.T) {
	t.Parallel()
	config := acctest.RequiresProvider + "resource \"terraform_data\" \"later\" { input = 2 }\n"
	var checks []statecheck.StateCheck
	for i, c := range [][2]string{
		{"3, { A = { current = terraform_data.later.output }, B = {} }", `{"A":1,"B":2}`},
		{"3, { RegionOne = { cap = 150 }, RegionTwo = { weight = 200 } }", `{"RegionOne":1,"RegionTwo":2}`},
		{"3, { RegionOne = {}, RegionTwo = {} }", `{"RegionOne":2,"RegionTwo":1}`}, // a map of empty objects
		{"-3, { A = { current = 3 }, B = { current = 3, min = 3 }, old = { current = 1, weight = 0 } }", `{"A":2,"old":1}`},
		{"0, { A = { current = 3 } }", `{}`},
		{"0, {}", `{}`},
		{"2, tomap({ A = { weight = 1, cap = null }, B = { weight = 3, cap = 1 } })", `{"A":1,"B":1}`},
		{"4000000000000, { A = {}, B = { weight = 300 } }", `{"A":1000000000000,"B":3000000000000}`},
	} {
		name := fmt.Sprint("o", i)
		config += fmt.Sprintf("output %q {\n  value = jsonencode(provider::stackpolicy::distribute(%s))\n}\n", name, c[0])
		checks = append(checks, statecheck.ExpectKnownOutputValue(name, knownvalue.StringExact(c[1])))
	}
	acctest.Offline(t,
		resource.TestStep{Config: acctest.RequiresProvider + "output \"o\" {\n  value = provider::stackpolicy::distribute(-1.5, { A = { current = 1 } })\n}\n",
			PlanOnly: true, ExpectError: acctest.Says("A whole number is needed, not -1.5: use floor() or ceil().")},
		resource.TestStep{Config: config, ConfigStateChecks: checks,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("o0")}}},
	)
}

// TestRenderFunction: only the keys that are given are replaced, and braces of others stay as they are.
func TestRenderFunction(t *testing.T) {
	t.Parallel()
	config := acctest.RequiresProvider + "resource \"terraform_data\" \"later\" { input = 2 }\n"
	var checks []statecheck.StateCheck
	for i, c := range [][2]string{
		{`"{name}-{index} in {region}/{zone}, {ready}", { name = "web-0", index = 3, region = "RegionOne", zone = null, ready = true }`,
			"web-0-3 in RegionOne/none, true"},
		{`"{name}{name} {other} {} {na me} {{name}} $${name} $$${name}", { name = "n" }`, "nn {other} {} {na me} {{name}} ${name} $${name}"},
		{`"\\{name} \\{other} \\\\{name} {name}", { name = "{name}" }`, `{name} \{other} \{name} {name}`},
		{`"{\n  name\n} {\"name\": 1}", { name = "n" }`, "{\n  name\n} {\"name\": 1}"},
		{`"{index}", { index = terraform_data.later.output }`, "2"},
	} {
		name := fmt.Sprint("o", i)
		config += fmt.Sprintf("output %q {\n  value = provider::stackpolicy::render(%s)\n}\n", name, c[0])
		checks = append(checks, statecheck.ExpectKnownOutputValue(name, knownvalue.StringExact(c[1])))
	}
	refused := func(values, says string) resource.TestStep {
		return resource.TestStep{Config: acctest.RequiresProvider + "output \"o\" {\n  value = provider::stackpolicy::render(\"\", " + values + ")\n}\n",
			PlanOnly: true, ExpectError: acctest.Says(says)}
	}
	acctest.Offline(t,
		refused(`["a"]`, "values: an object is needed, not a list"),
		refused(`{ name = ["a"] }`, "values.name: a text, a number, true or false is needed, not a list"),
		resource.TestStep{Config: config, ConfigStateChecks: checks,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("o4")}}},
	)
}

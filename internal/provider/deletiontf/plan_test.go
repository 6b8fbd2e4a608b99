package deletiontf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

// fiveNodes is a cluster to choose from, of two regions and two zones.
const fiveNodes = `[
    { id = "a", name = "web-a", region = "R1", zone = "z1", status = "ACTIVE", created_at = "2026-11-05T00:00:00Z", profile_created_at = "2026-10-01T00:00:00Z" },
    { id = "b", name = "web-b", region = "R1", zone = "z2", status = "ACTIVE", created_at = "2026-11-01T00:00:00Z", profile_created_at = "2026-10-03T00:00:00Z" },
    { id = "c", name = "web-c", region = "R2", zone = "z1", status = "ACTIVE", created_at = "2026-11-03T00:00:00Z", profile_created_at = "2026-10-02T00:00:00Z" },
    { id = "d", name = "web-d", region = "R2", zone = "z2", status = "ERROR", created_at = "2026-11-04T00:00:00Z" },
    { id = "e", name = "web-e", region = "R2", zone = "z1", status = "BUILD" },
  ]`

func TestDeletionPlan(t *testing.T) {
	t.Parallel()
	plan := func(request string) string {
		return acctest.RequiresProvider + fmt.Sprintf("data \"stackpolicy_deletion_plan\" \"p\" {\n  nodes = %s\n  %s\n}\n", fiveNodes, request)
	}
	const p = "data.stackpolicy_deletion_plan.p"
	goes := func(list ...string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(p, tfjsonpath.New("deletion").AtMapKey("candidates"), acctest.Texts(list...))
	}
	step := func(request string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{Config: plan(request), ConfigStateChecks: checks}
	}
	acctest.Offline(t,
		step(`scale_in { count = 3 }
  criteria = "OLDEST_FIRST"`, goes("d", "e", "b"),
			statecheck.ExpectKnownValue(p, tfjsonpath.New("survivors"), acctest.Texts("a", "c")),
			statecheck.ExpectKnownValue(p, tfjsonpath.New("status"), knownvalue.StringExact("OK")),
			statecheck.ExpectKnownValue(p, tfjsonpath.New("reason"), knownvalue.StringExact("Candidates generated")),
			statecheck.ExpectKnownValue(p, tfjsonpath.New("deletion"), knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"count": knownvalue.Int64Exact(3), "destroy_after_deletion": knownvalue.Bool(true),
				"grace_period": knownvalue.Int64Exact(0), "reduce_desired_capacity": knownvalue.Bool(true),
			}))),
		step("scale_in {}", goes("d")),
		step(`resize {
    adjustment_type = "EXACT_CAPACITY"
    number = 1
  }
  criteria = "YOUNGEST_FIRST"`, goes("d", "e", "a", "c")),
		step(`scale_in { count = 4 }
  criteria = "OLDEST_PROFILE_FIRST"
  protected = ["web-d"]
  destroy_after_deletion = false
  grace_period = 30
  reduce_desired_capacity = false`, goes("e", "a", "c", "b"),
			statecheck.ExpectKnownValue(p, tfjsonpath.New("deletion"), knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"destroy_after_deletion": knownvalue.Bool(false), "grace_period": knownvalue.Int64Exact(30), "reduce_desired_capacity": knownvalue.Bool(false),
			}))),
		step(`decision = { deletion = { count = 2, regions = { R1 = 1, R2 = 1 } } }
  criteria = "OLDEST_FIRST"`, goes("b", "d")),
		step(`decision = { deletion = { zones = { R2 = { z2 = 1, z1 = 2 } } } }
  criteria = "OLDEST_FIRST"`, goes("e", "c", "d")),
		step(`scale_in { count = 5 }
  decision = { deletion = { count = 1 } }`, goes("d")),
		step(`delete_nodes { candidates = ["web-c", "a"] }`, goes("c", "a")),
		step("scale_in { count = 99 }", statecheck.ExpectKnownValue(p, tfjsonpath.New("survivors"), acctest.Texts())),
		step("resize { min_size = 9 }", statecheck.ExpectKnownValue(p, tfjsonpath.New("deletion"), knownvalue.Null()),
			statecheck.ExpectKnownValue(p, tfjsonpath.New("reason"), knownvalue.StringExact("Nothing to delete."))),
		step("decision = { deletion = null }", statecheck.ExpectKnownValue(p, tfjsonpath.New("survivors"), acctest.Texts("a", "b", "c", "d", "e"))),
		step(`scale_in { count = 4 }
  seed = "x"`, goes("d", "e", "a", "c")),
		resource.TestStep{Config: plan("scale_in { count = 4 }\n  seed = \"x\""), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

func TestDeletionPlanBadInput(t *testing.T) {
	t.Parallel()
	var steps []resource.TestStep
	for request, want := range map[string]string{
		"":                                       "Nothing is requested",
		"scale_in {}\n  resize { max_size = 3 }": "Two requests are made at once, scale_in and resize: make one.",
		"resize {}":                              "Nothing is requested",
		"scale_in { count = -1 }":                "Attribute scale_in.count value must be between 0 and",
		"scale_in {}\n  criteria = \"NEWEST\"":   "Attribute criteria value must be one of",
		"scale_in {}\n  grace_period = -1":       `Attribute grace_period: A duration from 0s`,
		"scale_in { count = 5 }\n  protected = [\"a\", \"b\"]":                                      "5 nodes must be removed from the cluster, but only 3 of its nodes can be (protected: 2).",
		`delete_nodes { candidates = ["a", "z"] }`:                                                  `No node has the id or name "z" (nodes given: 5).`,
		`delete_nodes { candidates = ["a", "web-a"] }`:                                              `The node "web-a" is named more than once.`,
		`decision = { deletion = { regions = { R1 = 3 } } }`:                                        `3 nodes must be removed from "R1", which has 2`,
		`decision = { deletion = { count = 3, regions = { R1 = 1 } } }`:                             "The decision has a count of 3, but its regions or zones add up to 1.",
		`decision = { deletion = { regions = { R1 = 1 }, zones = { z1 = 1 } } }`:                    `deletion: zones: The decision has a count for each region, and zones without a region.`,
		"resize { adjustment_type = \"CHANGE_IN_CAPACITY\" }":                                       "CHANGE_IN_CAPACITY needs a number.",
		"resize {\n    adjustment_type = \"EXACT_CAPACITY\"\n    number = 1\n    min_step = 2\n  }": "A least step needs CHANGE_IN_PERCENTAGE.",
	} {
		steps = append(steps, resource.TestStep{PlanOnly: true, ExpectError: acctest.Says(want),
			Config: acctest.RequiresProvider + fmt.Sprintf("data \"stackpolicy_deletion_plan\" \"p\" {\n  nodes = %s\n  %s\n}\n", fiveNodes, request)})
	}
	acctest.Offline(t, steps...)
}

// TestDeletionPlanOddInput does the same without a cloud.
func TestDeletionPlanOddInput(t *testing.T) {
	t.Parallel()
	var steps []resource.TestStep
	for request, want := range map[string]string{
		"scale_in {}\n  grace_period = 1.5":                        `not "1.5".`,
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
		steps = append(steps, resource.TestStep{PlanOnly: true, ExpectError: acctest.Says(want),
			Config: acctest.RequiresProvider + fmt.Sprintf("data \"stackpolicy_deletion_plan\" \"p\" {\n  nodes = %s\n  %s\n}\n", fiveNodes, request)})
	}
	acctest.Offline(t, steps...)
}

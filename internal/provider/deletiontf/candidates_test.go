package deletiontf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

// TestDecisionCandidates: the candidates of a decision are removed, and as many
// others as are left of its counts.
func TestDecisionCandidates(t *testing.T) {
	t.Parallel()
	plan := func(deletion string) string {
		return acctest.RequiresProvider + fmt.Sprintf(`
data "stackpolicy_deletion_plan" "p" {
  nodes = [
    { id = "a", name = "web-a", region = "R1", created_at = "2026-11-01T00:00:00Z" },
    { id = "b", name = "web-b", region = "R1", created_at = "2026-11-02T00:00:00Z" },
    { id = "c", name = "web-c", region = "R2", created_at = "2026-11-03T00:00:00Z", protected = true },
    { id = "d", name = "web-d", region = "R2", created_at = "2026-11-04T00:00:00Z" },
  ]
  criteria = "OLDEST_FIRST"
  decision = { deletion = %s }
}
`, deletion)
	}
	var steps []resource.TestStep
	for deletion, want := range map[string]string{
		`{ candidates = ["nobody"] }`:                       `Its candidates: No node has the id or name "nobody" (nodes given: 4).`,
		`{ regions = { R1 = 1 }, candidates = ["d"] }`:      `It removes 0 nodes from "R2", and more of its candidates are there, such as "web-d".`,
		`{ count = 1, candidates = ["a", "b"] }`:            "candidates: The decision has a count of 1, but its candidates are 2.",
		`{ regions = { R1 = 1, R2 = 2 }, candidates = [] }`: "2 nodes must be removed from \"R2\", but only 1 of its nodes can be (protected: 1).",
	} {
		steps = append(steps, resource.TestStep{Config: plan(deletion), PlanOnly: true, ExpectError: acctest.Says(want)})
	}
	for _, c := range []struct {
		deletion string
		want     []string
	}{
		{`{ candidates = ["web-b", "d"] }`, []string{"b", "d"}},
		{`{ candidates = ["web-c"] }`, []string{"c"}}, // protected, and named
		{`{ count = 3, candidates = ["d"] }`, []string{"d", "a", "b"}},
		{`{ regions = { R1 = 1, R2 = 1 }, candidates = ["b", "d"] }`, []string{"b", "d"}},
		{`{ regions = { R1 = 1, R2 = 1 }, candidates = ["web-b"], omitted = 1 }`, []string{"b", "d"}},
	} {
		steps = append(steps, resource.TestStep{Config: plan(c.deletion), ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("data.stackpolicy_deletion_plan.p",
				tfjsonpath.New("deletion").AtMapKey("candidates"), acctest.Texts(c.want...)),
		}})
	}
	acctest.Offline(t, steps...)
}

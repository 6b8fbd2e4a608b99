package verdict_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/assert"
)

// TestEmpty: a plan that changes a node is not empty; a plan that only holds nodes is.
func TestEmpty(t *testing.T) {
	for outcome, empty := range map[verdict.Outcome]bool{verdict.Stays: true, verdict.Held: true, verdict.Leaves: false, verdict.Changes: false,
		verdict.Returns: false, verdict.Comes: false} {
		c := planner.Change{Remaining: 1, List: verdict.List{{Outcome: verdict.Stays}, {Outcome: outcome}}}
		assert.Equal(t, empty, c.Empty(), "%s: empty", outcome)
	}
}

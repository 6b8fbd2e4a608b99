package cause

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
)

// TestByName: each cause is found by its name, and no other name has one but Candidate.
func TestByName(t *testing.T) {
	for _, c := range All {
		assert.Same(t, c, ByName(c.Name))
	}
	assert.Same(t, Candidate, ByName(""))
	assert.Same(t, Candidate, ByName(roster.Cause("unhealthy")))
}

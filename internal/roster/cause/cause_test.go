package cause

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
)

// TestOf: each cause is found by its name, and any other name, as of a candidate, is None.
func TestOf(t *testing.T) {
	for _, c := range All {
		assert.Same(t, c, Of(c.Name))
	}
	assert.Same(t, None, Of(""))
	assert.Same(t, None, Of(roster.Cause("unhealthy")))
}

package backend

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// TestNil: a resource of a provider that is not configured has no hooks, and no
// cloud, which is an error.
func TestNil(t *testing.T) {
	var b *Backend
	var diags diag.Diagnostics
	if b.Hooks() != nil || b.Get(t.Context(), &diags) != nil || !diags.HasError() || !strings.Contains(diags[0].Detail(), "the provider is not configured") {
		t.Errorf("got %v", diags)
	}
}

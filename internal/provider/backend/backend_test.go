package backend

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"
)

// TestWalk: the second of two resources sees the note of the first, in either order.
func TestWalk(t *testing.T) {
	w := new(Walk)
	before := []bool{w.Leaving.Note("a", "web"), w.Leaving.Note("a", "db"), w.Ready.Note("a", true)}
	assert.Equal(t, []bool{false, true, false}, before, "noted before")
	value, noted := w.Leaving.Noted("a")
	assert.True(t, noted)
	assert.Equal(t, "db", value)
	_, noted = w.Leaving.Noted("b")
	assert.False(t, noted)
}

func TestNil(t *testing.T) {
	var b *Backend
	var diags diag.Diagnostics
	assert.Nil(t, b.Hooks())
	assert.Nil(t, b.Get(t.Context(), &diags))
	assert.Contains(t, diags[0].Detail(), "the provider is not configured")
}

// TestCheckCluster: an attachment that names another cluster than its nodes' is refused, once for all that do.
func TestCheckCluster(t *testing.T) {
	w := new(Walk)
	w.Publish("web", Cluster{Nodes: map[string]Node{"web-0": {}}})
	w.Publish("shop", Cluster{Nodes: map[string]Node{"shop-0": {}}})
	refuses := func(cluster types.String, node string) string {
		var diags diag.Diagnostics
		return fmt.Sprint(w.CheckCluster(cluster, []string{node}, &diags), len(diags))
	}
	for _, c := range [][3]string{{"web", "web-0", "false 0"}, {"web", "web-7", "false 0"}, {"db", "db-0", "false 0"}, {"", "web-0", "false 0"},
		{"shop", "web-0", "true 1"}, {"shop", "web-0", "true 0"}, {"db", "web-0", "true 1"}} {
		named := types.StringValue(c[0])
		if c[0] == "" {
			named = types.StringNull()
		}
		assert.Equal(t, c[2], refuses(named, c[1]), "%v", c)
	}
	assert.Equal(t, "false 0", refuses(types.StringUnknown(), "web-0"))
}

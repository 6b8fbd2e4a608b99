package say

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stretchr/testify/assert"
)

// TestTurnOf: each criterion has words of its own for a node that leaves by it.
func TestTurnOf(t *testing.T) {
	said := map[string]string{}
	f := &facts.Fact{Node: roster.Node{Index: 7}, Looked: true, Is: facts.Serving, Server: node.Node{CreatedAt: time.Unix(1, 0)}}
	for _, name := range deletion.AllCriteria() {
		words := turnOf(f, roster.Policy{Criteria: deletion.Criteria(name)})
		assert.Empty(t, said[words], "%s has the words of another: %s", name, words)
		said[words] = name
	}
}

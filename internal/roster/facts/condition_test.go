package facts_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stretchr/testify/assert"
)

// TestUnwell: a node whose service is unhealthy is out of service and unhealthy; a node whose server is off is only out
// of service.
func TestUnwell(t *testing.T) {
	for _, c := range []struct {
		server             node.Node
		trouble, unhealthy string
	}{
		{node.Node{Status: "ACTIVE", InService: "1"}, "", ""},
		{node.Node{Status: "PASSWORD", InService: "1"}, "", ""},
		{node.Node{Status: "VERIFY_RESIZE", InService: "1"}, "", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Deleting: true}, "its server is being deleted", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503"}, "its service is unhealthy (503)", "its service is unhealthy (503)"},
		{node.Node{Status: "SHUTOFF", InService: "1", Unwell: "503"}, "its server is in SHUTOFF", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503", Tainted: true}, "its service is unhealthy (503)", "it is marked as tainted"},
	} {
		seen := roster.NewSeen()
		seen.Servers["web-0"] = c.server
		f := facts.FactOf("web-0", roster.Node{Mark: "1"}, roster.Roster{}, seen, roster.Policy{RequireMarks: true})
		assert.Equal(t, c.trouble, say.Why(f), "%+v", c.server)
		assert.Equal(t, c.unhealthy != "", f.Unhealthy(), "%+v", c.server)
	}
}

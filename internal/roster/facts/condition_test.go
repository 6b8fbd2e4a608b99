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

// TestNotRemade: a server that should have been made again, and is not found, is not the old one.
func TestNotRemade(t *testing.T) {
	seen := roster.NewSeen()
	seen.Builds["web-0"] = roster.Build{Mark: "1", Generation: 1}
	for _, missing := range []bool{false, true} {
		seen.Missing["web-0"] = missing
		seen.Servers["web-0"] = node.Node{Status: "ACTIVE"}
		f := facts.FactOf("web-0", roster.Node{Mark: "2", Generation: 2}, roster.Roster{}, seen, roster.Policy{RequireMarks: true})
		assert.Equal(t, !missing, f.NotRemade, "missing: %v", missing)
	}
}

package roster

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// TestUnwell: a node whose service is unhealthy is not in service, and unhealthy;
// one whose server is off is only not in service.
func TestUnwell(t *testing.T) {
	for _, c := range []struct {
		server             node.Node
		trouble, unhealthy string
	}{
		{node.Node{Status: "ACTIVE", InService: "1"}, "", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503"}, "its service is unhealthy (503)", "its service is unhealthy (503)"},
		{node.Node{Status: "SHUTOFF", InService: "1", Unwell: "503"}, "its server is in SHUTOFF", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503", Tainted: true}, "its service is unhealthy (503)", "it is marked as tainted"},
	} {
		seen := NewSeen()
		seen.Servers["web-0"] = c.server
		f := factOf("web-0", Node{Mark: "1"}, Roster{}, seen, Policy{RequireMarks: true})
		if f.trouble != c.trouble || f.unhealthy != c.unhealthy {
			t.Errorf("%+v: got %q and %q", c.server, f.trouble, f.unhealthy)
		}
	}
}

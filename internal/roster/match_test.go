package roster

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// TestMatch: which of the servers that run is the node's, and where it then
// belongs.
func TestMatch(t *testing.T) {
	server := func(id, region, zone, status string) node.Node {
		return node.Node{ID: id, Name: "web-0", Region: region, Zone: zone, Status: status}
	}
	for _, c := range []struct {
		name    string
		servers []node.Node
		id      string // of the server matched; empty: none
		zone    string // of the node afterwards
	}{
		{"where it belongs", []node.Node{server("a", "R1", "az-1", "ACTIVE")}, "a", "az-1"},
		{"none", nil, "", "az-1"},
		{"in another region", []node.Node{server("a", "R2", "az-1", "ACTIVE")}, "", "az-1"},
		{"moved by an operator", []node.Node{server("a", "R1", "az-2", "ACTIVE")}, "a", "az-2"},
		{"moved and stopped", []node.Node{server("a", "R1", "az-2", "SHUTOFF")}, "a", "az-2"},
		{"on its way", []node.Node{server("a", "R1", "az-2", "MIGRATING")}, "a", "az-1"},
		{"failed elsewhere", []node.Node{server("a", "R1", "az-2", "ERROR")}, "a", "az-1"},
		{"in no zone yet", []node.Node{server("a", "R1", "", "ACTIVE")}, "a", "az-1"},
		{"two, the one in its zone", []node.Node{server("a", "R1", "az-2", "ACTIVE"), server("b", "R1", "az-1", "ACTIVE")}, "b", "az-1"},
		{"two in its zone, the first", []node.Node{server("a", "R1", "az-1", "ACTIVE"), server("b", "R1", "az-1", "ACTIVE")}, "a", "az-1"},
		{"two elsewhere, the first", []node.Node{server("a", "R1", "az-2", "ACTIVE"), server("b", "R1", "az-3", "ACTIVE")}, "a", "az-2"},
		{"somebody else's", []node.Node{{ID: "a", Name: "db-0", Region: "R1", Zone: "az-1", Status: "ACTIVE"}}, "", "az-1"},
	} {
		r := Roster{Nodes: map[string]Node{"web-0": {Place: Place{"R1", "az-1"}}}}
		if got := r.Match(c.servers)["web-0"].ID; got != c.id {
			t.Errorf("%s: matched %q, want %q", c.name, got, c.id)
		}
		if got := r.Nodes["web-0"].Zone; got != c.zone {
			t.Errorf("%s: the node belongs in %q, want %q", c.name, got, c.zone)
		}
	}

	anywhere := Roster{Nodes: map[string]Node{"web-0": {Place: Place{Region: "R1"}}}}
	anywhere.Match([]node.Node{server("a", "R1", "az-2", "ACTIVE")})
	if zone := anywhere.Nodes["web-0"].Zone; zone != "" {
		t.Errorf("the zone was left to Nova, and became %q", zone)
	}
}

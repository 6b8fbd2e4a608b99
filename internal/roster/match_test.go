package roster

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
)

// TestMatch: which of the servers that run is the node's, and where it then
// belongs.
func TestMatch(t *testing.T) {
	server := func(id, region, zone, status string) deletion.Node {
		return deletion.Node{ID: id, Name: "web-0", Region: region, Zone: zone, Status: status}
	}
	for _, c := range []struct {
		name    string
		servers []deletion.Node
		id      string // of the server matched; empty: none
		zone    string // of the node afterwards
	}{
		{"where it belongs", []deletion.Node{server("a", "R1", "az-1", "ACTIVE")}, "a", "az-1"},
		{"none", nil, "", "az-1"},
		{"in another region", []deletion.Node{server("a", "R2", "az-1", "ACTIVE")}, "", "az-1"},
		{"moved by an operator", []deletion.Node{server("a", "R1", "az-2", "ACTIVE")}, "a", "az-2"},
		{"moved and stopped", []deletion.Node{server("a", "R1", "az-2", "SHUTOFF")}, "a", "az-2"},
		{"on its way", []deletion.Node{server("a", "R1", "az-2", "MIGRATING")}, "a", "az-1"},
		{"failed elsewhere", []deletion.Node{server("a", "R1", "az-2", "ERROR")}, "a", "az-1"},
		{"in no zone yet", []deletion.Node{server("a", "R1", "", "ACTIVE")}, "a", "az-1"},
		{"two, the one in its zone", []deletion.Node{server("a", "R1", "az-2", "ACTIVE"), server("b", "R1", "az-1", "ACTIVE")}, "b", "az-1"},
		{"two in its zone, the first", []deletion.Node{server("a", "R1", "az-1", "ACTIVE"), server("b", "R1", "az-1", "ACTIVE")}, "a", "az-1"},
		{"two elsewhere, the first", []deletion.Node{server("a", "R1", "az-2", "ACTIVE"), server("b", "R1", "az-3", "ACTIVE")}, "a", "az-2"},
		{"somebody else's", []deletion.Node{{ID: "a", Name: "db-0", Region: "R1", Zone: "az-1", Status: "ACTIVE"}}, "", "az-1"},
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
	anywhere.Match([]deletion.Node{server("a", "R1", "az-2", "ACTIVE")})
	if zone := anywhere.Nodes["web-0"].Zone; zone != "" {
		t.Errorf("the zone was left to Nova, and became %q", zone)
	}
}

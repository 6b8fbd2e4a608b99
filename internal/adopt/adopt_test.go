package adopt_test

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/adopt"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// TestAdopt: servers whose names the pattern makes belong to the cluster, and new nodes get higher indices.
func TestAdopt(t *testing.T) {
	server := func(name, id, region, zone string) node.Node {
		return node.Node{Name: name, ID: id, Region: region, Zone: zone}
	}
	for _, c := range []struct {
		name    string
		servers []node.Node
		nodes   string
		next    int64
		fault   string
	}{
		{"those of its names, also with zeros", []node.Node{
			server("web-010", "a", "R1", "az-1"), server("web-2", "b", "R1", "az-2"), server("web-0003", "c", "R2", ""),
			server("db-20", "d", "R1", "az-1"), server("web-x", "e", "R1", "az-1"),
		}, "R1/az-1: web-010; R1/az-2: web-2; R2: web-0003", 11, ""},
		{"none", []node.Node{server("db-0", "a", "R1", "az-1")}, "", 0, "no server is named web-0, web-1 and so on. Servers such as " +
			"web-0.example.org have the import id web/{cluster}-{index}.example.org"},
		{"two of one index", []node.Node{server("web-1", "b", "R2", "az-1"), server("web-01", "a", "R1", "az-1")}, "", 0,
			"web-01 (a, in R1) and web-1 (b, in R2) have the same index, so it is not clear which one belongs to the cluster; rename or remove one"},
	} {
		r, err := adopt.Cluster("web", naming.Default, roster.Roster{}, c.servers)
		if c.fault != "" {
			if err == nil || err.Error() != c.fault {
				t.Errorf("%s: got %v, want %s", c.name, err, c.fault)
			}
			continue
		}
		if err != nil || plans.Layout(r) != c.nodes || r.Next != c.next {
			t.Errorf("%s: got %s, %+v, %v", c.name, plans.Layout(r), r, err)
		}
		for name, n := range r.Nodes {
			if got := naming.Default.Regexp("web").FindStringSubmatch(name)[1]; fmt.Sprintf("%0*d", len(got), n.Index) != got {
				t.Errorf("%s: %s has the index %d", c.name, name, n.Index)
			}
		}
	}
}

package placementtf

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wiring"
)

// wires has what a refresh knows about the wires between the nodes and their servers.
type wires struct {
	handed map[string]roster.Node // nodes that the servers were given
	now    roster.Roster          // roster with the nodes in the places of their servers
	before memory
	seen   roster.Seen
	listed []placement.Region
	closed func(region string) bool
}

// checkWires warns of loose wires. It searches by name for servers that were not found,
// and sends no request if all were found.
func checkWires(ctx context.Context, cloud *openstack.Cloud, w wires, diags *diag.Diagnostics) []wiring.Finding {
	var nodes []wiring.Node
	search := w.search(ctx, cloud)
	for name, n := range w.now.Nodes {
		if w.closed(n.Region) {
			continue
		}
		nodes = append(nodes, wiring.Node{
			Name:   name,
			Region: n.Region,
			Zone:   w.handed[name].Zone,
			Server: w.seen.Servers[name],
			Search: search[name],
			Had:    w.before.Seen.Servers[name].ID != "",
		})
	}
	findings := wiring.Check(nodes, w.before.Wires)
	for _, f := range findings {
		diags.AddWarning(fmt.Sprintf("The servers do not follow the %s of their nodes", f.Wire), f.Text())
	}
	return findings
}

// search looks for the servers that were not found, by name in all open regions. The
// results are not known if a region gives no complete answer.
func (w wires) search(ctx context.Context, cloud *openstack.Cloud) map[string]wiring.Search {
	q := cluster.Query{NoProfiles: true}
	for name := range w.seen.Missing {
		if region := w.now.Nodes[name].Region; !w.closed(region) {
			q.Names, q.Regions = append(q.Names, name), append(q.Regions, region)
		}
	}
	for _, r := range w.listed {
		q.Regions = append(q.Regions, r.Name)
	}
	q.Regions = slices.DeleteFunc(q.Regions, w.closed)
	if len(q.Names) == 0 {
		return nil
	}
	servers, err := cluster.Read(ctx, cloud, q)
	found := map[string]wiring.Search{}
	for _, name := range q.Names {
		found[name] = wiring.Search{Complete: err == nil}
	}
	for _, s := range servers {
		found[s.Name] = wiring.Search{Complete: true, Found: append(found[s.Name].Found, s)}
	}
	return found
}

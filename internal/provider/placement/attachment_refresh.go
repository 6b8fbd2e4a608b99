package placement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// refresh looks at the servers of the nodes that are remembered. One that an
// operator moved to another zone keeps its name, and its place follows it.
func (m *attachmentModel) refresh(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) {
	r := m.roster()
	if len(r.Nodes) == 0 {
		m.observe(nil)
		return
	}
	cloud := b.Get(diags)
	query := m.query(ctx, r, diags)
	if diags.HasError() {
		return
	}
	servers, err := cluster.Read(ctx, cloud, query)
	if err != nil {
		diags.AddError("Unable to read the cluster", err.Error()+"\n\nTo grow without a region that cannot be reached, leave it out of regions for now, and plan with -refresh=false.")
		return
	}
	m.observe(r.Match(servers))
	m.remember(ctx, r, diags)
}

// query asks for the servers that have the names of the nodes.
func (m attachmentModel) query(ctx context.Context, r roster.Roster, diags *diag.Diagnostics) cluster.Query {
	regions := map[string]bool{}
	for _, n := range r.Nodes {
		regions[n.Region] = true
	}
	q := cluster.Query{
		Regions:    slices.Collect(maps.Keys(regions)),
		Selector:   cluster.Selector{Names: slices.Collect(maps.Keys(r.Nodes))},
		Keys:       nodes.Selector{}.Keys(),
		Remembered: map[string]string{},
	}
	for name, n := range m.facts(diags) {
		q.Remembered[n.ID] = name
	}
	if selector := value.Object[nodes.Selector](ctx, m.Selector, diags); selector != nil {
		names := q.Names
		q.Selector, q.Keys = selector.Selector(ctx, diags), selector.Keys()
		q.Names = names
	}
	return q
}

// adopt takes over the servers of a running cluster: those named after it, in
// all regions.
func (m *attachmentModel) adopt(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) {
	cloud := b.Get(diags)
	if cloud == nil {
		return
	}
	name := m.Cluster.ValueString()
	regions, err := cloud.ComputeRegions(ctx)
	var servers []node.Node
	if err == nil {
		servers, err = cluster.Read(ctx, cloud, cluster.Query{Regions: regions,
			Selector: cluster.Selector{NameRegex: roster.AdoptedName(name).String()},
			Keys:     nodes.Selector{}.Keys()})
	}
	if err != nil {
		diags.AddError("Unable to read the cluster", err.Error())
		return
	}
	r, err := roster.Adopt(name, servers)
	if err != nil {
		diags.AddAttributeError(path.Root("cluster"), "Unable to adopt the cluster", fmt.Sprintf("In the regions %s %s.", strings.Join(regions, ", "), err))
		return
	}
	m.ID = m.Cluster
	m.DesiredCapacity = types.Int64Value(int64(len(r.Nodes)))
	m.NodeName = types.StringValue(string(roster.DefaultPattern))
	m.MaxMoves = types.Int64Value(0)
	m.Summary = types.StringValue("")
	m.record(roster.Change{})
	m.observe(r.Match(servers))
	m.remember(ctx, r, diags)
}

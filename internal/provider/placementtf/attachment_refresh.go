package placementtf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// refresh looks at the servers of the nodes that are remembered. It reports
// false where nothing was found out, and the state stays as it is.
func (m *attachmentModel) refresh(ctx context.Context, b *backend.Backend, before roster.Seen, zones map[string]string, diags *diag.Diagnostics) (roster.Roster, roster.Seen, bool) {
	r := m.roster(zones)
	if len(r.Nodes) == 0 {
		return r, roster.Seen{}, true
	}
	cloud := b.Get(diags)
	query := m.query(ctx, r, before, diags)
	if diags.HasError() {
		return r, before, false
	}
	servers, err := cluster.Read(ctx, cloud, query)
	if gone, ok := errors.AsType[*cluster.GroupGoneError](err); ok {
		diags.AddAttributeWarning(path.Root("selector").AtName("servergroup_id"), "The server group of the selector is gone",
			fmt.Sprintf("%s: no server was looked at, and what the last refresh saw counts. Correct or remove servergroup_id.", gone.Error()))
		return r, before, false
	}
	if err != nil {
		reportRead(err, diags)
		return r, before, false
	}
	listed := m.listedRegions(ctx, diags)
	zoned := func(region string) bool {
		return slices.ContainsFunc(listed, func(p placement.Region) bool { return p.Name == region && len(p.Zones) > 0 })
	}
	r, seen, notices := roster.Match(r, servers, before, zoned)
	for _, n := range notices {
		diags.AddWarning(string(n.Title), n.Text)
	}
	return r, seen, true
}

// query asks for the servers that have the names of the nodes.
func (m attachmentModel) query(ctx context.Context, r roster.Roster, before roster.Seen, diags *diag.Diagnostics) cluster.Query {
	regions := map[string]bool{}
	for _, n := range r.Nodes {
		regions[n.Region] = true
	}
	byProfile := m.deletion(ctx, diags).Criteria.ValueString() == string(deletion.OldestProfileFirst) && m.template() == nil
	q := cluster.Query{
		Regions:    slices.Collect(maps.Keys(regions)),
		Keys:       nodes.Selector{}.Keys(),
		Remembered: map[string]string{},
		NoProfiles: !byProfile,
		Faults:     true,
	}
	for name, server := range before.Servers {
		q.Remembered[server.ID] = name
	}
	if selector := value.Object[nodes.Selector](ctx, m.Selector, diags); selector != nil {
		q.Selector, q.Keys = selector.Selector(ctx, diags), selector.Keys()
	}
	q.Names = r.Names()
	return q
}

// adopt takes over the servers of a running cluster: those whose names the
// pattern makes, in all regions. The regions and zones become those where the
// servers are, so nothing moves.
func (m *attachmentModel) adopt(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) (roster.Roster, roster.Seen, bool) {
	cloud := b.Get(diags)
	if cloud == nil {
		return roster.Roster{}, roster.Seen{}, false
	}
	name, pattern := m.Cluster.ValueString(), roster.Pattern(m.NodeNamePattern.ValueString())
	regions, err := cloud.ComputeRegions(ctx)
	var servers []node.Node
	if err == nil {
		servers, err = cluster.Read(ctx, cloud, cluster.Query{Regions: regions,
			Selector: cluster.Selector{NameRegex: pattern.Regexp(name).String()}, Keys: nodes.Selector{}.Keys()})
	}
	if err != nil {
		reportRead(err, diags)
		return roster.Roster{}, roster.Seen{}, false
	}
	r, err := roster.Adopt(name, pattern, servers)
	if err != nil {
		diags.AddAttributeError(path.Root("cluster"), "Unable to adopt the cluster", fmt.Sprintf("In the regions %s %s.", strings.Join(regions, ", "), err))
		return r, roster.Seen{}, false
	}
	m.ID = m.Cluster
	m.DesiredCapacity = value.WholeOf(int64(len(r.Nodes)))
	m.Regions = places.Value(r.Places())
	m.Remaining = types.Int64Value(0)
	m.record(ctx, r, roster.Change{}, diags)
	r, seen, _ := roster.Match(r, servers, roster.Seen{}, func(string) bool { return false })
	return r, seen, true
}

// reportRead reports a cluster that could not be read.
func reportRead(err error, diags *diag.Diagnostics) {
	nodes.ReportRead(err, path.Root("selector").AtName("servergroup_id"),
		"To grow without a region that cannot be reached, leave it out of regions for now, and plan with -refresh=false.", diags)
}

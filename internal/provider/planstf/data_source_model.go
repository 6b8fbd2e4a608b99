package planstf

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

type regionPlanModel struct {
	Regions places.Regions `tfsdk:"regions"`
	planModel
}

// Validate implements [backend.Model].
func (m regionPlanModel) Validate(ctx context.Context, diags *diag.Diagnostics) {
	m.Regions.Check(diags)
	if places.Nameless(m.Regions.List) {
		diags.AddAttributeError(path.Root("regions"), "A region without a name", "A region plan needs all names.")
	}
	m.planModel.Validate(ctx, diags)
}

type zonePlanModel struct {
	Region types.String  `tfsdk:"region"`
	Zones  types.Dynamic `tfsdk:"zones"`
	planModel
}

// Validate implements [backend.Model].
func (m zonePlanModel) Validate(ctx context.Context, diags *diag.Diagnostics) {
	places.ReadZones(m.Zones, diags)
	m.planModel.Validate(ctx, diags)
}

// inRegion returns the nodes that are in a region, or that name no region.
func inRegion(list []node.Node, region string) []node.Node {
	var here []node.Node
	for _, n := range list {
		if n.Region == "" || n.Region == region {
			n.Region = region
			here = append(here, n)
		}
	}
	return here
}

// planModel has the fields that a region plan and a zone plan share; data sources embed it.
type planModel struct {
	Nodes         types.List   `tfsdk:"nodes"`
	RespectQuotas types.Bool   `tfsdk:"respect_quotas"`
	FlavorID      types.String `tfsdk:"flavor_id"`
	requesttf.Model
	Status       types.String `tfsdk:"status"`
	Reason       types.String `tfsdk:"reason"`
	Creation     types.Object `tfsdk:"creation"`
	Deletion     types.Object `tfsdk:"deletion"`
	Distribution types.Map    `tfsdk:"distribution"`
	Target       types.Map    `tfsdk:"target"`
	Summary      types.String `tfsdk:"summary"`
}

// plan reads the nodes and the request, and reports what is wrong with them.
func (m planModel) plan(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) plan {
	p := plan{
		cloud:  b.Get(ctx, diags),
		nodes:  nodes.Read(m.Nodes, diags),
		quotas: m.RespectQuotas.ValueBool(),
		flavor: m.FlavorID.ValueString(),
	}
	if asked := m.Read(ctx, diags); asked != nil {
		p.request = *asked
	}
	return p
}

// fillRegions translates a plan of regions.
func (m *planModel) fillRegions(p *planned) {
	changed := p.change.ByRegion()
	now, after, listsZones := map[string]int64{}, map[string]int64{}, map[string]bool{}
	for _, row := range p.board.Rows() {
		if row.IsZone {
			listsZones[row.Region] = true
			continue
		}
		now[row.Region], after[row.Region] = row.Bin.Current, row.Bin.Current+changed[row.Region]
		changed[row.Region] = magnitude(changed[row.Region])
	}
	maps.DeleteFunc(changed, func(_ string, n int64) bool { return n == 0 })
	zones := types.MapNull(value.ZoneCountsType)
	if len(listsZones) > 0 {
		of := maps.Clone(p.change) // the regions that list no zones are removed
		maps.DeleteFunc(of, func(at placement.Place, _ int64) bool { return !listsZones[at.Region] })
		zones = value.ZoneCounts(of.ByZone())
	}
	share := map[string]attr.Value{"regions": value.Counts(changed), "zones": zones}
	m.fill(p, now, after, share)
}

// fillZones translates a plan of the zones of one region.
func (m *planModel) fillZones(region string, p *planned) {
	now, after, changed := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, row := range p.board.Rows() {
		if !row.IsZone {
			continue
		}
		n := p.change[row.Place]
		now[row.Zone], after[row.Zone] = row.Bin.Current, row.Bin.Current+n
		if n != 0 {
			changed[row.Zone] = magnitude(n)
		}
	}
	share := map[string]attr.Value{"region": types.StringValue(region), "zones": value.Counts(changed)}
	m.fill(p, now, after, share)
}

func magnitude(n int64) int64 { return max(n, -n) }

func (m *planModel) fill(p *planned, now, after map[string]int64, share map[string]attr.Value) {
	count, kind := p.change.Total(), map[string]attr.Type{}
	share["count"] = types.Int64Value(magnitude(count))
	for name, v := range share {
		kind[name] = v.Type(context.Background())
	}
	m.Status, m.Reason = types.StringValue("OK"), types.StringValue(p.reason)
	m.Distribution, m.Target = value.Counts(now), value.Counts(after)
	m.Creation, m.Deletion = types.ObjectNull(kind), types.ObjectNull(kind)
	m.Summary = types.StringValue(p.board.Change(p.change))
	switch {
	case count > 0:
		m.Creation = types.ObjectValueMust(kind, share)
	case count < 0:
		m.Deletion = types.ObjectValueMust(kind, share)
	}
}

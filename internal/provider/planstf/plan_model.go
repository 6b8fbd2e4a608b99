package planstf

import (
	"context"
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// planModel is the result of a region or zone plan; data sources embed it.
type planModel struct {
	Status       types.String `tfsdk:"status"`
	Reason       types.String `tfsdk:"reason"`
	Creation     types.Object `tfsdk:"creation"`
	Deletion     types.Object `tfsdk:"deletion"`
	Distribution types.Map    `tfsdk:"distribution"`
	Target       types.Map    `tfsdk:"target"`
	Summary      types.String `tfsdk:"summary"`
}

var (
	countsType      = types.MapType{ElemType: types.Int64Type}
	regionShareType = map[string]attr.Type{
		"count":   types.Int64Type,
		"regions": countsType,
		"zones":   types.MapType{ElemType: countsType},
	}
	zoneShareType = map[string]attr.Type{"count": types.Int64Type, "region": types.StringType, "zones": countsType}
)

// planAttributes adds the result to the attributes; kind is region or zone, and
// where has the attributes of a share that say where its nodes are.
func planAttributes(kind string, where, attributes map[string]schema.Attribute) map[string]schema.Attribute {
	counts := func(description string) schema.Attribute {
		return schema.MapAttribute{ElementType: types.Int64Type, Computed: true, MarkdownDescription: description}
	}
	share := func(verb string) schema.Attribute {
		inside := map[string]schema.Attribute{
			"count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes to " + verb + "."},
		}
		maps.Copy(inside, where)
		return schema.SingleNestedAttribute{
			Computed:   true,
			Attributes: inside,
			MarkdownDescription: "Nodes to " + verb + ". Null where none are. Fits into the `decision` of another " +
				"plan as it is.",
		}
	}
	attributes["status"] = schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "`OK`: a plan that cannot be made is an error.",
	}
	attributes["reason"] = schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "The result of the request, in a sentence.",
	}
	attributes["creation"] = share("create")
	attributes["deletion"] = share("delete")
	attributes["distribution"] = counts(
		"Number of nodes in each " + kind + " now: in all that are listed, also those without nodes, and in all that " +
			"have nodes.",
	)
	attributes["target"] = counts("Number of nodes in each of them after the change.")
	attributes["summary"] = schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "The plan as a table for people: each place with its nodes now and after, its ideal " +
			"share and its cap.",
	}
	return attributes
}

func regionShareAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"regions": schema.MapAttribute{
			ElementType:         types.Int64Type,
			Computed:            true,
			MarkdownDescription: "Of them, the number in each region that changes.",
		},
		"zones": schema.MapAttribute{
			ElementType: countsType,
			Computed:    true,
			MarkdownDescription: "Of them, the number in each zone that changes, by region and zone. Null where no " +
				"region lists zones.",
		},
	}
}

func zoneShareAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"region": schema.StringAttribute{Computed: true, MarkdownDescription: "Region of the zones."},
		"zones": schema.MapAttribute{
			ElementType:         types.Int64Type,
			Computed:            true,
			MarkdownDescription: "Of them, the number in each zone that changes.",
		},
	}
}

// fillRegions translates a plan of regions.
func (m *planModel) fillRegions(ctx context.Context, p *planned, diags *diag.Diagnostics) {
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
	zones := types.MapNull(countsType)
	if len(listsZones) > 0 {
		of := maps.Clone(p.change) // only of regions that list zones
		maps.DeleteFunc(of, func(at placement.Place, _ int64) bool { return !listsZones[at.Region] })
		var more diag.Diagnostics
		zones, more = types.MapValueFrom(ctx, countsType, of.ByZone())
		diags.Append(more...)
	}
	share := map[string]attr.Value{"regions": value.Counts(ctx, changed, diags), "zones": zones}
	m.fill(ctx, p, now, after, regionShareType, share, diags)
}

// fillZones translates a plan of the zones of one region.
func (m *planModel) fillZones(ctx context.Context, region string, p *planned, diags *diag.Diagnostics) {
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
	share := map[string]attr.Value{"region": types.StringValue(region), "zones": value.Counts(ctx, changed, diags)}
	m.fill(ctx, p, now, after, zoneShareType, share, diags)
}

func magnitude(n int64) int64 { return max(n, -n) }

func (m *planModel) fill(ctx context.Context, p *planned, now, after map[string]int64, kind map[string]attr.Type,
	share map[string]attr.Value, diags *diag.Diagnostics,
) {
	m.Status, m.Reason = types.StringValue("OK"), types.StringValue(p.reason)
	m.Distribution, m.Target = value.Counts(ctx, now, diags), value.Counts(ctx, after, diags)
	m.Creation, m.Deletion = types.ObjectNull(kind), types.ObjectNull(kind)
	m.Summary = types.StringValue(p.board.Change(p.change))
	count := p.change.Total()
	share["count"] = types.Int64Value(magnitude(count))
	switch {
	case count > 0:
		m.Creation = types.ObjectValueMust(kind, share)
	case count < 0:
		m.Deletion = types.ObjectValueMust(kind, share)
	}
}

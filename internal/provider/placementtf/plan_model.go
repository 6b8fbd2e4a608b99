package placementtf

import (
	"context"
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
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
	regionShareType = map[string]attr.Type{"count": types.Int64Type, "regions": countsType, "zones": types.MapType{ElemType: countsType}}
	zoneShareType   = map[string]attr.Type{"count": types.Int64Type, "region": types.StringType, "zones": countsType}
)

// planAttributes adds the result to the attributes; kind is region or zone, and
// where has the attributes of a share that say where its nodes are.
func planAttributes(kind string, where, attributes map[string]schema.Attribute) map[string]schema.Attribute {
	counts := func(description string) schema.Attribute {
		return schema.MapAttribute{ElementType: types.Int64Type, Computed: true, MarkdownDescription: description}
	}
	share := func(verb string) schema.Attribute {
		inside := map[string]schema.Attribute{"count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes to " + verb + "."}}
		maps.Copy(inside, where)
		return schema.SingleNestedAttribute{Computed: true, Attributes: inside,
			MarkdownDescription: "Nodes to " + verb + ". Null where none are. Fits into the `decision` of another plan as it is."}
	}
	attributes["status"] = schema.StringAttribute{Computed: true, MarkdownDescription: "`OK`: a plan that cannot be made is an error."}
	attributes["reason"] = schema.StringAttribute{Computed: true, MarkdownDescription: "The result of the request, in a sentence."}
	attributes["creation"] = share("create")
	attributes["deletion"] = share("delete")
	attributes["distribution"] = counts("Number of nodes in each " + kind + " now: in all that are listed, also those without nodes, and in all that have nodes.")
	attributes["target"] = counts("Number of nodes in each of them after the change.")
	attributes["summary"] = schema.StringAttribute{Computed: true,
		MarkdownDescription: "The plan as a table for people: each place with its nodes now and after, its ideal share and its cap."}
	return attributes
}

func regionShareAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"regions": schema.MapAttribute{ElementType: types.Int64Type, Computed: true, MarkdownDescription: "Of them, the number in each region that changes."},
		"zones": schema.MapAttribute{ElementType: countsType, Computed: true,
			MarkdownDescription: "Of them, the number in each zone that changes, by region and zone. Null where no region lists zones."},
	}
}

func zoneShareAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"region": schema.StringAttribute{Computed: true, MarkdownDescription: "Region of the zones."},
		"zones":  schema.MapAttribute{ElementType: types.Int64Type, Computed: true, MarkdownDescription: "Of them, the number in each zone that changes."},
	}
}

// fillRegions translates a plan of regions.
func (m *planModel) fillRegions(ctx context.Context, plan *cluster.Spread, reason string, diags *diag.Diagnostics) {
	regions, zones := plan.Changed()
	now, after, zoned := map[string]int64{}, map[string]int64{}, false
	for i, n := range plan.After() {
		r := plan.Regions[i]
		now[r.Name], after[r.Name] = r.Nodes(), n
		zoned = zoned || len(r.Zones) > 0
	}
	byZone, more := types.MapValueFrom(ctx, countsType, zones)
	diags.Append(more...)
	if !zoned {
		byZone = types.MapNull(countsType)
	}
	m.fill(ctx, plan, reason, now, after, regionShareType, map[string]attr.Value{"regions": value.Counts(ctx, regions, diags), "zones": byZone}, diags)
	m.Summary = types.StringValue(places.Summary(plan, false))
}

// fillZones translates a plan of the zones of one region.
func (m *planModel) fillZones(ctx context.Context, plan *cluster.Spread, reason string, diags *diag.Diagnostics) {
	region := plan.Regions[0]
	_, zones := plan.Changed()
	now, after := map[string]int64{}, map[string]int64{}
	for j, z := range region.Zones {
		now[z.Name], after[z.Name] = z.Current, z.Current+plan.Changes[0].Zones[j]
	}
	m.fill(ctx, plan, reason, now, after, zoneShareType, map[string]attr.Value{
		"region": types.StringValue(region.Name), "zones": value.Counts(ctx, zones[region.Name], diags)}, diags)
	m.Summary = types.StringValue(places.Summary(plan, true))
}

func (m *planModel) fill(ctx context.Context, plan *cluster.Spread, reason string, now, after map[string]int64, kind map[string]attr.Type, share map[string]attr.Value, diags *diag.Diagnostics) {
	m.Status, m.Reason = types.StringValue("OK"), types.StringValue(reason)
	m.Distribution, m.Target = value.Counts(ctx, now, diags), value.Counts(ctx, after, diags)
	m.Creation, m.Deletion = types.ObjectNull(kind), types.ObjectNull(kind)
	count := plan.Total()
	share["count"] = types.Int64Value(max(count, -count))
	switch {
	case count > 0:
		m.Creation = types.ObjectValueMust(kind, share)
	case count < 0:
		m.Deletion = types.ObjectValueMust(kind, share)
	}
}

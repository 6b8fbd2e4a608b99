package planstf

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// NewRegionPlan returns stackpolicy_region_plan, the region placement policy.
func NewRegionPlan() datasource.DataSource {
	return &backend.DataSource[regionPlanModel]{Name: "region_plan", Fields: regionPlanSchema, Fill: fillRegionPlan}
}

type regionPlanModel struct {
	Regions types.List `tfsdk:"regions"`
	planModel
}

func regionPlanSchema() schema.Schema {
	regions := places.Argument("region", true)
	regions.Optional, regions.Required = false, true
	regions.Validators = append(regions.Validators, listvalidator.SizeAtLeast(1))
	regions.MarkdownDescription = "The regions to spread nodes over, and the availability zones in each." +
		places.Misspelled
	return planSchema(
		"region",
		"Plans how many nodes to add to, or to remove from, each of several regions, by weight and within caps, as "+
			"Senlin's region placement policy promised. A region that Keystone does not know is an error. A region "+
			"without a compute endpoint, or a zone that is not available, takes no nodes, with a warning. When nodes "+
			"are removed, the region keeps its nodes, and the zone loses its share. Nodes in places that are not "+
			"listed are removed first. "+requesttf.NotForetold,
		map[string]schema.Attribute{
			"regions": attribute.ComputedMap(types.Int64Type, "Nodes by region."),
			"zones": attribute.ComputedMap(value.ZoneCountsType,
				"Nodes by region and zone. Null if no region lists zones."),
		},
		map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id` and a `region`, and a `zone` where zones are planned. " +
				"Nodes that are `protected` stay."),
			"regions": regions,
		},
	)
}

func fillRegionPlan(ctx context.Context, b *backend.Backend, model *regionPlanModel, diags *diag.Diagnostics) {
	p := model.plan(ctx, b, diags)
	p.listed = places.Listed{Regions: places.ReadRegions(model.Regions)}
	for i, n := range p.nodes {
		if n.Region == "" {
			diags.AddAttributeError(path.Root("nodes").AtListIndex(i).AtName("region"), "Node without a region",
				fmt.Sprintf("The node %q has no region. A region plan needs the region of every node.", n.ID))
		}
	}
	if diags.HasError() {
		return
	}
	if result := p.run(ctx, diags); result != nil {
		model.fillRegions(result)
	}
}

// NewZonePlan returns stackpolicy_zone_plan, the zone placement policy.
func NewZonePlan() datasource.DataSource {
	return &backend.DataSource[zonePlanModel]{Name: "zone_plan", Fields: zonePlanSchema, Fill: fillZonePlan}
}

type zonePlanModel struct {
	Region types.String `tfsdk:"region"`
	Zones  types.List   `tfsdk:"zones"`
	planModel
}

func zonePlanSchema() schema.Schema {
	zones := places.Argument("zone", false)
	zones.Optional, zones.Required = false, true
	zones.Validators = append(zones.Validators, listvalidator.SizeAtLeast(1))
	zones.MarkdownDescription = "The availability zones to spread nodes over." + places.Misspelled
	return planSchema(
		"zone",
		"Plans how many nodes to add to, or to remove from, each availability zone of a region, by weight and within "+
			"caps, as Senlin's zone placement policy promised. A zone that Nova does not list is an error, unless it "+
			"has nodes, which leave last. A zone that is not available takes no nodes, with a warning, and loses its "+
			"share. Nodes in zones that are not listed are removed first. "+requesttf.NotForetold,
		map[string]schema.Attribute{
			"region": attribute.ComputedText("Region of the zones."),
			"zones":  attribute.ComputedMap(types.Int64Type, "Nodes by zone."),
		},
		map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id`, and a `zone` once it has one. Nodes of another region are " +
				"left out; nodes without a region count as in this one. Nodes that are `protected` stay."),
			"region": places.RegionArgument("Region of the zones. Defaults to the provider's."),
			"zones":  zones,
		},
	)
}

func fillZonePlan(ctx context.Context, b *backend.Backend, model *zonePlanModel, diags *diag.Diagnostics) {
	p := model.plan(ctx, b, diags)
	if diags.HasError() {
		return
	}
	if b.Compute(ctx, &model.Region, diags); diags.HasError() {
		return
	}
	region := model.Region.ValueString()
	p.listed, p.nodes = places.InRegion(region, places.ReadBins(model.Zones)), inRegion(p.nodes, region)
	if result := p.run(ctx, diags); result != nil {
		model.fillZones(region, result)
	}
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

// planSchema returns the schema of a plan; kind is region or zone, and share has the
// attributes of a decision.
func planSchema(kind, description string, share, attributes map[string]schema.Attribute) schema.Schema {
	decided := func(verb string) schema.Attribute {
		inside := maps.Clone(share)
		inside["count"] = attribute.ComputedNumber("Number of nodes to " + verb + ".")
		return attribute.ComputedObject("Nodes to "+verb+"; null if there are none. Fits into the `decision` of "+
			"another plan.", inside)
	}
	attributes = requesttf.Attributes(attributes)
	attributes["respect_quotas"] = attribute.Flag("Whether the project's quotas count as caps of regions, " +
		"with a warning where they bind. Defaults to `false`.")
	attributes["flavor_id"] = attribute.Text("Flavor of the nodes: `respect_quotas` then counts cores and RAM too.")
	attributes["status"] = attribute.ComputedText("`OK`: a plan that cannot be made is an error.")
	attributes["reason"] = attribute.ComputedText("The result of the request, in a sentence.")
	attributes["creation"] = decided("create")
	attributes["deletion"] = decided("delete")
	attributes["distribution"] = attribute.ComputedMap(types.Int64Type, "Number of nodes in each "+kind+" now.")
	attributes["target"] = attribute.ComputedMap(types.Int64Type, "Number of nodes in each "+kind+" after the change.")
	attributes["summary"] = attribute.ComputedText("The plan as a table.")
	return schema.Schema{
		MarkdownDescription: description,
		Attributes:          attributes,
		Blocks:              requesttf.Blocks(requesttf.Precedence),
	}
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

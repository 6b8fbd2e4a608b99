package planstf

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
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

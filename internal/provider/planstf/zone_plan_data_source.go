package planstf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// NewZonePlan returns stackpolicy_zone_plan.
func NewZonePlan() datasource.DataSource {
	return &zonePlanDataSource{backend.DataSource[zonePlanModel]{Name: "zone_plan", Fields: zonePlanSchema}}
}

// zonePlanDataSource is stackpolicy_zone_plan, the zone placement policy.
type zonePlanDataSource struct {
	backend.DataSource[zonePlanModel]
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
			"share. Nodes in zones that are not listed are removed first.",
		zoneShare(),
		map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id`, and a `zone` once it has one. Nodes of another region are " +
				"left out; nodes without a region count as in this one. Nodes that are `protected` stay."),
			"region": places.RegionArgument("Region of the zones. Defaults to the provider's."),
			"zones":  zones,
		},
	)
}

func (d *zonePlanDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model zonePlanModel
	diags := &resp.Diagnostics
	diags.Append(req.Config.Get(ctx, &model)...)
	p := model.plan(ctx, d.Backend, diags)
	if diags.HasError() {
		return
	}
	if d.Backend.Compute(ctx, &model.Region, diags); diags.HasError() {
		return
	}
	region := model.Region.ValueString()
	p.listed, p.nodes = places.InRegion(region, places.ReadBins(model.Zones)), inRegion(p.nodes, region)
	if result := p.run(ctx, diags); result != nil {
		model.fillZones(ctx, region, result, diags)
		diags.Append(resp.State.Set(ctx, &model)...)
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

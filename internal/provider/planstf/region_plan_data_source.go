package planstf

import (
	"context"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// NewRegionPlan returns stackpolicy_region_plan.
func NewRegionPlan() datasource.DataSource {
	return &regionPlanDataSource{backend.DataSource[regionPlanModel]{Name: "region_plan", Fields: regionPlanSchema}}
}

// regionPlanDataSource is stackpolicy_region_plan, the region placement policy.
type regionPlanDataSource struct {
	backend.DataSource[regionPlanModel]
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
			"listed are removed first.",
		regionShare(),
		map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id` and a `region`, and a `zone` where zones are planned. " +
				"Nodes that are `protected` stay."),
			"regions": regions,
		},
	)
}

func (d *regionPlanDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model regionPlanModel
	diags := &resp.Diagnostics
	diags.Append(req.Config.Get(ctx, &model)...)
	p := model.plan(ctx, d.Backend, diags)
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
		model.fillRegions(ctx, result, diags)
		diags.Append(resp.State.Set(ctx, &model)...)
	}
}

package planstf

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
)

// NewRegionPlan returns stackpolicy_region_plan, the region placement policy.
func NewRegionPlan() datasource.DataSource {
	return &backend.DataSource[regionPlanModel]{Name: "region_plan", Fields: regionPlanSchema, Fill: fillRegionPlan}
}

func fillRegionPlan(ctx context.Context, b *backend.Backend, model *regionPlanModel, diags *diag.Diagnostics) {
	p := model.plan(ctx, b, diags)
	p.listed = places.Listed{Regions: places.ReadRegions(model.Regions.List)}
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

func fillZonePlan(ctx context.Context, b *backend.Backend, model *zonePlanModel, diags *diag.Diagnostics) {
	p := model.plan(ctx, b, diags)
	if diags.HasError() {
		return
	}
	if b.Compute(ctx, &model.Region, diags); diags.HasError() {
		return
	}
	region := model.Region.ValueString()
	p.listed, p.nodes = places.InRegion(region, places.ReadZones(model.Zones, diags)), inRegion(p.nodes, region)
	if result := p.run(ctx, diags); result != nil {
		model.fillZones(region, result)
	}
}

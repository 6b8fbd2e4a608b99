package affinitytf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
)

// NewPlan returns stackpolicy_affinity_plan.
func NewPlan() datasource.DataSource {
	return &planDataSource{backend.DataSource[planModel]{Name: "affinity_plan", Fields: planSchema}}
}

// planDataSource is stackpolicy_affinity_plan: a placement for each new node of a
// server group.
type planDataSource struct{ backend.DataSource[planModel] }

func (d *planDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model planModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	asked := model.Read(ctx, &resp.Diagnostics)
	cloud, compute := d.Backend.Compute(ctx, &model.Region, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.plan(ctx, cloud, compute, *asked, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

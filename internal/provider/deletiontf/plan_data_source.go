package deletiontf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
)

// NewPlan returns stackpolicy_deletion_plan.
func NewPlan() datasource.DataSource {
	return &planDataSource{backend.DataSource[planModel]{Name: "deletion_plan", Fields: planSchema}}
}

// planDataSource is stackpolicy_deletion_plan, the deletion policy. It
// needs no cloud.
type planDataSource struct{ backend.DataSource[planModel] }

func (d *planDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model planModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	members := model.nodes(&resp.Diagnostics)
	asked := model.request(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	chosen := model.choose(members, asked, &resp.Diagnostics)
	model.checkProtected(members, chosen, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.fill(ctx, members, chosen, asked.Terms(), &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

package deletiontf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
)

var _ datasource.DataSourceWithValidateConfig = &planDataSource{}

// NewPlan returns stackpolicy_deletion_plan.
func NewPlan() datasource.DataSource { return &planDataSource{} }

// planDataSource is stackpolicy_deletion_plan, the deletion policy. It
// needs no cloud.
type planDataSource struct{}

func (d *planDataSource) Metadata(
	_ context.Context,
	req datasource.MetadataRequest,
	resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_deletion_plan"
}

func (d *planDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = planSchema()
}

func (d *planDataSource) ValidateConfig(
	ctx context.Context,
	req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	var model planModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() ||
		!value.Known(ctx, model.ScaleIn, model.Resize, model.DeleteNodes, model.Decision) {
		return
	}
	model.request(ctx, &resp.Diagnostics)
}

func (d *planDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model planModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	members := model.nodes(ctx, &resp.Diagnostics)
	asked := model.request(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	chosen, terms := model.choose(members, asked, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.fill(ctx, members, chosen, terms, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

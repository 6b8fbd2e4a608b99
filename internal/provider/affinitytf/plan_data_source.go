package affinitytf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	_ datasource.DataSourceWithConfigure      = &planDataSource{}
	_ datasource.DataSourceWithValidateConfig = &planDataSource{}
)

// NewPlan returns stackpolicy_affinity_plan.
func NewPlan() datasource.DataSource { return &planDataSource{} }

// planDataSource is stackpolicy_affinity_plan: a placement for each new node of a
// server group.
type planDataSource struct{ backend.DataSource }

func (d *planDataSource) Metadata(
	_ context.Context,
	req datasource.MetadataRequest,
	resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_affinity_plan"
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
	if !resp.Diagnostics.HasError() {
		model.Validate(ctx, &resp.Diagnostics)
	}
}

func (d *planDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model planModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	asked := model.Read(ctx, &resp.Diagnostics)
	cloud := d.Backend.Get(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	region := places.RegionOr(ctx, cloud, model.Region, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.Region = types.StringValue(region)
	model.plan(ctx, cloud, *asked, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

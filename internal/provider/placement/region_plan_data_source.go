package placement

import (
	"context"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

var (
	_ datasource.DataSourceWithConfigure      = &regionPlanDataSource{}
	_ datasource.DataSourceWithValidateConfig = &regionPlanDataSource{}
)

// NewRegionPlan returns stackpolicy_region_plan.
func NewRegionPlan() datasource.DataSource { return &regionPlanDataSource{} }

// regionPlanDataSource is stackpolicy_region_plan, the region placement policy.
type regionPlanDataSource struct{ backend.DataSource }

type regionPlanModel struct {
	Nodes         types.List   `tfsdk:"nodes"`
	Regions       types.List   `tfsdk:"regions"`
	RespectQuotas types.Bool   `tfsdk:"respect_quotas"`
	FlavorID      types.String `tfsdk:"flavor_id"`
	request.Model
	planModel
}

func (d *regionPlanDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_region_plan"
}

func (d *regionPlanDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Plans how many nodes go to, or leave, each of several regions, as Senlin's region placement policy promised: by weight, under caps, from what is there.\n\n" +
			"A region that Keystone does not know is an error. One without a compute endpoint for this user is skipped with a warning: it takes no nodes, and those that it has still count.",
		Attributes: request.Attributes(planAttributes("region", places.QuotaArguments(map[string]schema.Attribute{
			"nodes":   nodes.Argument("Each needs an `id` and a `region`."),
			"regions": places.BinsArgument("region"),
		}))),
	}
}

func (d *regionPlanDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var model regionPlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		model.Validate(ctx, &resp.Diagnostics)
	}
}

func (d *regionPlanDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model regionPlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	diags := &resp.Diagnostics
	cloud := d.Backend.Get(diags)
	nodes, bins, asked := nodes.Read(model.Nodes, diags), places.ReadBins(ctx, model.Regions, diags), model.Read(ctx, diags)
	counts := map[string]int64{}
	for i, n := range nodes {
		if n.Region == "" {
			diags.AddAttributeError(path.Root("nodes").AtListIndex(i).AtName("region"), "Node without a region",
				fmt.Sprintf("The node %q has no region. A region plan needs that of every node.", n.ID))
		}
		counts[n.Region]++
	}
	if diags.HasError() {
		return
	}
	notes := places.CloseRegions(ctx, cloud, bins, path.Root("regions"), diags)
	change, err := asked.Change(int64(len(nodes)))
	request.Report(err, diags)
	if diags.HasError() {
		return
	}
	bins = placement.Count(bins, counts)
	reason := text.Change(change)
	if place := asked.NodeCreate; place != nil && place.Region != "" {
		change, reason = 0, fmt.Sprintf("The region %s that the node names takes precedence: nothing is planned.", place.Region)
	}
	var quotas places.Quotas
	if model.RespectQuotas.ValueBool() && change > 0 {
		quotas = places.LimitByQuota(ctx, cloud, model.FlavorID.ValueString(), bins, diags)
		if diags.HasError() {
			return
		}
	}
	changes, err := placement.Distribute(bins, change)
	if err != nil {
		places.ReportPlan(err, diags)
		return
	}
	quotas.Warn(bins, changes, notes, diags)
	model.fill(ctx, "region", reason, bins, changes, notes, diags)
	diags.Append(resp.State.Set(ctx, &model)...)
}

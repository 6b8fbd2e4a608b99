package provider

import (
	"context"
	"fmt"

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

func newRegionPlanDataSource() datasource.DataSource { return &regionPlanDataSource{} }

// regionPlanDataSource is stackpolicy_region_plan, the region placement policy.
type regionPlanDataSource struct{ withBackend }

type regionPlanModel struct {
	Nodes         types.List   `tfsdk:"nodes"`
	Regions       types.List   `tfsdk:"regions"`
	RespectQuotas types.Bool   `tfsdk:"respect_quotas"`
	FlavorID      types.String `tfsdk:"flavor_id"`
	requestModel
	planModel
}

func (d *regionPlanDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_region_plan"
}

func (d *regionPlanDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Plans how many nodes go to, or leave, each of several regions, as Senlin's region placement policy promised: by weight, under caps, from what is there.\n\n" +
			"A region that Keystone does not know is an error. One without a compute endpoint for this user is skipped with a warning: it takes no nodes, and those that it has still count.",
		Attributes: requestAttributes(planAttributes("region", quotaArguments(map[string]schema.Attribute{
			"nodes":   nodesArgument("Each needs an `id` and a `region`."),
			"regions": binsArgument("region"),
		}))),
	}
}

func (d *regionPlanDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var model regionPlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		model.validate(ctx, &resp.Diagnostics)
	}
}

func (d *regionPlanDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model regionPlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	diags := &resp.Diagnostics
	cloud := d.backend.get(diags)
	nodes, bins, request := readNodes(model.Nodes, diags), readBins(ctx, model.Regions, diags), model.read(ctx, diags)
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
	notes := closeRegions(ctx, cloud, bins, path.Root("regions"), diags)
	change, err := request.Change(int64(len(nodes)))
	addRequestError(err, diags)
	if diags.HasError() {
		return
	}
	bins = placement.Count(bins, counts)
	reason := reasonFor(change)
	if place := request.NodeCreate; place != nil && place.Region != "" {
		change, reason = 0, fmt.Sprintf("The region %s that the node names takes precedence: nothing is planned.", place.Region)
	}
	var quotas quotas
	if model.RespectQuotas.ValueBool() && change > 0 {
		quotas = limitByQuota(ctx, cloud, model.FlavorID.ValueString(), bins, diags)
		if diags.HasError() {
			return
		}
	}
	changes, err := placement.Distribute(bins, change)
	if err != nil {
		addPlanError(err, quotas.text(), diags)
		return
	}
	quotas.warn(bins, changes, notes, diags)
	model.fill(ctx, "region", reason, bins, changes, notes, diags)
	diags.Append(resp.State.Set(ctx, &model)...)
}

package planstf

import (
	"context"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
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
	requesttf.Model
	planModel
}

func (d *regionPlanDataSource) Metadata(
	_ context.Context,
	req datasource.MetadataRequest,
	resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_region_plan"
}

func (d *regionPlanDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	regions := places.Argument("region", true)
	regions.Optional, regions.Required = false, true
	regions.Validators = append(regions.Validators, listvalidator.SizeAtLeast(1))
	regions.MarkdownDescription = "The regions to spread nodes over, in any order, and the availability zones in " +
		"each. Where a region lists zones these are planned too." + places.Misspelled
	resp.Schema = schema.Schema{
		MarkdownDescription: "Plans how many nodes to add to, or to remove from, each of several regions, as " +
			"Senlin's region placement policy promised: by weight and within caps, starting from the nodes that " +
			"exist.\n\n" +
			"A region that Keystone does not know is an error. One without a compute endpoint for this user is " +
			"skipped with a warning: " +
			"it takes no nodes, and keeps those that it has. So is a zone that is not available. " +
			"Nodes in places that are not listed are removed first, where such a place is usable.",
		Attributes: requesttf.Attributes(
			planAttributes("region", regionShareAttributes(), places.QuotaArguments(map[string]schema.Attribute{
				"nodes": nodes.Argument("Each needs an `id` and a `region`, and a `zone` where zones are planned. " +
					"Those that are `protected` stay: no removal counts on them."),
				"regions": regions,
			})),
		),
		Blocks: requesttf.Blocks(requesttf.Precedence),
	}
}

func (d *regionPlanDataSource) ValidateConfig(
	ctx context.Context,
	req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
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
	cloud := d.Backend.Get(ctx, diags)
	nodes, asked := nodes.Read(model.Nodes, diags), model.Read(ctx, diags)
	listed := places.Listed{Regions: places.ReadRegions(model.Regions)}
	for i, n := range nodes {
		if n.Region == "" {
			diags.AddAttributeError(path.Root("nodes").AtListIndex(i).AtName("region"), "Node without a region",
				fmt.Sprintf("The node %q has no region. A region plan needs that of every node.", n.ID))
		}
	}
	if diags.HasError() {
		return
	}
	result := plan{
		listed:  listed,
		nodes:   nodes,
		request: *asked,
		quotas:  model.RespectQuotas,
		flavor:  model.FlavorID,
	}.run(
		ctx,
		cloud,
		diags,
	)
	if result == nil {
		return
	}
	model.fillRegions(ctx, result, diags)
	diags.Append(resp.State.Set(ctx, &model)...)
}

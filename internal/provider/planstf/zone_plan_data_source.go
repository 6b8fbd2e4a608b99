package planstf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

var (
	_ datasource.DataSourceWithConfigure      = &zonePlanDataSource{}
	_ datasource.DataSourceWithValidateConfig = &zonePlanDataSource{}
)

// NewZonePlan returns stackpolicy_zone_plan.
func NewZonePlan() datasource.DataSource { return &zonePlanDataSource{} }

// zonePlanDataSource is stackpolicy_zone_plan, the zone placement policy.
type zonePlanDataSource struct{ backend.DataSource }

type zonePlanModel struct {
	Nodes         types.List   `tfsdk:"nodes"`
	Region        types.String `tfsdk:"region"`
	Zones         types.List   `tfsdk:"zones"`
	RespectQuotas types.Bool   `tfsdk:"respect_quotas"`
	FlavorID      types.String `tfsdk:"flavor_id"`
	requesttf.Model
	planModel
}

func (d *zonePlanDataSource) Metadata(
	_ context.Context,
	req datasource.MetadataRequest,
	resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_zone_plan"
}

func (d *zonePlanDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	zones := places.Argument("zone", false)
	zones.Optional, zones.Required = false, true
	zones.Validators = append(zones.Validators, listvalidator.SizeAtLeast(1))
	zones.MarkdownDescription = "The availability zones to spread nodes over, in any order." + places.Misspelled
	resp.Schema = schema.Schema{
		MarkdownDescription: "Plans how many nodes to add to, or to remove from, each availability zone of a region, " +
			"as Senlin's zone placement policy promised: by weight and within caps, starting from the nodes that " +
			"exist.\n\n" +
			"A zone that Nova does not list is an error. One that is not available is skipped with a warning: " +
			"it takes no nodes, and keeps those that it has. " +
			"Nodes in zones that are not listed are removed first, where such a zone is available.",
		Attributes: requesttf.Attributes(
			planAttributes("zone", zoneShareAttributes(), places.QuotaArguments(map[string]schema.Attribute{
				"nodes": nodes.Argument("Each needs an `id`, and a `zone` once it has one. " +
					"Nodes of another region are left out; those that name none are taken to be in this one. " +
					"Those that are `protected` stay: no removal counts on them."),
				"region": schema.StringAttribute{
					Optional:   true,
					Computed:   true,
					Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
					MarkdownDescription: "Region of the zones. Defaults to the provider's. Of a decision that names " +
						"regions the plan takes this one's share.",
				},
				"zones": zones,
			})),
		),
		Blocks: requesttf.Blocks(requesttf.Precedence),
	}
}

func (d *zonePlanDataSource) ValidateConfig(
	ctx context.Context,
	req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	var model zonePlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		model.Validate(ctx, &resp.Diagnostics)
	}
}

func (d *zonePlanDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model zonePlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	diags := &resp.Diagnostics
	cloud := d.Backend.Get(ctx, diags)
	nodes, zones, asked := nodes.Read(model.Nodes, diags), places.ReadBins(model.Zones), model.Read(ctx, diags)
	if diags.HasError() {
		return
	}
	region := places.RegionOr(ctx, cloud, model.Region, diags)
	if diags.HasError() {
		return
	}
	model.Region = types.StringValue(region)
	result := plan{
		listed:  places.InRegion(region, zones),
		nodes:   inRegion(nodes, region),
		request: *asked,
		quotas:  model.RespectQuotas,
		flavor:  model.FlavorID,
	}.run(ctx, cloud, diags)
	if result == nil {
		return
	}
	model.fillZones(ctx, region, result, diags)
	diags.Append(resp.State.Set(ctx, &model)...)
}

// inRegion are the nodes that are in a region, or that name none.
func inRegion(nodes []node.Node, region string) []node.Node {
	var here []node.Node
	for _, n := range nodes {
		if n.Region == "" || n.Region == region {
			n.Region = region
			here = append(here, n)
		}
	}
	return here
}

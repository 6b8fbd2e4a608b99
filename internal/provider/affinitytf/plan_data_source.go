package affinitytf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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

func (d *planDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_affinity_plan"
}

func (d *planDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = planSchema()
}

func (d *planDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
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
	cloud := d.Backend.Get(&resp.Diagnostics)
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

func planSchema() schema.Schema {
	result := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	return schema.Schema{
		MarkdownDescription: "Plans a placement for each new node of a server group, as Senlin's affinity policy did. A request that removes nodes plans nothing.\n\n" +
			"A warning says when the group would get more members than Nova's quota allows (10 unless an operator changed it), or more than its rule can place on the hosts that can be seen.",
		Attributes: requesttf.Attributes(map[string]schema.Attribute{
			"servergroup_id":       schema.StringAttribute{Required: true, Validators: notEmpty, MarkdownDescription: "Id of the server group. Its members are the nodes that a resize starts from."},
			"region":               schema.StringAttribute{Optional: true, Computed: true, Validators: notEmpty, MarkdownDescription: "Region of the group. Defaults to the provider's."},
			"availability_zone":    schema.StringAttribute{Optional: true, Validators: notEmpty, MarkdownDescription: zoneArgument},
			"enable_drs_extension": schema.BoolAttribute{Optional: true, MarkdownDescription: drsArgument},
			"status":               result("`OK`: a plan that cannot be made is an error."),
			"reason":               result("The result of the request, in a sentence."),
			"placement": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "Where the new nodes are placed. Null where there are none.",
				Attributes: map[string]schema.Attribute{
					"count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes to create."},
					"placements": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "One entry for each node.",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"servergroup": result("Id of the server group."),
							"zone":        result("Availability zone, with the host of the DRS cluster where that is enabled (`zone:host`). Null where none is asked for."),
						}}},
				}},
			"violations": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "Hosts that have more members of an anti-affinity group than it allows, as after an evacuation.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"host_id": result("Nova's hash of project and host."),
					"members": schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Ids of the members on it, sorted."},
				}}},
		}),
		Blocks: requesttf.Blocks(),
	}
}

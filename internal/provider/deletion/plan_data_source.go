package deletion

import (
	"context"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
)

var _ datasource.DataSourceWithValidateConfig = &planDataSource{}

// NewPlan returns stackpolicy_deletion_plan.
func NewPlan() datasource.DataSource { return &planDataSource{} }

// planDataSource is stackpolicy_deletion_plan, the deletion policy. It
// needs no cloud.
type planDataSource struct{}

func (d *planDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deletion_plan"
}

func (d *planDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = planSchema()
}

func (d *planDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var model planModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !value.Known(ctx, model.ScaleIn, model.Resize, model.DeleteNodes, model.Decision) {
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
	nodes := model.nodes(ctx, &resp.Diagnostics)
	request := model.request(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	chosen, ok := request.choose(nodes, &resp.Diagnostics)
	if !ok {
		return
	}
	model.fill(ctx, nodes, chosen, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func planSchema() schema.Schema {
	counts := func(kind string) schema.Attribute {
		return schema.MapAttribute{ElementType: types.Int64Type, Optional: true,
			MarkdownDescription: fmt.Sprintf("Of them, the number in each %s. Nodes are then chosen %s by %s, in the order of their names.", kind, kind, kind)}
	}
	ids := func(description string) schema.ListAttribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description}
	}
	candidates := ids("Ids or names of the nodes to remove, which are kept as they are. They must be among `nodes`.")
	candidates.Optional, candidates.Required = false, true
	return schema.Schema{
		MarkdownDescription: "Chooses the nodes that leave a cluster, as Senlin's deletion policy promised. It needs no cloud, only nodes.\n\n" +
			"First go nodes that are not well (status `ERROR` or `UNKNOWN`, or tainted), in the order of `nodes`; then nodes that are not created yet (no `created_at`, or `BUILD`); then all others, by `criteria`. Protected nodes are never chosen.",
		Attributes: map[string]schema.Attribute{
			"nodes":    nodes.Argument("Each needs an `id`; what else counts depends on what is asked."),
			"scale_in": request.ScaleInArgument(),
			"resize":   request.ResizeArgument(),
			"delete_nodes": schema.SingleNestedAttribute{Optional: true,
				MarkdownDescription: "Remove these nodes (CLUSTER_DEL_NODES).",
				Attributes:          map[string]schema.Attribute{"candidates": candidates}},
			"decision": schema.SingleNestedAttribute{Optional: true,
				MarkdownDescription: "What another policy decided; it takes precedence over the number in a request.",
				Attributes: map[string]schema.Attribute{
					"deletion": schema.SingleNestedAttribute{Optional: true,
						MarkdownDescription: "Nodes to remove: the `deletion` of a region or zone plan fits as it is. Null: nothing is decided.",
						Attributes: map[string]schema.Attribute{
							"count":   request.CountArgument("Number of nodes. Defaults to the sum of those by region or zone, or to `1`."),
							"regions": counts("region"),
							"zones":   counts("zone"),
						}},
				}},
			"criteria": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf(deletion.AllCriteria()...)},
				MarkdownDescription: "Which healthy nodes go first: `RANDOM` (the default; drawn by `seed`, the same for the same nodes), `OLDEST_FIRST`, `YOUNGEST_FIRST` or `OLDEST_PROFILE_FIRST` (by `profile_created_at`; nodes of unknown age go last)."},
			"destroy_after_deletion":  schema.BoolAttribute{Optional: true, MarkdownDescription: "Passed on: whether a removed node is destroyed too. Defaults to `true`."},
			"grace_period":            schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: "Passed on: seconds to wait before a node is removed. Defaults to `0`."},
			"reduce_desired_capacity": schema.BoolAttribute{Optional: true, MarkdownDescription: "Passed on: whether the cluster's desired capacity shrinks with it. Defaults to `true`."},
			"protected":               ids("Ids or names of nodes that are not chosen, besides those whose `protected` is true."),
			"seed":                    schema.StringAttribute{Optional: true, MarkdownDescription: "Seed of `RANDOM`. Defaults to one made of the ids of all nodes."},
			"status":                  schema.StringAttribute{Computed: true, MarkdownDescription: "`OK`: a choice that cannot be made is an error."},
			"reason":                  schema.StringAttribute{Computed: true, MarkdownDescription: "What came of the request, in a sentence."},
			"deletion": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "The nodes to remove, and how. Null where none are.",
				Attributes: map[string]schema.Attribute{
					"count":                   schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes."},
					"candidates":              schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Ids of the nodes, in the order in which they go."},
					"destroy_after_deletion":  schema.BoolAttribute{Computed: true, MarkdownDescription: "As given."},
					"grace_period":            schema.Int64Attribute{Computed: true, MarkdownDescription: "As given, in seconds."},
					"reduce_desired_capacity": schema.BoolAttribute{Computed: true, MarkdownDescription: "As given."},
				}},
			"survivors": schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Ids of the nodes that stay, in the order of `nodes`."},
		},
	}
}

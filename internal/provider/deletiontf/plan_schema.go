package deletiontf

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
)

func planSchema() schema.Schema {
	names := func(description string) schema.ListAttribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description,
			Validators: []validator.List{listvalidator.NoNullValues()}}
	}
	flag := func(description string) schema.Attribute {
		return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "Chooses the nodes to remove from a cluster, as Senlin's deletion policy promised. It " +
			"needs no cloud. First it takes unhealthy nodes (`ERROR`, `UNKNOWN`, or tainted), then nodes that are " +
			"not created yet, then all others, by `criteria`. Protected nodes are never chosen.",
		Attributes: map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id`; what else counts depends on what is asked."),
			"decision": requesttf.DecisionArgument("`deletion`",
				"The plan removes its `candidates`, and others up to each count."),
			"criteria": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(deletion.AllCriteria()...)},
				MarkdownDescription: "Which healthy nodes are taken first: `RANDOM` (the default, by `seed`), " +
					"`OLDEST_FIRST`, `YOUNGEST_FIRST`, `OLDEST_PROFILE_FIRST` or `HIGHEST_INDEX_FIRST`.",
			},
			"destroy_after_deletion": flag("Passed on. Defaults to what the decision says, or `true`."),
			"grace_period": schema.StringAttribute{
				Optional:            true,
				CustomType:          durations.Type{},
				Validators:          durations.Between(0, duration.Longest),
				MarkdownDescription: "Passed on. Defaults to what the decision says, or `0s`.",
			},
			"reduce_desired_capacity": flag("Passed on. Defaults to what the decision says, or `true`."),
			"protected": names("Ids or names of nodes that are not chosen, in addition to those whose `protected` is " +
				"true. The plans of regions and zones know the latter only."),
			"seed": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Seed of `RANDOM`. Defaults to the ids of all nodes.",
			},
			"status": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "`OK`: a choice that cannot be made is an error.",
			},
			"reason": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The result of the request, in a sentence.",
			},
			"deletion": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The nodes to remove, and how. Null where none are.",
				Attributes: map[string]schema.Attribute{
					"count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes."},
					"candidates": schema.ListAttribute{
						ElementType:         types.StringType,
						Computed:            true,
						MarkdownDescription: "Ids of the nodes, in the order in which they are removed.",
					},
					"names": schema.ListAttribute{
						ElementType: types.StringType,
						Computed:    true,
						MarkdownDescription: "Their names, which fit into `deletion.candidates` of a placement " +
							"attachment.",
					},
					"destroy_after_deletion": schema.BoolAttribute{Computed: true, MarkdownDescription: "As given."},
					"grace_period": schema.Int64Attribute{
						Computed:            true,
						MarkdownDescription: "As given, in seconds.",
					},
					"reduce_desired_capacity": schema.BoolAttribute{Computed: true, MarkdownDescription: "As given."},
				},
			},
			"survivors": schema.ListAttribute{
				ElementType:         types.StringType,
				Computed:            true,
				MarkdownDescription: "Ids of the nodes that stay, in the order of `nodes`.",
			},
		},
		Blocks: map[string]schema.Block{
			"scale_in": requesttf.ScaleInBlock(),
			"resize":   requesttf.ResizeBlock(),
			"delete_nodes": schema.SingleNestedBlock{
				MarkdownDescription: "Remove these nodes (CLUSTER_DEL_NODES).",
				Validators: []validator.Object{
					objectvalidator.AlsoRequires(path.MatchRelative().AtName("candidates")),
				},
				Attributes: map[string]schema.Attribute{
					"candidates": names("Required. Ids or names of the nodes to remove."),
				},
			},
		},
	}
}

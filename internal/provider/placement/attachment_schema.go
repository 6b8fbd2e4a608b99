package placement

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

func attachmentSchema() schema.Schema {
	size := func(least int64, description string) schema.Int64Attribute {
		return schema.Int64Attribute{Optional: true, MarkdownDescription: description,
			Validators: []validator.Int64{int64validator.Between(least, placement.MaxNodes)}}
	}
	names := func(description string) schema.ListAttribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description}
	}
	capacity := size(0, "Number of nodes that the cluster is to have.")
	capacity.Optional, capacity.Required = false, true
	moves := size(0, "Most nodes to replace for a better spread when `regions`, `zones` or this number changes. Defaults to `0`: a changed weight, cap, region or zone moves nobody, and only counts when nodes come or go.")
	moves.Computed, moves.Default = true, int64default.StaticInt64(0)
	return schema.Schema{
		Version: 0, // what a later version changes is carried over by UpgradeState
		MarkdownDescription: "Attaches placement to a cluster and remembers the place of each node: feed its `nodes` to the `for_each` of your servers. Growing adds nodes, shrinking removes some, and no node that stays ever changes its name, region or zone.\n\n" +
			"All of it is worked out while planning, so that `terraform plan` shows where each node goes, and the servers that come and go with it. Destroying the attachment forgets it and touches no server. Replacing it (`-replace`, `taint`) forgets it too and places all nodes afresh: nodes that then get other places move.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the cluster."},
			"cluster": schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Name of the cluster. New nodes are named after it; those that are there keep their names when it changes."},
			"desired_capacity": capacity,
			"min_size":         size(0, "Least number of nodes. A `desired_capacity` below it is an error. Defaults to `0`."),
			"max_size":         size(placement.Unlimited, "Greatest number of nodes. A `desired_capacity` above it is an error. Defaults to `-1`, no bound."),
			"regions":          places.Argument("region", true),
			"zones":            places.Argument("zone", false),
			"region": schema.StringAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Region of `zones`. Defaults to the provider's. Not with `regions`."},
			"node_name": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(string(roster.DefaultPattern)), Validators: []validator.String{nodeNameValidator{}},
				MarkdownDescription: "Pattern of the names of new nodes, in which `{cluster}` and `{index}` are replaced. An index is never used twice. Defaults to `" + string(roster.DefaultPattern) + "`."},
			"deletion": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Which nodes leave when the cluster shrinks.",
				Attributes: map[string]schema.Attribute{
					"criteria": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf(deletion.AllCriteria()...)},
						MarkdownDescription: "Which healthy nodes of a zone go first: `RANDOM` (the default), `OLDEST_FIRST`, `YOUNGEST_FIRST` or `OLDEST_PROFILE_FIRST`. Before them go nodes that are not well or tainted, then those that have no server."},
					"candidates": names("Names of nodes to remove. With an unchanged `desired_capacity` each is replaced by a new node under a new name. Names that were removed may stay in the list."),
					"protected":  names("Names, or ids of servers, of nodes that never go, besides those that are marked or locked in Nova."),
				}},
			"selector":  nodes.SelectorArgument(),
			"max_moves": moves,
			"respect_quotas": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether to add no more nodes to a region than the project's compute quota there still allows. Defaults to `false`."},
			"flavor_id": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Flavor of the nodes. With `respect_quotas`, the quotas of cores and RAM count too."},
			// No nested attributes in maps as large as the cluster: the plugin
			// framework looks at each of them by itself, at a cost that grows with
			// the square of their number.
			"nodes": schema.MapAttribute{ElementType: rosterNodeType, Computed: true,
				MarkdownDescription: "The nodes by name, for `for_each`: the number in the name (`index`), and the `region` and availability `zone` that the node belongs in. A null zone leaves the choice to Nova."},
			"next_index": schema.Int64Attribute{Computed: true, MarkdownDescription: "Index of the next new node."},
			"distribution": schema.MapAttribute{ElementType: types.MapType{ElemType: types.Int64Type}, Computed: true,
				MarkdownDescription: "Number of nodes by region and zone. Nodes whose zone is Nova's choice are counted under the empty name."},
			"change": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "What the last resize changed.",
				Attributes: map[string]schema.Attribute{
					"creation": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "Nodes that came. Null where none did.",
						Attributes: map[string]schema.Attribute{
							"count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes."},
							"nodes": schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Their names."},
						}},
					"deletion": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "Nodes that went. Null where none did.",
						Attributes: map[string]schema.Attribute{
							"count":      schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes."},
							"candidates": schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Their names."},
						}},
					"moves": schema.Int64Attribute{Computed: true, MarkdownDescription: "Of those that came and went, the number that only made room for a better spread."},
				}},
			"summary": schema.StringAttribute{Computed: true, MarkdownDescription: "The last resize as a table for people: each place with its nodes before and after, its ideal share and its cap."},
			"observed": schema.MapAttribute{ElementType: observedType, Computed: true,
				MarkdownDescription: "What the last refresh saw of the nodes' servers, by the name of the node: the server's `id`, its `status` in Nova, when it was created (`created_at`) and how old its profile is (`profile_created_at`), as RFC 3339, and whether it is marked as one to remove first (`tainted`) or not to remove, or locked (`protected`)."},
		},
	}
}

// nodeNameValidator refuses a pattern that would name all nodes alike.
type nodeNameValidator struct{}

func (nodeNameValidator) Description(context.Context) string { return "the pattern has {index} in it" }

func (v nodeNameValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (nodeNameValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if fault := roster.Pattern(req.ConfigValue.ValueString()).Check(); fault != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid pattern of node names", fault)
	}
}

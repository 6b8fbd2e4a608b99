package placementtf

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// maxCapacity bounds a cluster: a number beyond it is a mistake, and would only fill
// the memory of Terraform.
const maxCapacity = 100_000

func attachmentSchema() schema.Schema {
	size := func(least, most int64, description string) schema.Int64Attribute {
		return schema.Int64Attribute{Optional: true, MarkdownDescription: description,
			Validators: []validator.Int64{int64validator.Between(least, most)}}
	}
	capacity := size(
		0,
		maxCapacity,
		fmt.Sprintf("Number of nodes that the cluster should have, at most %d.", maxCapacity),
	)
	capacity.Optional, capacity.Required = false, true
	return schema.Schema{
		MarkdownDescription: "Attaches placement to a cluster and remembers the place of each node: feed its `nodes` " +
			"to the `for_each` of your servers. Growing adds nodes, shrinking removes some, an update replaces some " +
			"in bounded batches, and no other node ever changes its name, region or zone.\n\n" +
			"All of it is worked out while planning, so that `terraform plan` shows where each node goes, and the " +
			"servers that are created and destroyed with it. Destroying the attachment forgets it and touches no " +
			"server.\n\n" +
			"~> Replacing the attachment (`-replace`, `taint`) is refused while its servers are there: a new one " +
			"knows neither where they belong nor what they were made from.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the cluster."},
			"cluster": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Name of the cluster. New nodes are named after it; those that are there keep " +
					"their names when it changes.",
			},
			"desired_capacity": capacity,
			"min_size": size(
				0,
				placement.MaxNodes,
				"Minimum number of nodes. A `desired_capacity` below it is an error. Defaults to `0`.",
			),
			"max_size": size(
				placement.Unlimited,
				placement.MaxNodes,
				"Maximum number of nodes. A `desired_capacity` above it is an error. Defaults to `-1`, no limit.",
			),
			"regions": places.ArgumentWithTemplates("region", true),
			"zones":   places.ArgumentWithTemplates("zone", false),
			"region": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Region of `zones`. Defaults to the provider's. Not with `regions`.",
			},
			"node_name_pattern": schema.StringAttribute{
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(string(roster.DefaultPattern)),
				Validators: []validator.String{patternValidator{}},
				MarkdownDescription: "Pattern of the names of new nodes, in which `{cluster}` and `{index}` are " +
					"replaced. An index is never used twice, unless `stateful` keeps slots. Defaults to `" + string(
					roster.DefaultPattern,
				) + "`.",
			},
			"template": schema.MapAttribute{
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.Map{
					mapvalidator.SizeAtLeast(1),
					mapvalidator.ValueStringsAre(value.NotNull{}),
				},
				MarkdownDescription: "What new nodes are made from, by names of your choice: image, flavor, a " +
					"version of the user data. " +
					"Let the servers take their values from the node, as in `each.value.template.image`: a node " +
					"keeps the template that it was made from, so a changed template changes no server by itself. " +
					"Values stand in plans and in the state, sensitive ones too: give a version of a secret, not the " +
					"secret. It cannot be removed again.",
			},
			"respect_quotas": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to add no more nodes to a region than the project's compute quota " +
					"there still allows. Defaults to `false`.",
			},
			"flavor_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Flavor of the nodes. With `respect_quotas`, the quotas of cores and RAM count " +
					"too.",
			},
			// No nested attributes in maps as large as the cluster: the plugin
			// framework looks at each of them by itself, at a cost that grows with
			// the square of their number.
			"nodes": schema.MapAttribute{
				ElementType: rosterNodeType,
				Computed:    true,
				MarkdownDescription: "The nodes by name, for `for_each`. Each has these attributes: the number in " +
					"the name (`index`), the `region` and availability `zone` that the node belongs in, " +
					"the `template` that it is made from (empty without one), the `generation` of its server, " +
					"the `mark` that its server carries once it was found in service, for " +
					"`stackpolicy_readiness_attachment`, and whether its place is `closed`, so that nobody should " +
					"wait for it. " +
					"A null zone leaves the choice to Nova.",
			},
			"slots": schema.MapAttribute{
				ElementType: slotType,
				Computed:    true,
				MarkdownDescription: "With `stateful`: the slots by name, for the `for_each` of what must outlive a " +
					"server: volumes, ports, DNS records. " +
					"Each has the `index` in the name, the `region` and `zone` where what it keeps lies, and whether " +
					"a node is `in_use` of it. A slot never changes its place. Null without `stateful`.",
			},
			"next_index": schema.Int64Attribute{
				Computed: true,
				MarkdownDescription: "Index of the next new node; with `stateful`, of the next where no lower one is " +
					"free.",
			},
			"distribution": schema.MapAttribute{
				ElementType: types.MapType{ElemType: types.Int64Type},
				Computed:    true,
				MarkdownDescription: "Number of nodes by region and zone, of every place that is listed or has " +
					"nodes. Nodes whose zone is Nova's choice are counted under the empty name.",
			},
			"change": changeAttribute(),
			"remaining": schema.Int64Attribute{
				Computed: true,
				MarkdownDescription: "Number of nodes that `update` still has to replace after this apply. A " +
					"pipeline applies again until the plan is empty. 0 without `update`.",
			},
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "What the cluster does, in one line, such as " +
					"`batch 2 of 5: web-1, web-3 leave; web-8, web-9 come`, `waits: ...` or `in step`. See [all its " +
					"forms](../guides/rolling-out-an-image.md#the-status).",
			},
			"summary": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "The present spread as a table for people: each place with its nodes, its ideal " +
					"share of the cluster, its weight, min and cap, how many nodes have the wanted template and how " +
					"many others, and a note such as `full: cap` or `below min`. The diff of a plan shows it before " +
					"and after.",
			},
		},
		Blocks: map[string]schema.Block{
			"deletion": deletionBlock(),
			"health":   healthBlock(),
			"selector": nodes.SelectorBlock(),
			"update":   updateBlock(),
			"stateful": statefulBlock(),
		},
	}
}

func deletionBlock() schema.Block {
	names := func(description string) schema.ListAttribute {
		return schema.ListAttribute{
			ElementType:         types.StringType,
			Optional:            true,
			MarkdownDescription: description,
			Validators: []validator.List{
				listvalidator.UniqueValues(),
				listvalidator.ValueStringsAre(value.NotNull{}, stringvalidator.LengthAtLeast(1)),
			},
		}
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Which nodes are removed when the cluster shrinks. First those that are not in service: " +
			"without a server, in `ERROR`, or not marked where `require_in_service` asks for it. Then those that are " +
			"marked as tainted, then all others by `criteria`.",
		Attributes: map[string]schema.Attribute{
			"criteria": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(deletion.AllCriteria()...)},
				MarkdownDescription: "Which of the other nodes of a place are removed first: `RANDOM` (the default), " +
					"`OLDEST_FIRST`, `YOUNGEST_FIRST`, `OLDEST_PROFILE_FIRST` (with templates: the one that came " +
					"first) or `HIGHEST_INDEX_FIRST` (the last in, by its number, is the first out). Of two places " +
					"that are equally good to take from, it decides too.",
			},
			"candidates": names(
				"Names of nodes, or ids of their servers, to remove. With an unchanged `desired_capacity` each is " +
					"replaced by a new node under a new name; with `stateful` and with the methods `IN_PLACE` and " +
					"`RECREATE` it is made again under its own name, once for each time that it is added to the " +
					"list. A name may stay in the list when its node is gone.",
			),
			"kept": names(
				"Candidates whose servers somebody keeps, after Terraform has forgotten them; see the guide " +
					"[Keeping nodes](../guides/keeping-nodes.md). Such a server never comes back as a node, and no " +
					"batch waits until it is gone. Not with `stateful`.",
			),
			"protected": names(
				"Names of nodes, or ids of their servers, that are never removed or replaced, in addition to those " +
					"that are marked or locked in Nova.",
			),
		},
	}
}

// onRemovalDelete gives up the slot of a node when the node is removed.
const onRemovalDelete = "DELETE"

func statefulBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Gives each node a slot: its name, index and place, by which volumes, ports and DNS " +
			"names are kept. Nodes then keep their names and places for good: a node that is replaced, " +
			"or named in `candidates`, is made again in its slot, and a cluster that grows again finds the slots " +
			"that it kept. Not with the method `SUBSTITUTE` nor the cause `PLACEMENT`. " +
			"To add the block to a running cluster changes no node; to remove it while slots are kept is an error. " +
			"`on_removal` is required.",
		Validators: []validator.Object{objectvalidator.AlsoRequires(path.MatchRelative().AtName("on_removal"))},
		Attributes: map[string]schema.Attribute{
			"on_removal": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf("RETAIN", onRemovalDelete)},
				MarkdownDescription: "Required. What happens to the slot of a node that is removed: `RETAIN` keeps " +
					"it, for the next node in its place; `DELETE` gives it up, and Terraform destroys what it kept. " +
					"Where a place has several, the one of the lowest index is used first. New slots get the lowest " +
					"index that is free.",
			},
			"release": schema.ListAttribute{
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.List{
					listvalidator.UniqueValues(),
					listvalidator.ValueStringsAre(value.NotNull{}, stringvalidator.LengthAtLeast(1)),
				},
				MarkdownDescription: "Names of kept slots to give up: Terraform destroys what is kept by them, and " +
					"the plan shows it. One with a node is an error. While a name is listed no new slot gets it.",
			},
		},
	}
}

// patternValidator refuses a pattern that would give all nodes one name.
type patternValidator struct{}

func (patternValidator) Description(context.Context) string { return "the pattern has {index} in it" }

func (v patternValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (patternValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !value.Given(req.ConfigValue) {
		return
	}
	if fault := roster.Pattern(req.ConfigValue.ValueString()).Check(); fault != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid pattern of node names", fault)
	}
}

package placementtf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// maxNames bounds the lists of names in the state, so that plans of large
// clusters stay readable.
const maxNames = 100

// changeAttribute is a set with one element. Of an object Terraform would show values
// as edited: in the second batch of a rollout "web-6" -> "web-8", which are two nodes.
// Of a set it shows the last batch as removed and this one as added.
func changeAttribute() schema.Attribute {
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	names := func(description string) schema.Attribute {
		return schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
	}
	reasons := schema.MapAttribute{
		ElementType:         types.StringType,
		Computed:            true,
		MarkdownDescription: "Why, by the name of the node: why its place loses a node, and why this one.",
	}
	regions := schema.MapAttribute{
		ElementType:         types.Int64Type,
		Computed:            true,
		MarkdownDescription: "Number of them by region.",
	}
	zones := schema.MapAttribute{
		ElementType:         types.MapType{ElemType: types.Int64Type},
		Computed:            true,
		MarkdownDescription: "Number of them by region and zone.",
	}
	omitted := number("Number of nodes that the lists leave out, because they have at most 100 names. Null if none.")
	return schema.SetNestedAttribute{
		Computed: true,
		MarkdownDescription: "What the last plan did to nodes, as the only element of a set, so that a plan shows it " +
			"apart from what the one before did: `one(stackpolicy_placement_attachment.web.change).deletion`. " +
			"Its parts are null where an apply changed the configuration and no node.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"returned": schema.SingleNestedAttribute{
				Computed: true,
				MarkdownDescription: "Nodes that an earlier plan removed, and that come back under their own names " +
					"because their servers are still in service. No server is created for them. Null without any.",
				Attributes: map[string]schema.Attribute{
					"count":   number("Number of nodes."),
					"nodes":   names("Their names."),
					"omitted": omitted,
				},
			},
			"creation": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Nodes that were added. Null without any.",
				Attributes: map[string]schema.Attribute{
					"count":   number("Number of nodes."),
					"regions": regions,
					"zones":   zones,
					"nodes":   names("Their names. Empty for a new attachment, whose nodes are all new."),
					"omitted": omitted,
				},
			},
			"deletion": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Nodes that were removed. Null without any.",
				Attributes: map[string]schema.Attribute{
					"count":      number("Number of nodes."),
					"regions":    regions,
					"zones":      zones,
					"candidates": names("Their names."),
					"reasons":    reasons,
					"omitted":    omitted,
				},
			},
			"in_place": schema.SingleNestedAttribute{
				Computed: true,
				MarkdownDescription: "Nodes that keep their name and place and got another template, or another " +
					"server (their `generation` rises). Null without any.",
				Attributes: map[string]schema.Attribute{
					"count":   number("Number of nodes."),
					"nodes":   names("Their names."),
					"reasons": reasons,
					"omitted": omitted,
				},
			},
			"held": schema.SingleNestedAttribute{
				Computed: true,
				MarkdownDescription: "Nodes that should be replaced, or that are named in `candidates`, and that this " +
					"plan leaves as they are. Null without any.",
				Attributes: map[string]schema.Attribute{
					"count": number("Number of nodes."),
					"nodes": schema.MapAttribute{
						ElementType: types.StringType,
						Computed:    true,
						MarkdownDescription: "Why not, by the name of the node: the cause, and what holds it, such as " +
							"the batch that is full, nodes that it waits for, or a place that takes no nodes.",
					},
					"omitted": omitted,
				},
			},
			"replaced": number("Of the nodes removed or changed in place, the number that `update` replaced, " +
				"candidates that are made again included."),
		}},
	}
}

var (
	zoneCountsType = types.MapType{ElemType: types.Int64Type}
	changeType     = changeAttribute().GetType().(types.SetType).ElemType.(types.ObjectType)
	creationType   = changeType.AttrTypes["creation"].(types.ObjectType)
	returnedType   = changeType.AttrTypes["returned"].(types.ObjectType)
	deletionType   = changeType.AttrTypes["deletion"].(types.ObjectType)
	inPlaceType    = changeType.AttrTypes["in_place"].(types.ObjectType)
	heldType       = changeType.AttrTypes["held"].(types.ObjectType)
)

// record puts a change into the state. The roster is the one after it. The names
// of the first nodes are left out: they are all in nodes.
func (m *attachmentModel) record(
	ctx context.Context,
	next roster.Roster,
	change roster.Change,
	diags *diag.Diagnostics,
) {
	named := func(t types.ObjectType, outcome roster.Outcome, names, why string) types.Object {
		list := change.Of(outcome)
		if len(list) == 0 {
			return types.ObjectNull(t.AttrTypes)
		}
		fields := map[string]attr.Value{"count": types.Int64Value(int64(len(list))), "omitted": omittedOf(len(list))}
		all, reasons := verdicts(list)
		if outcome == roster.Comes && len(list) == len(next.Nodes) {
			all = nameList(nil)
		}
		if names != "" {
			fields[names] = all
		}
		if why != "" {
			fields[why] = reasons
		}
		if _, placed := t.AttrTypes["regions"]; placed {
			nodes := placement.Counts{}
			for _, v := range list {
				nodes[v.Place]++
			}
			tally(ctx, nodes, fields, diags)
		}
		return types.ObjectValueMust(t.AttrTypes, fields)
	}
	m.Change = types.SetValueMust(
		changeType,
		[]attr.Value{types.ObjectValueMust(changeType.AttrTypes, map[string]attr.Value{
			"creation": named(creationType, roster.Comes, "nodes", ""),
			"returned": named(returnedType, roster.Returns, "nodes", ""),
			"deletion": named(deletionType, roster.Leaves, "candidates", "reasons"),
			"in_place": named(inPlaceType, roster.Changes, "nodes", "reasons"),
			"held":     named(heldType, roster.Held, "", "nodes"),
			"replaced": types.Int64Value(change.Replaced()),
		})},
	)
}

// tally adds the counts of nodes by place.
func tally(ctx context.Context, nodes placement.Counts, fields map[string]attr.Value, diags *diag.Diagnostics) {
	var more diag.Diagnostics
	fields["regions"], more = types.MapValueFrom(ctx, types.Int64Type, nodes.ByRegion())
	diags.Append(more...)
	fields["zones"], more = types.MapValueFrom(ctx, zoneCountsType, nodes.ByZone())
	diags.Append(more...)
}

func omittedOf(n int) types.Int64 { return value.NumberOrNull(int64(max(0, n-maxNames))) }

func nameList(names []string) types.List {
	values := make([]attr.Value, min(len(names), maxNames))
	for i := range values {
		values[i] = types.StringValue(names[i])
	}
	return types.ListValueMust(types.StringType, values)
}

// verdicts lists names and reasons.
func verdicts(list []roster.Verdict) (names types.List, reasons types.Map) {
	all, texts := make([]string, len(list)), map[string]attr.Value{}
	for i, v := range list {
		all[i] = v.Name
		if i < maxNames {
			texts[v.Name] = types.StringValue(v.Reason)
		}
	}
	return nameList(all), types.MapValueMust(types.StringType, texts)
}

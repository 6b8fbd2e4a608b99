package placementtf

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
)

// The bounds of lists in the state keep plans of large clusters readable. A list of names alone
// is shorter than a list of names with reasons, because the plan shows the names of servers anyway.
const (
	maxNames   = 20
	maxReasons = 100
)

// changePart is a part of a change: the nodes of an outcome.
type changePart struct {
	part           string
	outcome        decide.Outcome
	names, reasons string // attributes with the names and the reasons of the nodes; "" for none
	placed         bool   // whether the nodes are counted by place
}

var changeParts = []changePart{
	{"returned", decide.Returns, "nodes", "", false},
	{"creation", decide.Comes, "nodes", "", true},
	{"deletion", decide.Leaves, "candidates", "reasons", true},
	{"in_place", decide.Changes, "nodes", "reasons", false},
	{"held", decide.Held, "", "nodes", false},
}

// changeAttribute is a set with one element. Terraform would show values of an object
// as edited: in the second batch of a rollout "web-6" -> "web-8", which are two nodes.
// It shows the last batch as removed from the set, and this one as added.
func changeAttribute() schema.Attribute {
	number := schema.Int64Attribute{Computed: true}
	all := map[string]schema.Attribute{"replaced": number, "moves": schema.StringAttribute{Computed: true}}
	for _, p := range changeParts {
		fields := map[string]schema.Attribute{"count": number, "omitted": number}
		if p.placed {
			fields["regions"] = schema.MapAttribute{ElementType: types.Int64Type, Computed: true}
			fields["zones"] = schema.MapAttribute{ElementType: zoneCountsType, Computed: true}
		}
		if p.names != "" {
			fields[p.names] = schema.ListAttribute{ElementType: types.StringType, Computed: true}
		}
		if p.reasons != "" {
			fields[p.reasons] = schema.MapAttribute{ElementType: types.StringType, Computed: true}
		}
		all[p.part] = schema.SingleNestedAttribute{Computed: true, Attributes: fields}
	}
	return schema.SetNestedAttribute{
		Computed: true,
		MarkdownDescription: "Changes of nodes by the last plan, as the only element of a set: " +
			"`one(stackpolicy_placement_attachment.web.change).deletion`. Its parts are `creation`, `deletion` " +
			"(names in `candidates`), `in_place` (another template or server), `returned` (removed earlier, and " +
			"still in service), `held` (why nodes that should be replaced are " +
			"[held](../guides/operating-a-cluster.md#each-kind-of-held)), `replaced` (their number) and `moves` (all " +
			"changes in a line: `batch 2 of 5: web-1 leaves; web-8 comes`). Most parts have a `count` and `nodes`, " +
			"some have `reasons`, and a part without nodes is null. Lists have at most 100 names with reasons, or 20 " +
			"without; `omitted` counts the others.",
		NestedObject: schema.NestedAttributeObject{Attributes: all},
	}
}

var (
	zoneCountsType = types.MapType{ElemType: types.Int64Type}
	changeType     = changeAttribute().GetType().(types.SetType).ElemType.(types.ObjectType)
)

// record puts a change into the state; batch is the number of its batch.
func (m *attachmentModel) record(
	ctx context.Context, change planner.Change, batch int64, diags *diag.Diagnostics,
) {
	parts := map[string]attr.Value{
		"replaced": types.Int64Value(change.Replaced()),
		"moves":    value.TextOrNull(change.Moves(batch)),
	}
	for _, p := range changeParts {
		parts[p.part] = part(ctx, p.part, change, diags)
	}
	m.Change = changeOf(ctx, parts)
}

// changeOf returns a change with these parts.
func changeOf(ctx context.Context, parts map[string]attr.Value) types.String {
	element := types.ObjectValueMust(changeType.AttrTypes, parts)
	return packed.From(ctx, types.SetValueMust(changeType, []attr.Value{element}))
}

// lastChange returns the parts of the last change, or nil without one.
func (m *attachmentModel) lastChange(ctx context.Context, diags *diag.Diagnostics) map[string]attr.Value {
	if !value.Given(m.Change) {
		return nil
	}
	set, err := packed.As(ctx, m.Change, types.SetType{ElemType: changeType})
	if err != nil {
		unreadable(err, diags)
		return nil
	}
	elements := set.(types.Set).Elements()
	if len(elements) == 1 && !elements[0].IsNull() {
		return elements[0].(types.Object).Attributes()
	}
	unreadable(fmt.Errorf("change has %d elements, and should have one that is not null", len(elements)), diags)
	return nil
}

// hold replaces the held nodes in the last change.
func (m *attachmentModel) hold(ctx context.Context, change planner.Change, diags *diag.Diagnostics) {
	if last := m.lastChange(ctx, diags); last != nil {
		last["held"] = part(ctx, "held", change, diags)
		m.Change = changeOf(ctx, last)
	}
}

// part returns a part of a change: the number of nodes, their names and reasons; null without nodes.
func part(ctx context.Context, name string, change planner.Change, diags *diag.Diagnostics) types.Object {
	p := changeParts[slices.IndexFunc(changeParts, func(p changePart) bool { return p.part == name })]
	of := changeType.AttrTypes[name].(types.ObjectType).AttrTypes
	list := change.With(p.outcome)
	if len(list) == 0 {
		return types.ObjectNull(of)
	}
	most := maxReasons
	if p.reasons == "" {
		most = maxNames
	}
	fields := map[string]attr.Value{
		"count":   types.Int64Value(int64(len(list))),
		"omitted": value.NumberOrNull(int64(max(0, len(list)-most))),
	}
	names, reasons := verdicts(list[:min(len(list), most)])
	if p.names != "" {
		fields[p.names] = names
	}
	if p.reasons != "" {
		fields[p.reasons] = reasons
	}
	if p.placed {
		nodes := placement.Counts{}
		for _, v := range list {
			nodes[v.Place]++
		}
		tally(ctx, nodes, fields, diags)
	}
	return types.ObjectValueMust(of, fields)
}

// tally adds the numbers of nodes by place.
func tally(ctx context.Context, nodes placement.Counts, fields map[string]attr.Value, diags *diag.Diagnostics) {
	var more diag.Diagnostics
	fields["regions"], more = types.MapValueFrom(ctx, types.Int64Type, nodes.ByRegion())
	diags.Append(more...)
	fields["zones"], more = types.MapValueFrom(ctx, zoneCountsType, nodes.ByZone())
	diags.Append(more...)
}

// verdicts returns names and reasons.
func verdicts(list []decide.Verdict) (names types.List, reasons types.Map) {
	all, texts := make([]attr.Value, len(list)), map[string]attr.Value{}
	for i, v := range list {
		all[i], texts[v.Name] = types.StringValue(v.Name), types.StringValue(v.Reason)
	}
	return types.ListValueMust(types.StringType, all), types.MapValueMust(types.StringType, texts)
}

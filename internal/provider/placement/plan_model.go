package placement

import (
	"context"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// planModel is the result of a region or zone plan; data sources embed it.
type planModel struct {
	Status       types.String `tfsdk:"status"`
	Reason       types.String `tfsdk:"reason"`
	Creation     types.Object `tfsdk:"creation"`
	Deletion     types.Object `tfsdk:"deletion"`
	Distribution types.Map    `tfsdk:"distribution"`
	Target       types.Map    `tfsdk:"target"`
	Summary      types.String `tfsdk:"summary"`
}

// planAttributes adds the result to the attributes; kind is region or zone.
func planAttributes(kind string, attributes map[string]schema.Attribute) map[string]schema.Attribute {
	counts := func(description string) schema.Attribute {
		return schema.MapAttribute{ElementType: types.Int64Type, Computed: true, MarkdownDescription: description}
	}
	share := func(verb string) schema.Attribute {
		return schema.SingleNestedAttribute{Computed: true,
			MarkdownDescription: fmt.Sprintf("Nodes to %s. Null where none are. Fits into the `decision` of another plan as it is.", verb),
			Attributes: map[string]schema.Attribute{
				"count":    schema.Int64Attribute{Computed: true, MarkdownDescription: fmt.Sprintf("Number of nodes to %s.", verb)},
				kind + "s": counts(fmt.Sprintf("Of them, the number in each %s that changes.", kind)),
			}}
	}
	attributes["status"] = schema.StringAttribute{Computed: true, MarkdownDescription: "`OK`: a plan that cannot be made is an error."}
	attributes["reason"] = schema.StringAttribute{Computed: true, MarkdownDescription: "What came of the request, in a sentence."}
	attributes["creation"] = share("create")
	attributes["deletion"] = share("delete")
	attributes["distribution"] = counts(fmt.Sprintf("Number of nodes in each %s now.", kind))
	attributes["target"] = counts(fmt.Sprintf("Number of nodes in each %s after the change.", kind))
	attributes["summary"] = schema.StringAttribute{Computed: true,
		MarkdownDescription: fmt.Sprintf("The plan as a table for people: each %s with its nodes now and after, its ideal share and its cap.", kind)}
	return attributes
}

// fill translates a plan; notes say something about bins, by name.
func (m *planModel) fill(ctx context.Context, kind, reason string, bins []placement.Bin, changes []int64, notes map[string]string, diags *diag.Diagnostics) {
	var count int64
	now, after, changed := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for i, b := range bins {
		now[b.Name], after[b.Name] = b.Current, b.Current+changes[i]
		if changes[i] != 0 {
			changed[b.Name] = max(changes[i], -changes[i])
		}
		count += changes[i]
	}
	m.Status, m.Reason = types.StringValue("OK"), types.StringValue(reason)
	m.Distribution, m.Target = value.Counts(ctx, now, diags), value.Counts(ctx, after, diags)
	shareType := map[string]attr.Type{"count": types.Int64Type, kind + "s": types.MapType{ElemType: types.Int64Type}}
	m.Creation, m.Deletion = types.ObjectNull(shareType), types.ObjectNull(shareType)
	share := types.ObjectValueMust(shareType, map[string]attr.Value{
		"count": types.Int64Value(max(count, -count)), kind + "s": value.Counts(ctx, changed, diags)})
	switch {
	case count > 0:
		m.Creation = share
	case count < 0:
		m.Deletion = share
	}
	m.Summary = types.StringValue(places.Summary(kind, bins, changes, notes))
}

package placement

import (
	"context"
	"fmt"
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

type attachmentModel struct {
	ID              types.String `tfsdk:"id"`
	Cluster         types.String `tfsdk:"cluster"`
	DesiredCapacity types.Int64  `tfsdk:"desired_capacity"`
	MinSize         types.Int64  `tfsdk:"min_size"`
	MaxSize         types.Int64  `tfsdk:"max_size"`
	Regions         types.List   `tfsdk:"regions"`
	Zones           types.List   `tfsdk:"zones"`
	Region          types.String `tfsdk:"region"`
	NodeName        types.String `tfsdk:"node_name"`
	Deletion        types.Object `tfsdk:"deletion"`
	Selector        types.Object `tfsdk:"selector"`
	MaxMoves        types.Int64  `tfsdk:"max_moves"`
	RespectQuotas   types.Bool   `tfsdk:"respect_quotas"`
	FlavorID        types.String `tfsdk:"flavor_id"`
	Nodes           types.Map    `tfsdk:"nodes"`
	NextIndex       types.Int64  `tfsdk:"next_index"`
	Distribution    types.Map    `tfsdk:"distribution"`
	Change          types.Object `tfsdk:"change"`
	Summary         types.String `tfsdk:"summary"`
	Observed        types.Map    `tfsdk:"observed"`
}

// Types of the values that the attachment works out.
var (
	rosterNodeType = types.ObjectType{AttrTypes: map[string]attr.Type{"index": types.Int64Type, "region": types.StringType, "zone": types.StringType}}
	observedType   = types.ObjectType{AttrTypes: map[string]attr.Type{"id": types.StringType, "status": types.StringType,
		"created_at": types.StringType, "profile_created_at": types.StringType, "tainted": types.BoolType, "protected": types.BoolType}}
	createdType = types.ObjectType{AttrTypes: map[string]attr.Type{"count": types.Int64Type, "nodes": types.ListType{ElemType: types.StringType}}}
	deletedType = types.ObjectType{AttrTypes: map[string]attr.Type{"count": types.Int64Type, "candidates": types.ListType{ElemType: types.StringType}}}
	changeType  = types.ObjectType{AttrTypes: map[string]attr.Type{"creation": createdType, "deletion": deletedType, "moves": types.Int64Type}}
)

// validate checks what is known of the arguments.
func (m attachmentModel) validate(diags *diag.Diagnostics) {
	switch {
	case m.Regions.IsNull() && m.Zones.IsNull():
		diags.AddError("No places", "Nothing says where nodes may go. Give regions, or the zones of one region.")
	case !m.Regions.IsNull() && !m.Zones.IsNull():
		diags.AddAttributeError(path.Root("zones"), "Regions and zones", "Give either regions, which may have zones each, or the zones of one region.")
	case !m.Regions.IsNull() && m.Region.ValueString() != "":
		diags.AddAttributeError(path.Root("region"), "Regions and region", "The region goes with zones. Where regions are listed, leave it out.")
	}
	size, least, most := m.DesiredCapacity, m.MinSize.ValueInt64(), m.MaxSize.ValueInt64()
	bounded := !m.MaxSize.IsNull() && !m.MaxSize.IsUnknown() && most >= 0
	if bounded && least > most {
		diags.AddAttributeError(path.Root("min_size"), "Contradictory sizes", fmt.Sprintf("The min_size (%d) is greater than the max_size (%d).", least, most))
		return
	}
	at := path.Root("desired_capacity")
	switch {
	case size.IsUnknown():
	case size.ValueInt64() < least:
		diags.AddAttributeError(at, "Size outside its bounds", fmt.Sprintf("The desired_capacity (%d) is less than the min_size (%d).", size.ValueInt64(), least))
	case bounded && size.ValueInt64() > most:
		diags.AddAttributeError(at, "Size outside its bounds", fmt.Sprintf("The desired_capacity (%d) is greater than the max_size (%d).", size.ValueInt64(), most))
	}
}

// places translates the regions, or the zones as those of one region.
func (m attachmentModel) places(ctx context.Context, diags *diag.Diagnostics) []placement.Region {
	if m.Regions.IsNull() {
		region := placement.Bin{Name: m.Region.ValueString(), Weight: 1, Cap: placement.Unlimited}
		return []placement.Region{{Bin: region, Zones: places.ReadBins(ctx, m.Zones, diags)}}
	}
	var models []struct {
		places.Bin
		Zones types.List `tfsdk:"zones"`
	}
	diags.Append(m.Regions.ElementsAs(ctx, &models, false)...)
	regions := make([]placement.Region, len(models))
	for i, r := range models {
		regions[i] = placement.Region{Bin: r.Bin.Bin(), Zones: places.ReadBins(ctx, r.Zones, diags)}
	}
	return regions
}

// deletionModel is the argument deletion.
type deletionModel struct {
	Criteria   types.String `tfsdk:"criteria"`
	Candidates types.List   `tfsdk:"candidates"`
	Protected  types.List   `tfsdk:"protected"`
}

// candidates lists the nodes that are to go by name.
func (m attachmentModel) candidates(ctx context.Context, diags *diag.Diagnostics) (list []string) {
	if d := value.Object[deletionModel](ctx, m.Deletion, diags); d != nil {
		diags.Append(d.Candidates.ElementsAs(ctx, &list, false)...)
	}
	return list
}

// roster is what the state remembers. The values are read one by one: for a
// large cluster that is much faster than by reflection.
func (m attachmentModel) roster() roster.Roster {
	r := roster.Roster{Nodes: make(map[string]roster.Node, len(m.Nodes.Elements())), Next: m.NextIndex.ValueInt64()}
	for name, value := range m.Nodes.Elements() {
		fields := value.(types.Object).Attributes()
		r.Nodes[name] = roster.Node{
			Index: fields["index"].(types.Int64).ValueInt64(),
			Place: roster.Place{Region: fields["region"].(types.String).ValueString(), Zone: fields["zone"].(types.String).ValueString()},
		}
	}
	return r
}

// remember puts a roster into the state.
func (m *attachmentModel) remember(ctx context.Context, r roster.Roster, diags *diag.Diagnostics) {
	nodes := make(map[string]attr.Value, len(r.Nodes))
	for name, n := range r.Nodes {
		nodes[name] = types.ObjectValueMust(rosterNodeType.AttrTypes, map[string]attr.Value{
			"index": types.Int64Value(n.Index), "region": types.StringValue(n.Region), "zone": value.TextOrNull(n.Zone)})
	}
	m.Nodes = types.MapValueMust(rosterNodeType, nodes)
	m.NextIndex = types.Int64Value(r.Next)
	var more diag.Diagnostics
	m.Distribution, more = types.MapValueFrom(ctx, types.MapType{ElemType: types.Int64Type}, r.Counts())
	diags.Append(more...)
}

// record puts a change into the state.
func (m *attachmentModel) record(change roster.Change) {
	names := func(list []string) attr.Value {
		values := make([]attr.Value, len(list))
		for i, name := range list {
			values[i] = types.StringValue(name)
		}
		return types.ListValueMust(types.StringType, values)
	}
	created, deleted := types.ObjectNull(createdType.AttrTypes), types.ObjectNull(deletedType.AttrTypes)
	if n := len(change.Created); n > 0 {
		created = types.ObjectValueMust(createdType.AttrTypes, map[string]attr.Value{"count": types.Int64Value(int64(n)), "nodes": names(change.Created)})
	}
	if n := len(change.Deleted); n > 0 {
		deleted = types.ObjectValueMust(deletedType.AttrTypes, map[string]attr.Value{"count": types.Int64Value(int64(n)), "candidates": names(change.Deleted)})
	}
	m.Change = types.ObjectValueMust(changeType.AttrTypes, map[string]attr.Value{"creation": created, "deletion": deleted, "moves": types.Int64Value(change.Moves)})
}

// facts are what the last refresh saw, for the choice of nodes that leave.
func (m attachmentModel) facts(diags *diag.Diagnostics) map[string]node.Node {
	facts := make(map[string]node.Node, len(m.Observed.Elements()))
	for name, element := range m.Observed.Elements() {
		fields := element.(types.Object).Attributes()
		at := path.Root("observed").AtMapKey(name)
		facts[name] = node.Node{
			ID:               fields["id"].(types.String).ValueString(),
			Name:             name,
			Status:           fields["status"].(types.String).ValueString(),
			CreatedAt:        value.ReadTime(fields["created_at"].(types.String), at, diags),
			ProfileCreatedAt: value.ReadTime(fields["profile_created_at"].(types.String), at, diags),
			Tainted:          fields["tainted"].(types.Bool).ValueBool(),
			Protected:        fields["protected"].(types.Bool).ValueBool(),
		}
	}
	return facts
}

// observe puts what a refresh saw into the state.
func (m *attachmentModel) observe(servers map[string]node.Node) {
	values := make(map[string]attr.Value, len(servers))
	for name, n := range servers {
		values[name] = types.ObjectValueMust(observedType.AttrTypes, map[string]attr.Value{
			"id": types.StringValue(n.ID), "status": types.StringValue(n.Status),
			"created_at": value.TimeOrNull(n.CreatedAt), "profile_created_at": value.TimeOrNull(n.ProfileCreatedAt),
			"tainted": types.BoolValue(n.Tainted), "protected": types.BoolValue(n.Protected)})
	}
	m.Observed = types.MapValueMust(observedType, values)
}

// forget leaves out of what was seen the nodes that the roster no longer has.
func (m *attachmentModel) forget(seen types.Map, r roster.Roster) {
	kept := maps.Clone(seen.Elements())
	maps.DeleteFunc(kept, func(name string, _ attr.Value) bool {
		_, stays := r.Nodes[name]
		return !stays
	})
	if kept == nil {
		kept = map[string]attr.Value{}
	}
	m.Observed = types.MapValueMust(observedType, kept)
}

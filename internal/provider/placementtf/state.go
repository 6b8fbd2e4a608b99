package placementtf

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// roster returns the roster that the state and the private state remember. It reads
// the values one by one, which for a large cluster is much faster than reflection. Nodes
// of one template share it.
func (m attachmentModel) roster(remembered memory) roster.Roster {
	r, nodes := remembered.Roster, m.Nodes.Elements()
	r.Nodes, r.Next = make(map[string]roster.Node, len(nodes)), m.NextIndex.ValueInt64()
	templates := templateCache{}
	for name, element := range nodes {
		fields := element.(types.Object).Attributes()
		n := remembered.Roster.Nodes[name]
		n.Index = fields["index"].(types.Int64).ValueInt64()
		n.Region = fields["region"].(types.String).ValueString()
		if !n.Unplaced {
			n.Zone = fields["zone"].(types.String).ValueString()
		}
		n.Template = templates.read(fields["template"].(types.Map))
		n.Flavor = fields["flavor"].(types.String).ValueString()
		n.Generation = fields["generation"].(types.Int64).ValueInt64()
		n.Mark = roster.Mark(fields["mark"].(types.String).ValueString())
		r.Nodes[name] = n
	}
	r.Slots = m.slots()
	return r
}

// unshown returns the parts of a node that no attribute shows.
func unshown(n roster.Node) roster.Node {
	n.Index, n.Region, n.Template, n.Flavor, n.Generation, n.Mark = 0, "", "", "", 0, ""
	if !n.Unplaced {
		n.Zone = ""
	}
	return n
}

// slots returns the slots in the state, or nil without any.
func (m attachmentModel) slots() map[string]roster.Slot {
	var slots map[string]roster.Slot
	for name, element := range m.Slots.Elements() {
		if slots == nil {
			slots = map[string]roster.Slot{}
		}
		fields := element.(types.Object).Attributes()
		slots[name] = roster.Slot{
			Index: fields["index"].(types.Int64).ValueInt64(),
			Place: placement.Place{
				Region: fields["region"].(types.String).ValueString(),
				Zone:   fields["zone"].(types.String).ValueString(),
			},
		}
	}
	return slots
}

// rememberSlots puts the slots into the state, or null without any.
func (m *attachmentModel) rememberSlots(r roster.Roster) {
	if r.Slots == nil {
		m.Slots = types.MapNull(slotType)
		return
	}
	slots := make(map[string]attr.Value, len(r.Slots))
	for name, s := range r.Slots {
		_, inUse := r.Nodes[name]
		slots[name] = types.ObjectValueMust(slotType.AttrTypes, map[string]attr.Value{
			"index":  types.Int64Value(s.Index),
			"region": types.StringValue(s.Region),
			"zone":   value.TextOrNull(s.Zone),
			"in_use": types.BoolValue(inUse),
		})
	}
	m.Slots = types.MapValueMust(slotType, slots)
}

// templateCache has the few different templates of many nodes. Comparing two templates
// is cheaper than making one from its values.
type templateCache map[roster.Template]map[string]attr.Value

func (c templateCache) read(values types.Map) roster.Template {
	elements := values.Elements()
	equal := func(a, b attr.Value) bool { return a.Equal(b) }
	for template, seen := range c {
		if maps.EqualFunc(seen, elements, equal) {
			return template
		}
	}
	template := templateOf(values)
	c[template] = elements
	return template
}

// remember puts a roster and its distribution into the state.
func (m *attachmentModel) remember(
	ctx context.Context, r roster.Roster, regions []placement.Region, diags *diag.Diagnostics,
) {
	closed := map[placement.Place]bool{}
	for _, region := range regions {
		closed[placement.Place{Region: region.Name}] = region.Maintenance
		for _, zone := range region.Zones {
			closed[placement.Place{Region: region.Name, Zone: zone.Name}] = zone.Maintenance
		}
	}
	templates := map[roster.Template]types.Map{}
	nodes := make(map[string]attr.Value, len(r.Nodes))
	for name, n := range r.Nodes {
		zone := value.TextOrNull(n.Zone)
		if n.Unplaced {
			zone = types.StringNull()
		}
		if _, made := templates[n.Template]; !made {
			values := map[string]attr.Value{}
			for key, text := range n.Template.Values() {
				values[key] = types.StringValue(text)
			}
			templates[n.Template] = types.MapValueMust(types.StringType, values)
		}
		nodes[name] = types.ObjectValueMust(rosterNodeType.AttrTypes, map[string]attr.Value{
			"index":      types.Int64Value(n.Index),
			"region":     types.StringValue(n.Region),
			"zone":       zone,
			"template":   templates[n.Template],
			"flavor":     value.TextOrNull(n.Flavor),
			"generation": types.Int64Value(n.Generation),
			"mark":       types.StringValue(string(n.Mark)),
			"closed":     types.BoolValue(closed[placement.Place{Region: n.Region}] || closed[n.Place]),
		})
	}
	m.Nodes = types.MapValueMust(rosterNodeType, nodes)
	m.rememberSlots(r)
	m.NextIndex = types.Int64Value(r.Next)
	var more diag.Diagnostics
	m.Distribution, more = types.MapValueFrom(ctx, zoneCountsType, distribution(r, regions))
	diags.Append(more...)
	given := roster.Policy{Regions: regions, Templates: m.templates(), Update: m.update(ctx, diags)}
	wanted := facts.Judge(r, given).Wanted
	m.Summary = types.StringValue(spreadTable(r, regions, wanted))
}

// distribution counts the nodes by region and zone, with 0 for a listed place
// without nodes.
func distribution(r roster.Roster, listed []placement.Region) map[string]map[string]int64 {
	nodes := r.Counts()
	for _, region := range listed {
		for _, zone := range region.Zones {
			nodes[placement.Place{Region: region.Name, Zone: zone.Name}] += 0
		}
	}
	counts := nodes.ByZone()
	for _, region := range listed {
		if counts[region.Name] == nil {
			counts[region.Name] = map[string]int64{}
		}
	}
	return counts
}

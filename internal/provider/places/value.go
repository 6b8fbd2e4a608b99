package places

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Value returns the list of regions and their zones, with their names alone.
func Value(regions []placement.Region) types.List {
	region := ArgumentWithTemplates("region", true).NestedObject.Type().(types.ObjectType)
	zone := ArgumentWithTemplates("zone", false).NestedObject.Type().(types.ObjectType)
	named := func(name string) map[string]attr.Value {
		return map[string]attr.Value{
			"name":     types.StringValue(name),
			"weight":   types.Int64Null(),
			"cap":      types.Int64Null(),
			"min":      types.Int64Null(),
			"closed":   types.BoolNull(),
			"template": types.MapNull(types.StringType),
			"flavors":  types.ListNull(types.StringType),
		}
	}
	list := make([]attr.Value, len(regions))
	for i, r := range regions {
		fields := named(r.Name)
		fields["zones"] = types.ListNull(zone)
		if len(r.Zones) > 0 {
			zones := make([]attr.Value, len(r.Zones))
			for j, z := range r.Zones {
				zones[j] = types.ObjectValueMust(zone.AttrTypes, named(z.Name))
			}
			fields["zones"] = types.ListValueMust(zone, zones)
		}
		list[i] = types.ObjectValueMust(region.AttrTypes, fields)
	}
	return types.ListValueMust(region, list)
}

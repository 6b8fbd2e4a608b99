package places

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// Regions are places of nodes as somebody wrote them, in an argument of any type: Terraform drops keys that an object
// type does not have. List has what was read, and Wrong says why it could not be.
type Regions struct {
	basetypes.DynamicValue
	List  types.List
	Wrong error
}

// RegionsType is the type of the argument.
type RegionsType struct{ basetypes.DynamicType }

const regionsExample = `[{ name = "RegionOne", zones = [{ name = "az-1" }] }]`

var bounds = map[string][2]int64{
	"weight": {1, placement.MaxNodes}, "cap": {placement.Unlimited, placement.MaxNodes}, "min": {0, placement.MaxNodes},
}

var zoneShape = shape.Shape{
	Of: "a zone", Like: regionsExample,
	Keys: map[string]shape.Kind{
		"name": shape.Text, "weight": shape.Whole, "cap": shape.Whole, "min": shape.Whole, "closed": shape.Flag,
		"flavors": shape.Texts, "template": shape.Map,
	},
	Needs: [][]string{{"name"}}, Bounds: bounds,
}

var regionShape = shape.Shape{
	Of: "a region", Like: regionsExample,
	Keys: map[string]shape.Kind{
		"name": shape.Text, "weight": shape.Whole, "cap": shape.Whole, "min": shape.Whole, "closed": shape.Flag,
		"flavors": shape.Texts, "template": shape.Map, "image": shape.Text,
	},
	Lists: map[string]shape.Shape{"zones": zoneShape}, Bounds: bounds,
}

var (
	zoneType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"name": types.StringType, "weight": types.Int64Type, "cap": types.Int64Type, "min": types.Int64Type,
		"closed": types.BoolType, "flavors": types.ListType{ElemType: types.StringType},
		"template": types.MapType{ElemType: types.StringType},
	}}
	regionType = types.ObjectType{AttrTypes: with(zoneType.AttrTypes, map[string]attr.Type{
		"image": types.StringType, "zones": types.ListType{ElemType: zoneType},
	})}
)

func with(types, others map[string]attr.Type) map[string]attr.Type {
	all := maps.Clone(types)
	maps.Copy(all, others)
	return all
}

// Equal implements attr.Type.
func (t RegionsType) Equal(o attr.Type) bool {
	_, ok := o.(RegionsType)
	return ok
}

// ValueType implements attr.Type.
func (t RegionsType) ValueType(context.Context) attr.Value { return Regions{} }

// ValueFromDynamic implements basetypes.DynamicTypable.
func (t RegionsType) ValueFromDynamic(
	_ context.Context, v basetypes.DynamicValue,
) (basetypes.DynamicValuable, diag.Diagnostics) {
	return readRegions(v), nil
}

// ValueFromTerraform implements attr.Type.
func (t RegionsType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.DynamicType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return readRegions(v.(basetypes.DynamicValue)), nil
}

// Type implements attr.Value.
func (r Regions) Type(context.Context) attr.Type { return RegionsType{} }

// Equal implements attr.Value. It compares what was written, not what was read from it.
func (r Regions) Equal(o attr.Value) bool {
	other, ok := o.(Regions)
	return ok && r.DynamicValue.Equal(other.DynamicValue)
}

// readRegions reads regions. A region that cannot be read is unknown.
func readRegions(v basetypes.DynamicValue) Regions {
	r := Regions{DynamicValue: v, List: types.ListNull(regionType)}
	if v.IsNull() || v.IsUnderlyingValueNull() {
		return r
	}
	regions, err := regionShape.List("regions", v)
	list := make([]attr.Value, len(regions))
	for i, region := range regions {
		fields := fieldsOf(regionType, region)
		zones, wrong := readZones(fmt.Sprintf("regions[%d].zones", i), region["zones"])
		if err == nil {
			err = wrong
		}
		if given := region["zones"]; given != nil && !value.IsNull(given) {
			fields["zones"] = zones
			if len(zones.Elements()) == 0 && err == nil {
				err = fmt.Errorf("regions[%d].zones has no zone. "+
					"Leave zones out where Nova chooses the zone of each server", i)
			}
		}
		list[i] = types.ObjectValueMust(regionType.AttrTypes, fields)
	}
	if r.Wrong = err; err != nil {
		r.List = types.ListUnknown(regionType)
		return r
	}
	r.List = types.ListValueMust(regionType, list)
	return r
}

func readZones(name string, v attr.Value) (types.List, error) {
	objects, err := zoneShape.List(name, v)
	zones := make([]attr.Value, len(objects))
	for i, zone := range objects {
		zones[i] = types.ObjectValueMust(zoneType.AttrTypes, fieldsOf(zoneType, zone))
	}
	return types.ListValueMust(zoneType, zones), err
}

// ReadZones reads the zones of one region, and says what is wrong with them.
func ReadZones(argument types.Dynamic, diags *diag.Diagnostics) []placement.Bin {
	at := path.Root("zones")
	list, err := readZones("zones", argument)
	switch {
	case value.Is[shape.UnknownError](err):
	case err != nil:
		diags.AddAttributeError(at, "Invalid argument", shape.Ended(err))
	case len(list.Elements()) == 0:
		diags.AddAttributeError(at, "No places", "Nothing says where nodes may go. List a zone.")
	}
	checkBins("zone", at, list, diags)
	return readBins(list)
}

// fieldsOf returns the attributes of a place. An attribute that is not given is null.
func fieldsOf(place types.ObjectType, given shape.Object) map[string]attr.Value {
	fields := map[string]attr.Value{}
	for name, of := range place.AttrTypes {
		null := tftypes.NewValue(of.TerraformType(context.Background()), nil)
		fields[name], _ = of.ValueFromTerraform(context.Background(), null) // every type has it
		if v := given[name]; v != nil && name != "zones" {
			fields[name] = v
		}
	}
	return fields
}

// Named returns the regions with a name for the one that has none.
func (r Regions) Named(name string) Regions {
	if !Nameless(r.List) || name == "" {
		return r
	}
	region := r.List.Elements()[0].(types.Object)
	fields := region.Attributes()
	fields["name"] = types.StringValue(name)
	r.List = types.ListValueMust(regionType, []attr.Value{types.ObjectValueMust(regionType.AttrTypes, fields)})
	return r
}

// Check says what is wrong with the regions.
func (r Regions) Check(diags *diag.Diagnostics) {
	at := path.Root("regions")
	if r.Wrong != nil && !value.Is[shape.UnknownError](r.Wrong) {
		diags.AddAttributeError(at, "Invalid argument", shape.Ended(r.Wrong))
	}
	if value.Given(r.List) && len(r.List.Elements()) == 0 {
		diags.AddAttributeError(at, "No places",
			"Nothing says where nodes may go. Give regions, with zones where you choose these.")
	}
	checkBins("region", at, r.List, diags)
	each(r.List, func(_ placement.Place, at path.Path, fields map[string]attr.Value) {
		checkBins("zone", at.AtName("zones"), value.In[types.List](fields, "zones"), diags)
		flavors := value.In[types.List](fields, "flavors")
		empty := func(name string, v interface{ IsUnknown() bool }, none bool) {
			if none && !v.IsUnknown() {
				diags.AddAttributeError(at.AtName(name), "Invalid argument", at.AtName(name).String()+" is empty. "+
					"Leave it out.")
			}
		}
		empty("flavors", flavors, !flavors.IsNull() && len(flavors.Elements()) == 0)
		for _, name := range []string{"name", "image"} {
			if text, is := fields[name].(types.String); is {
				empty(name, text, !text.IsNull() && text.ValueString() == "")
			}
		}
		texts := value.Texts(flavors)
		slices.Sort(texts)
		if slices.Contains(texts, "") || len(slices.Compact(texts)) < len(texts) {
			diags.AddAttributeError(at.AtName("flavors"), "Invalid argument",
				at.AtName("flavors").String()+" has an empty text, or one twice. Remove it.")
		}
	})
}

// Value returns regions and their zones, with their names alone, as somebody would write them.
func Value(regions []placement.Region) Regions {
	named := func(name string, zones attr.Value) attr.Value {
		of := map[string]attr.Type{"name": types.StringType}
		fields := map[string]attr.Value{"name": types.StringValue(name)}
		if zones != nil {
			of["zones"], fields["zones"] = zones.Type(context.Background()), zones
		}
		return types.ObjectValueMust(of, fields)
	}
	list := make([]attr.Value, len(regions))
	for i, r := range regions {
		var zones []attr.Value
		for _, z := range r.Zones {
			zones = append(zones, named(z.Name, nil))
		}
		list[i] = named(r.Name, nil)
		if len(zones) > 0 {
			list[i] = named(r.Name, tuple(zones))
		}
	}
	return readRegions(types.DynamicValue(tuple(list)))
}

func tuple(list []attr.Value) attr.Value {
	of := make([]attr.Type, len(list))
	for i, v := range list {
		of[i] = v.Type(context.Background())
	}
	return types.TupleValueMust(of, list)
}

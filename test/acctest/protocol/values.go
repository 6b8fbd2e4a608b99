package protocol

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/dynamic"
	"github.com/stretchr/testify/require"
)

// valueOf returns a value of a type. A wrong one is a mistake of the test, and panics.
func valueOf(of tftypes.Type, v any) tftypes.Value {
	if of.Is(tftypes.DynamicPseudoType) {
		return dynamic.Of(v)
	}
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(of, nil)
	case tftypes.Value:
		return v
	case int:
		if of.Is(tftypes.String) { // Terraform makes a string of it, too
			return tftypes.NewValue(of, fmt.Sprint(v))
		}
		return tftypes.NewValue(of, big.NewFloat(float64(v)))
	case Attributes:
		values := map[string]tftypes.Value{}
		switch of := of.(type) {
		case tftypes.Map:
			for name, e := range v {
				values[name] = valueOf(of.ElementType, e)
			}
		case tftypes.Object:
			for name := range v {
				if of.AttributeTypes[name] == nil {
					panic("no attribute " + name)
				}
			}
			for name, e := range of.AttributeTypes {
				values[name] = valueOf(e, v[name])
			}
		}
		return tftypes.NewValue(of, values)
	case []any:
		values := make([]tftypes.Value, len(v))
		for i, e := range v {
			values[i] = valueOf(of.(tftypes.List).ElementType, e)
		}
		return tftypes.NewValue(of, values)
	}
	return tftypes.NewValue(of, v)
}

// Block returns a block of a schema in which everything is null except for the given values.
func Block(t testing.TB, of interface{ Type() attr.Type }, given map[string]attr.Value) types.Object {
	t.Helper()
	kinds := of.Type().(types.ObjectType).AttrTypes
	all := map[string]attr.Value{}
	for name, kind := range kinds {
		null, err := kind.ValueFromTerraform(t.Context(), tftypes.NewValue(kind.TerraformType(t.Context()), nil))
		require.NoError(t, err)
		all[name] = null
	}
	maps.Copy(all, given)
	return types.ObjectValueMust(kinds, all)
}

// Spread configures placement over the five zones of the default regions.
func Spread(size int) Attributes {
	az := func(n int) Attributes { return Attributes{"name": fmt.Sprintf("az-%d", n)} }
	return Attributes{"cluster": "web", "desired_capacity": size, "regions": []any{
		Attributes{"name": "RegionOne", "zones": []any{az(1), az(2), az(3)}},
		Attributes{"name": "RegionTwo", "zones": []any{az(1), az(2)}}}}
}

// Object returns the attributes of a value.
func Object(v tftypes.Value) map[string]tftypes.Value { return as[map[string]tftypes.Value](v) }

// Elements returns the elements of a list.
func Elements(v tftypes.Value) []tftypes.Value { return as[[]tftypes.Value](v) }

// Text returns a string.
func Text(v tftypes.Value) string { return as[string](v) }

// as returns a value as a Go type. Another type is a mistake of the test.
func as[T any](v tftypes.Value) (is T) {
	if err := v.As(&is); err != nil {
		panic(err)
	}
	return is
}

// Pack encodes a value for the protocol.
func Pack(v tftypes.Value) *tfprotov6.DynamicValue {
	packed, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		panic(err)
	}
	return &packed
}

// Unpack decodes a value of the protocol.
func Unpack(of tftypes.Type, packed *tfprotov6.DynamicValue) tftypes.Value {
	v, err := packed.Unmarshal(of)
	if err != nil {
		panic(err)
	}
	return v
}

// Shown returns a value in one line: "" for null, a list with blanks in between.
func Shown(v tftypes.Value) string {
	var list []tftypes.Value
	var number *big.Float
	var yes bool
	var fields map[string]tftypes.Value
	switch {
	case v.IsNull():
		return ""
	case !v.IsKnown():
		return "unknown"
	case v.Type().Is(tftypes.Number) && v.As(&number) == nil:
		return number.String()
	case v.Type().Is(tftypes.Bool) && v.As(&yes) == nil:
		return fmt.Sprint(yes)
	case v.As(&fields) == nil:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			parts = append(parts, name+"="+Shown(fields[name]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case v.As(&list) == nil:
		var parts []string
		for _, e := range list {
			parts = append(parts, Shown(e))
		}
		return strings.Join(parts, " ")
	}
	return Text(v)
}

// Zones are zones of the one region of a list, which is the provider's.
func Zones(zones any) []any { return []any{Attributes{"zones": zones}} }

// Listing parses places such as "RegionOne:az-1,az-2!", where an exclamation mark closes a zone; the bounds are caps.
func Listing(names string, bounds ...int) (list []any) {
	for i, name := range strings.Fields(names) {
		name, zones, _ := strings.Cut(name, ":")
		name, closed := strings.CutSuffix(name, "!")
		place := Attributes{"name": name}
		if closed {
			place["closed"] = true
		}
		if zones != "" {
			place["zones"] = Listing(strings.ReplaceAll(zones, ",", " "))
		}
		if i < len(bounds) {
			place["cap"] = bounds[i]
		}
		list = append(list, place)
	}
	return list
}

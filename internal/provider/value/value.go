// Package value translates between Terraform's values, which may be null or
// unknown, and Go's.
package value

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Given reports whether a value is known and not null. A value that is unknown while
// planning is neither given nor missing.
func Given(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

// GivenBlock reports whether a block has an attribute that is known and not
// null. An empty block counts as missing; so does a block whose content is unknown,
// such as a dynamic block.
func GivenBlock(block types.Object) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(block.Attributes())), Given)
}

// Known reports whether values are known, with everything inside them.
func Known(ctx context.Context, values ...attr.Value) bool {
	for _, v := range values {
		raw, err := v.ToTerraformValue(ctx)
		if err != nil || !raw.IsFullyKnown() {
			return false
		}
	}
	return true
}

// UnknownIn returns the path of the first argument of a block that is not known, or the path of the block.
func UnknownIn(ctx context.Context, block types.Object, at path.Path) path.Path {
	arguments := block.Attributes()
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !Known(ctx, arguments[name]) {
			return at.AtName(name)
		}
	}
	return at
}

// Object translates an object, and null into nil. Everything in it must be known.
func Object[T any](ctx context.Context, o types.Object, diags *diag.Diagnostics) *T {
	if o.IsNull() || o.IsUnknown() {
		return nil
	}
	var m T
	diags.Append(o.As(ctx, &m, basetypes.ObjectAsOptions{})...)
	return &m
}

// Objects returns the attributes of the objects of a list: none of an object that is null or not known.
func Objects(list attr.Value) (all []map[string]attr.Value) {
	elements, _ := list.(types.List)
	for _, element := range elements.Elements() {
		object, _ := element.(types.Object)
		all = append(all, object.Attributes())
	}
	return all
}

// In returns a value of a map or an object, and null if it has none of the type.
func In[T attr.Value](of map[string]attr.Value, name string) T {
	v, _ := of[name].(T)
	return v
}

// Path returns the path of a dotted name.
func Path(name string) path.Path {
	steps := strings.Split(name, ".")
	at := path.Root(steps[0])
	for _, step := range steps[1:] {
		at = at.AtName(step)
	}
	return at
}

// NumberOr returns a number, or the default if it is not given.
func NumberOr(value types.Int64, byDefault int64) int64 {
	if !Given(value) {
		return byDefault
	}
	return value.ValueInt64()
}

// TextOrNull returns a text, and null for an empty one.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// TimeOrNull returns a time in the form of RFC 3339, and null for the zero time.
func TimeOrNull(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.Format(time.RFC3339))
}

// ReadTime reads a time in the form of RFC 3339, and returns the zero time for an empty text.
func ReadTime(value types.String, at path.Path, diags *diag.Diagnostics) time.Time {
	if value.ValueString() == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, value.ValueString())
	if err != nil {
		diags.AddAttributeError(at, "Invalid time",
			fmt.Sprintf("%q is not a time as RFC 3339 writes it, such as 2026-11-21T08:00:00Z.", value.ValueString()))
	}
	return t
}

// TextOr returns the text, or the default if it is empty or not given.
func TextOr(value types.String, byDefault string) string {
	return cmp.Or(value.ValueString(), byDefault)
}

// Counts returns numbers of nodes as a map.
func Counts(counts map[string]int64) types.Map {
	values := make(map[string]attr.Value, len(counts))
	for name, n := range counts {
		values[name] = types.Int64Value(n)
	}
	return types.MapValueMust(types.Int64Type, values)
}

// ZoneCountsType is the type of the result of [ZoneCounts].
var ZoneCountsType = types.MapType{ElemType: types.Int64Type}

// ZoneCounts returns numbers of nodes by region and zone.
func ZoneCounts(counts map[string]map[string]int64) types.Map {
	values := make(map[string]attr.Value, len(counts))
	for region, zones := range counts {
		values[region] = Counts(zones)
	}
	return types.MapValueMust(ZoneCountsType, values)
}

// List returns texts as a list.
func List(texts []string) types.List {
	values := make([]attr.Value, len(texts))
	for i, s := range texts {
		values[i] = types.StringValue(s)
	}
	return types.ListValueMust(types.StringType, values)
}

// Is reports whether an error is, or wraps, an error of a type.
func Is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Texts returns the elements of a list that are known and not null.
func Texts(list types.List) (all []string) {
	for _, element := range list.Elements() {
		if text, ok := element.(types.String); ok && Given(text) {
			all = append(all, text.ValueString())
		}
	}
	return all
}

// ByIdentity reports whether an import gives the identity of the resource, and no id.
// It may give neither: an id can be empty.
func ByIdentity(req resource.ImportStateRequest) bool {
	return req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull()
}

// ParseRegionalID splits <region>/<id>. A region's name may have slashes, an
// id has no slash.
func ParseRegionalID(text string) (region, id string, ok bool) {
	i := strings.LastIndex(text, "/")
	if i < 1 || i == len(text)-1 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}

// NumberText returns a number as text. Decimal digits take time and memory that
// grow with the exponent: 1e88888888 has 88888889 digits. So a number with an
// exponent beyond all useful ones is not written out.
func NumberText(f *big.Float) string {
	const far = 1024 // the range of binary exponents of a float64
	exponent := f.MantExp(nil)
	switch {
	case f.IsInf(), exponent > far:
		return "a number beyond all bounds"
	case exponent < -far:
		return "a number that is almost zero"
	}
	return f.Text('g', 20)
}

// Decimal returns a number as the exact fraction of its decimal digits: 12.5 is
// 25/2, and 33.3 is 333/10, not the nearest binary fraction. It is nil for null
// and unknown; ok is false for a number so large or small that it would take
// millions of digits.
func Decimal(v types.Number) (r *big.Rat, ok bool) {
	if v.IsNull() || v.IsUnknown() {
		return nil, true
	}
	f := v.ValueBigFloat()
	const far = 1024
	if f.IsInf() || f.MantExp(nil) > far || f.MantExp(nil) < -far {
		return nil, false
	}
	return new(big.Rat).SetString(f.Text('g', -1)) // the shortest digits that give this number
}

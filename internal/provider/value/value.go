// Package value translates between Terraform's values, which may be null or
// unknown, and Go's.
package value

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
	if !Given(block) {
		return false
	}
	for _, v := range block.Attributes() {
		if Given(v) {
			return true
		}
	}
	return false
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

// NumberOrNull returns a number, and null for 0.
func NumberOrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
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
	if value.ValueString() == "" {
		return byDefault
	}
	return value.ValueString()
}

// Counts returns numbers of nodes as a map.
func Counts(ctx context.Context, counts map[string]int64, diags *diag.Diagnostics) types.Map {
	value, more := types.MapValueFrom(ctx, types.Int64Type, counts)
	diags.Append(more...)
	return value
}

// Sorted returns a sorted copy of a list, never nil.
func Sorted(list []string) []string {
	list = append([]string{}, list...)
	slices.Sort(list)
	return list
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

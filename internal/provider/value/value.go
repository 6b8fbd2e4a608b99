// Package value translates between Terraform's values and Go's: null, unknown,
// and what is known.
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

// Given reports whether a value is known and not null. What is unknown while
// planning is neither given nor missing.
func Given(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

// GivenBlock reports whether a block has an attribute that is known and not
// null. An empty block counts as missing; so does one whose content is unknown,
// as that of a dynamic block may be.
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

// Known reports whether values and all in them are known.
func Known(ctx context.Context, values ...attr.Value) bool {
	for _, v := range values {
		raw, err := v.ToTerraformValue(ctx)
		if err != nil || !raw.IsFullyKnown() {
			return false
		}
	}
	return true
}

// UnknownIn is the path of the first argument of a block that is not known, or that of the block.
func UnknownIn(ctx context.Context, block types.Object, at path.Path) path.Path {
	arguments := block.Attributes()
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !Known(ctx, arguments[name]) {
			return at.AtName(name)
		}
	}
	return at
}

// Object translates an object, null into nil. All in it must be known.
func Object[T any](ctx context.Context, o types.Object, diags *diag.Diagnostics) *T {
	if o.IsNull() || o.IsUnknown() {
		return nil
	}
	var m T
	diags.Append(o.As(ctx, &m, basetypes.ObjectAsOptions{})...)
	return &m
}

// Path is the path of a dotted name.
func Path(name string) path.Path {
	steps := strings.Split(name, ".")
	at := path.Root(steps[0])
	for _, step := range steps[1:] {
		at = at.AtName(step)
	}
	return at
}

// NumberOr reads a number, with a default where none was given.
func NumberOr(value types.Int64, byDefault int64) int64 {
	if !Given(value) {
		return byDefault
	}
	return value.ValueInt64()
}

// TextOrNull is null for an empty text.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// NumberOrNull is null for 0.
func NumberOrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}

// TimeOrNull is a time as RFC 3339, and null for the zero time.
func TimeOrNull(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.Format(time.RFC3339))
}

// ReadTime reads a time of RFC 3339; the zero time where there is none.
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

// TextOr is the value, or a default where none was given.
func TextOr(value types.String, byDefault string) string {
	if value.ValueString() == "" {
		return byDefault
	}
	return value.ValueString()
}

// Counts is a map of numbers of nodes.
func Counts(ctx context.Context, counts map[string]int64, diags *diag.Diagnostics) types.Map {
	value, more := types.MapValueFrom(ctx, types.Int64Type, counts)
	diags.Append(more...)
	return value
}

// Sorted is a sorted copy, never nil.
func Sorted(list []string) []string {
	list = append([]string{}, list...)
	slices.Sort(list)
	return list
}

// Is reports whether an error is, or wraps, one of a type.
func Is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Texts are the texts of a list that are known and not null.
func Texts(list types.List) (all []string) {
	for _, element := range list.Elements() {
		if text, ok := element.(types.String); ok && Given(text) {
			all = append(all, text.ValueString())
		}
	}
	return all
}

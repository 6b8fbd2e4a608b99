package value

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// WholeType is the type of a whole number. The plugin framework's own Int64Type
// answers a fraction with "always an error in the provider"; this one says that
// a whole number is needed. To use it:
//
//	schema.Int64Attribute{CustomType: value.WholeType{}, ...}
//	Count value.Whole `tfsdk:"count"`
//
// The validators and defaults of Int64Attribute work as before, and a function's
// Int64Parameter takes the type too. As the element type of a list or map a
// fraction is not reported by itself: check [Whole.Fault].
type WholeType struct{ basetypes.Int64Type }

var (
	_ basetypes.Int64Typable         = WholeType{}
	_ basetypes.Int64Valuable        = Whole{}
	_ xattr.ValidateableAttribute    = Whole{}
	_ function.ValidateableParameter = Whole{}
)

// Equal implements attr.Type.
func (t WholeType) Equal(o attr.Type) bool {
	_, ok := o.(WholeType)
	return ok
}

// String implements attr.Type.
func (t WholeType) String() string { return "value.WholeType" }

// Validate implements xattr.TypeWithValidate. [Whole.ValidateAttribute] reports
// what is wrong.
func (t WholeType) Validate(context.Context, tftypes.Value, path.Path) diag.Diagnostics { return nil }

// ValueType implements attr.Type.
func (t WholeType) ValueType(context.Context) attr.Value { return Whole{} }

// ValueFromInt64 implements basetypes.Int64Typable.
func (t WholeType) ValueFromInt64(
	_ context.Context,
	v basetypes.Int64Value,
) (basetypes.Int64Valuable, diag.Diagnostics) {
	return Whole{Int64Value: v}, nil
}

// ValueFromTerraform implements attr.Type. It keeps a number that is not whole,
// for [Whole.ValidateAttribute] to report.
func (t WholeType) ValueFromTerraform(_ context.Context, in tftypes.Value) (attr.Value, error) {
	switch {
	case !in.IsKnown():
		return Whole{Int64Value: types.Int64Unknown()}, nil
	case in.IsNull():
		return Whole{Int64Value: types.Int64Null()}, nil
	}
	var number *big.Float
	if err := in.As(&number); err != nil {
		return nil, err
	}
	n, fault := wholeNumber(number)
	if fault != "" {
		// Unknown, so that no other validator looks at a number that is not there.
		return Whole{Int64Value: types.Int64Unknown(), Fault: fault, number: number}, nil
	}
	return Whole{Int64Value: types.Int64Value(n)}, nil
}

// Whole is a whole number, null or unknown. A number that is not whole counts as
// unknown; the framework reports it before it reaches Read, Create or Update.
type Whole struct {
	basetypes.Int64Value
	Fault  string // what is wrong with the number, in a sentence; "" for a good one
	number *big.Float
}

// WholeOf is a known number.
func WholeOf(n int64) Whole { return Whole{Int64Value: types.Int64Value(n)} }

// WholeNull is null.
func WholeNull() Whole { return Whole{Int64Value: types.Int64Null()} }

// Type implements attr.Value.
func (v Whole) Type(context.Context) attr.Type { return WholeType{} }

// Equal implements attr.Value.
func (v Whole) Equal(o attr.Value) bool {
	other, ok := o.(Whole)
	return ok && v.Fault == other.Fault && v.Int64Value.Equal(other.Int64Value)
}

// ToTerraformValue implements attr.Value.
func (v Whole) ToTerraformValue(ctx context.Context) (tftypes.Value, error) {
	if v.number != nil {
		return tftypes.NewValue(tftypes.Number, v.number), nil
	}
	return v.Int64Value.ToTerraformValue(ctx)
}

// ValidateAttribute implements xattr.ValidateableAttribute.
func (v Whole) ValidateAttribute(
	_ context.Context,
	req xattr.ValidateAttributeRequest,
	resp *xattr.ValidateAttributeResponse,
) {
	if v.Fault != "" {
		resp.Diagnostics.AddAttributeError(
			req.Path,
			"Not a whole number",
			fmt.Sprintf("Attribute %s: %s", req.Path, v.Fault),
		)
	}
}

// ValidateParameter implements function.ValidateableParameter.
func (v Whole) ValidateParameter(
	_ context.Context,
	req function.ValidateParameterRequest,
	resp *function.ValidateParameterResponse,
) {
	if v.Fault != "" {
		resp.Error = function.NewArgumentFuncError(req.Position, strings.TrimSuffix(v.Fault, "."))
	}
}

// Or is the number, or a default where none was given.
func (v Whole) Or(byDefault int64) int64 {
	if v.IsNull() || v.IsUnknown() {
		return byDefault
	}
	return v.ValueInt64()
}

// wholeNumber returns a number as an int64 or, where it is none, what is wrong
// with it, in a sentence.
func wholeNumber(f *big.Float) (n int64, fault string) {
	n, accuracy := f.Int64()
	switch {
	case accuracy == big.Exact:
		return n, ""
	case f.IsInf(), f.MantExp(nil) > 63:
		return 0, fmt.Sprintf("A whole number of at most 19 digits is needed, not %s.", NumberText(f))
	}
	return 0, fmt.Sprintf("A whole number is needed, not %s.", NumberText(f))
}

// NumberText shows a number. To write one in decimal takes time and memory that
// grow with its exponent: 1e88888888 has as many digits. So no number is written
// out whose exponent is beyond that of all numbers that mean something here.
func NumberText(f *big.Float) string {
	const far = 1024 // a float64 goes as far
	exponent := f.MantExp(nil)
	switch {
	case f.IsInf(), exponent > far:
		return "one beyond all bounds"
	case exponent < -far:
		return "one that is all but zero"
	}
	return f.Text('g', 20)
}

// Decimal returns a number as the fraction that its decimal digits say: 12.5 is
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
	return new(big.Rat).SetString(f.Text('g', -1)) // the fewest digits that are this number
}

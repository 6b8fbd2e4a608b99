package value

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Terraform has no object type whose attributes are all optional and that refuses
// other attributes. An argument that needs such a type is dynamic, and is read here.

// Field is an attribute of an object, or an element of a map.
type Field struct {
	Name  string
	Value attr.Value
}

// ErrUnknown says that a value, and so the result, is not known yet.
var ErrUnknown = errors.New("not known yet")

// Fields returns the attributes of an object, or the elements of a map, sorted by name.
func Fields(value attr.Value) ([]Field, error) {
	value = Under(value)
	if value == nil || value.IsNull() {
		return nil, errors.New("an object is needed, and it is null")
	}
	if value.IsUnknown() {
		return nil, ErrUnknown
	}
	var values map[string]attr.Value
	switch v := value.(type) {
	case types.Object:
		values = v.Attributes()
	case types.Map:
		values = v.Elements()
	default:
		return nil, fmt.Errorf("an object is needed, not %s", described(value))
	}
	list := make([]Field, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Field{name, values[name]})
	}
	return list, nil
}

// Elements returns the elements of a list, a set or a tuple.
func Elements(value attr.Value) ([]attr.Value, error) {
	value = Under(value)
	if value != nil && value.IsUnknown() {
		return nil, ErrUnknown
	}
	if list, ok := value.(interface{ Elements() []attr.Value }); ok {
		return list.Elements(), nil
	}
	return nil, fmt.Errorf("a list is needed, not %s", described(value))
}

// As returns a value of a type; present is false for null.
func As[T attr.Value](value attr.Value, what string) (v T, present bool, err error) {
	value = Under(value)
	switch {
	case value.IsUnknown():
		return v, false, ErrUnknown
	case value.IsNull():
		return v, false, nil
	}
	v, ok := value.(T)
	if !ok {
		return v, false, fmt.Errorf("%s is needed, not %s", what, described(value))
	}
	return v, true, nil
}

// WholeFrom returns a whole number, and nil for null.
func WholeFrom(value attr.Value) (*int64, error) {
	v, present, err := As[types.Number](value, "a whole number")
	if err != nil || !present {
		return nil, err
	}
	number := v.ValueBigFloat()
	n, accuracy := number.Int64()
	switch {
	case accuracy == big.Exact:
		return &n, nil
	case number.IsInt():
		return nil, fmt.Errorf("a whole number of a usual size is needed, not %s", NumberText(number))
	}
	return nil, fmt.Errorf("a whole number is needed, not %s: use floor() or ceil()", NumberText(number))
}

// DecimalFrom returns a number as the exact fraction of its decimal digits, and nil for
// null; see [Decimal].
func DecimalFrom(value attr.Value) (*big.Rat, error) {
	v, present, err := As[types.Number](value, "a number")
	if err != nil || !present {
		return nil, err
	}
	r, ok := Decimal(v)
	if !ok {
		return nil, fmt.Errorf("a number of a usual size is needed, not %s", NumberText(v.ValueBigFloat()))
	}
	return r, nil
}

// described returns a few words about a value of an unexpected type.
func described(value attr.Value) string {
	switch v := value.(type) {
	case types.String:
		return fmt.Sprintf("%.40q", v.ValueString())
	case types.Bool:
		return strconv.FormatBool(v.ValueBool())
	case types.Number:
		return NumberText(v.ValueBigFloat())
	case types.Object, types.Map:
		return "an object"
	case types.List, types.Set, types.Tuple:
		return "a list"
	}
	return "a value of another type"
}

// IsNull reports whether a value, or the value inside a dynamic one, is null.
func IsNull(v attr.Value) bool { return Under(v).IsNull() }

// Under returns the value inside a dynamic one, if that is known and not null.
func Under(v attr.Value) attr.Value {
	if dynamic, ok := v.(types.Dynamic); ok && !dynamic.IsNull() && !dynamic.IsUnknown() {
		return dynamic.UnderlyingValue()
	}
	return v
}

// WholeType is the type of an argument that is a whole number. The framework's own type
// fails on a fraction, and calls that "an error in the provider". WholeType reads a
// fraction as unknown, so that nothing is planned with it, and reports it at the argument.
type WholeType struct{ basetypes.Int64Type }

// Equal implements attr.Type. Values of both types are the same.
func (t WholeType) Equal(o attr.Type) bool {
	_, ok := o.(WholeType)
	return ok || t.Int64Type.Equal(o)
}

// ValueFromTerraform implements attr.Type.
func (t WholeType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if !whole(in) {
		return types.Int64Unknown(), nil
	}
	return t.Int64Type.ValueFromTerraform(ctx, in)
}

// Validate implements xattr.TypeWithValidate.
func (t WholeType) Validate(_ context.Context, in tftypes.Value, at path.Path) (diags diag.Diagnostics) {
	if wrong := fault(in); wrong != nil {
		said := text.Sentence(wrong)
		if name := at.String(); name != "" { // Terraform shows no path into a list
			said = name + ": " + wrong.Error() + "."
		}
		diags.AddAttributeError(at, "Not a whole number", said)
	}
	return diags
}

// fault returns what is wrong with a number that is not whole.
func fault(in tftypes.Value) error {
	number := numberIn(in)
	if number == nil {
		return nil
	}
	_, err := WholeFrom(types.NumberValue(number))
	return err
}

// whole reports whether nothing is wrong with a number.
func whole(in tftypes.Value) bool { return fault(in) == nil }

// numberIn returns the number that a value is, nil if it is none or not known.
func numberIn(in tftypes.Value) *big.Float {
	var number *big.Float
	if !in.IsKnown() || in.IsNull() || !in.Type().Is(tftypes.Number) || in.As(&number) != nil {
		return nil
	}
	return number
}

// Package functions has the provider-defined functions. They need no cloud.
package functions

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Functions take objects whose attributes are all optional. Terraform's types
// have none of these, so such a parameter is dynamic, and read here.

// field is an attribute of an object, or an element of a map.
type field struct {
	name  string
	value attr.Value
}

// errUnknown says that a value is not known yet. So is then the result.
var errUnknown = errors.New("not known yet")

// fields lists what is in an object or a map, by name.
func fields(value attr.Value) ([]field, error) {
	if dynamic, ok := value.(types.Dynamic); ok {
		value = dynamic.UnderlyingValue()
	}
	if value == nil || value.IsNull() {
		return nil, errors.New("an object was expected, and it is null")
	}
	if value.IsUnknown() {
		return nil, errUnknown
	}
	var values map[string]attr.Value
	switch v := value.(type) {
	case types.Object:
		values = v.Attributes()
	case types.Map:
		values = v.Elements()
	default:
		return nil, fmt.Errorf("an object was expected, not %s", described(value))
	}
	list := make([]field, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, field{name, values[name]})
	}
	return list, nil
}

// read returns a value that is there; present is false for null.
func read[T attr.Value](value attr.Value, what string) (v T, present bool, err error) {
	if dynamic, ok := value.(types.Dynamic); ok && !dynamic.IsNull() && !dynamic.IsUnknown() {
		value = dynamic.UnderlyingValue()
	}
	switch {
	case value.IsUnknown():
		return v, false, errUnknown
	case value.IsNull():
		return v, false, nil
	}
	v, ok := value.(T)
	if !ok {
		return v, false, fmt.Errorf("%s was expected, not %s", what, described(value))
	}
	return v, true, nil
}

// wholeNumber returns nil for null.
func wholeNumber(value attr.Value) (*int64, error) {
	v, present, err := read[types.Number](value, "a whole number")
	if err != nil || !present {
		return nil, err
	}
	n, accuracy := v.ValueBigFloat().Int64()
	if accuracy != big.Exact {
		return nil, fmt.Errorf("a whole number was expected, not %s", numberText(v.ValueBigFloat()))
	}
	return &n, nil
}

// described shows a value that is not of the expected type, in a few words.
func described(value attr.Value) string {
	switch v := value.(type) {
	case types.String:
		return fmt.Sprintf("%.40q", v.ValueString())
	case types.Bool:
		return strconv.FormatBool(v.ValueBool())
	case types.Number:
		return numberText(v.ValueBigFloat())
	case types.Object, types.Map:
		return "an object"
	case types.List, types.Set, types.Tuple:
		return "a list"
	}
	return "a value of another type"
}

// numberText shows a number. To write one in decimal takes time and memory that
// grow with its exponent: 1e88888888 has as many digits. So no number is written
// out whose exponent is beyond that of all numbers that mean something here.
func numberText(f *big.Float) string {
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

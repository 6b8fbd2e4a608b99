// Package dynamic has values for arguments of any type, as Terraform makes them from an expression. They are written
// as JSON, which is such an expression.
package dynamic

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"
)

// Value returns a value in the form of the protocol.
func Value(t testing.TB, text string) tftypes.Value {
	t.Helper()
	v, err := Parse(text)
	require.NoError(t, err, text)
	return v
}

// Parse is Value without a test.
func Parse(text string) (tftypes.Value, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	return Of(v), err
}

// Framework returns a value in the form of the framework.
func Framework(t testing.TB, text string) types.Dynamic {
	t.Helper()
	v, err := types.DynamicType.ValueFromTerraform(t.Context(), Value(t, text))
	require.NoError(t, err, text)
	return v.(types.Dynamic)
}

// Of returns a value in the form of the protocol. Values of the protocol may be in it.
func Of(v any) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	case tftypes.Value:
		return v
	case json.Number:
		f, _, err := big.ParseFloat(v.String(), 10, 512, big.ToNearestEven)
		if err != nil {
			return tftypes.NewValue(tftypes.Number, tftypes.UnknownValue)
		}
		return tftypes.NewValue(tftypes.Number, f)
	case string:
		return tftypes.NewValue(tftypes.String, v)
	case bool:
		return tftypes.NewValue(tftypes.Bool, v)
	case []any:
		values, of := make([]tftypes.Value, len(v)), make([]tftypes.Type, len(v))
		for i, e := range v {
			values[i] = Of(e)
			of[i] = values[i].Type()
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: of}, values)
	case map[string]any:
		values, of := map[string]tftypes.Value{}, map[string]tftypes.Type{}
		for name, e := range v {
			values[name] = Of(e)
			of[name] = values[name].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: of}, values)
	}
	if v == tftypes.UnknownValue {
		return tftypes.NewValue(tftypes.DynamicPseudoType, v)
	}
	text, err := json.Marshal(v)
	value, wrong := Parse(string(text))
	if err = errors.Join(err, wrong); err != nil {
		panic(err)
	}
	return value
}

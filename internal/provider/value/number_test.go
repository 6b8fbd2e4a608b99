package value_test

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func number(t *testing.T, text string) *big.Float {
	t.Helper()
	f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	require.NoError(t, err)
	return f
}

// TestDecimal: a number is the fraction of its digits, not the nearest binary fraction.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{"12.5": "25/2", "33.3": "333/10", "-0.1": "-1/10", "50": "50/1"} {
		r, ok := value.Decimal(types.NumberValue(number(t, text)))
		require.True(t, ok, text)
		assert.Equal(t, want, r.String(), text)
	}
	for _, text := range []string{"1e88888888", "1e-88888888"} {
		_, ok := value.Decimal(types.NumberValue(number(t, text)))
		assert.False(t, ok, text)
	}
	r, ok := value.Decimal(types.NumberNull())
	assert.True(t, ok)
	assert.Nil(t, r)
}

// TestGivenBlock: a block is given if an attribute in it is known and not null.
func TestGivenBlock(t *testing.T) {
	of := map[string]attr.Type{"a": types.StringType, "b": types.StringType}
	block := func(a, b types.String) types.Object {
		return types.ObjectValueMust(of, map[string]attr.Value{"a": a, "b": b})
	}
	null, unknown := types.StringNull(), types.StringUnknown()
	for name, c := range map[string]struct {
		block types.Object
		want  bool
	}{
		"absent":            {types.ObjectNull(of), false},
		"unknown":           {types.ObjectUnknown(of), false},
		"empty":             {block(null, null), false},
		"unknown inside":    {block(unknown, null), false},
		"one thing is said": {block(unknown, types.StringValue("x")), true},
	} {
		assert.Equal(t, c.want, value.GivenBlock(c.block), "%s: given", name)
	}
}

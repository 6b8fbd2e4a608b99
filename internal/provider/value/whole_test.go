package value_test

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

func number(t *testing.T, text string) *big.Float {
	t.Helper()
	f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestWhole: what is no whole number is kept, told with its value, and counts as
// unknown.
func TestWhole(t *testing.T) {
	for text, want := range map[string]string{
		"3": "", "-9223372036854775808": "", "1e3": "",
		"3.7":                 "A whole number is needed, not 3.7.",
		"-0.5":                "A whole number is needed, not -0.5.",
		"9223372036854775808": "A whole number of at most 19 digits is needed, not 9223372036854775808.",
		"1e88888888":          "A whole number of at most 19 digits is needed, not one beyond all bounds.",
		"1e-88888888":         "A whole number is needed, not one that is all but zero.",
	} {
		raw := tftypes.NewValue(tftypes.Number, number(t, text))
		read, err := value.WholeType{}.ValueFromTerraform(t.Context(), raw)
		if err != nil {
			t.Fatal(err)
		}
		whole := read.(value.Whole)
		if whole.Fault != want || whole.IsUnknown() != (want != "") {
			t.Errorf("%s: got %+v", text, whole)
		}
		var resp xattr.ValidateAttributeResponse
		whole.ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: path.Root("n")}, &resp)
		if told := resp.Diagnostics.HasError(); told != (want != "") {
			t.Errorf("%s: reported %v", text, resp.Diagnostics)
		}
		if back, err := whole.ToTerraformValue(t.Context()); err != nil || !back.Equal(raw) {
			t.Errorf("%s became %s, %v", text, back, err)
		}
		if again, _ := (value.WholeType{}).ValueFromTerraform(t.Context(), raw); !again.Equal(whole) {
			t.Errorf("%s is not equal to itself", text)
		}
	}
	if got := value.WholeNull().Or(7); got != 7 {
		t.Errorf("null or 7 is %d", got)
	}
	if got := value.WholeOf(0).Or(7); got != 0 {
		t.Errorf("0 or 7 is %d", got)
	}
}

// TestDecimal: a number is what its digits say, not the nearest binary fraction.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{"12.5": "25/2", "33.3": "333/10", "-0.1": "-1/10", "50": "50/1"} {
		if r, ok := value.Decimal(types.NumberValue(number(t, text))); !ok || r.String() != want {
			t.Errorf("%s: got %v, want %s", text, r, want)
		}
	}
	for _, text := range []string{"1e88888888", "1e-88888888"} {
		if _, ok := value.Decimal(types.NumberValue(number(t, text))); ok {
			t.Errorf("%s was taken", text)
		}
	}
	if r, ok := value.Decimal(types.NumberNull()); r != nil || !ok {
		t.Errorf("null is %v", r)
	}
}

// TestGivenBlock: a block is given where something in it is known and not null.
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
		if got := value.GivenBlock(c.block); got != c.want {
			t.Errorf("%s: given %v", name, got)
		}
	}
}

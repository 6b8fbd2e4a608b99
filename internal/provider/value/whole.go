package value

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

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
	if fault(in) != "" {
		return types.Int64Unknown(), nil
	}
	return t.Int64Type.ValueFromTerraform(ctx, in)
}

// Validate implements xattr.TypeWithValidate.
func (t WholeType) Validate(_ context.Context, in tftypes.Value, at path.Path) (diags diag.Diagnostics) {
	if wrong := fault(in); wrong != "" {
		diags.AddAttributeError(at, "Not a whole number", wrong)
	}
	return diags
}

// fault returns a sentence about a number that is not whole, and "" for all others.
func fault(in tftypes.Value) string {
	var number *big.Float
	if in.IsKnown() && !in.IsNull() && in.Type().Is(tftypes.Number) && in.As(&number) == nil {
		if _, err := WholeFrom(types.NumberValue(number)); err != nil {
			return text.Sentence(err)
		}
	}
	return ""
}

// Package durations has the type of arguments that are durations: a string such
// as "10m", or a number of seconds. An argument is
//
//	"timeout": durations.Argument(0, duration.Day, "How long to wait.")
//	Timeout durations.Value `tfsdk:"timeout"`
package durations

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
)

// Type is the type of a duration. Terraform turns a number into a string.
type Type struct{ basetypes.StringType }

var (
	_ basetypes.StringTypable                    = Type{}
	_ basetypes.StringValuableWithSemanticEquals = Value{}
)

// Equal implements attr.Type.
func (t Type) Equal(o attr.Type) bool {
	_, ok := o.(Type)
	return ok
}

// String implements attr.Type.
func (t Type) String() string { return "durations.Type" }

// ValueType implements attr.Type.
func (t Type) ValueType(context.Context) attr.Value { return Value{} }

// ValueFromString implements basetypes.StringTypable.
func (t Type) ValueFromString(_ context.Context, v basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Value{v}, nil
}

// ValueFromTerraform implements attr.Type.
func (t Type) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	text, ok := v.(types.String)
	if !ok {
		return nil, fmt.Errorf("a duration is %T", v)
	}
	return Value{text}, nil
}

// Value is a duration, null or unknown.
type Value struct{ basetypes.StringValue }

// Of returns a known duration.
func Of(d time.Duration) Value { return Value{types.StringValue(duration.Format(d))} }

// Type implements attr.Value.
func (v Value) Type(context.Context) attr.Type { return Type{} }

// Equal implements attr.Value. "60" and "1m" are not equal here: see
// [Value.StringSemanticEquals].
func (v Value) Equal(o attr.Value) bool {
	other, ok := o.(Value)
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals implements basetypes.StringValuableWithSemanticEquals.
func (v Value) StringSemanticEquals(_ context.Context, o basetypes.StringValuable) (bool, diag.Diagnostics) {
	other, ok := o.(Value)
	return ok && same(v.StringValue, other.StringValue), nil
}

func same(a, b basetypes.StringValue) bool {
	one, ok := duration.Parse(a.ValueString())
	other, alsoOK := duration.Parse(b.ValueString())
	return ok && alsoOK && one == other
}

// Or returns the duration, or another one if it is null, unknown or invalid.
func (v Value) Or(other time.Duration) time.Duration {
	if d, ok := duration.Parse(v.ValueString()); ok {
		return d
	}
	return other
}

// Known reports whether the value is null or a valid duration. An invalid one is
// reported while planning.
func (v Value) Known() bool {
	_, ok := duration.Parse(v.ValueString())
	return ok || v.IsNull()
}

// Argument is an optional argument within bounds. A plan keeps the state's duration if
// the configuration's is as long: "60" and "1m" are no difference.
func Argument(shortest, longest time.Duration, description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		CustomType:          Type{},
		Validators:          []validator.String{between{shortest, longest}},
		PlanModifiers:       []planmodifier.String{kept{}},
		MarkdownDescription: description,
	}
}

// ArgumentOr is an argument with a default.
func ArgumentOr(byDefault, shortest, longest time.Duration, description string) schema.StringAttribute {
	argument := Argument(shortest, longest, description)
	argument.Computed, argument.Default = true, stringdefault.StaticString(duration.Format(byDefault))
	return argument
}

type between struct{ shortest, longest time.Duration }

// Description implements validator.Describer.
func (b between) Description(context.Context) string {
	return fmt.Sprintf("a duration from %s to %s", duration.Format(b.shortest), duration.Format(b.longest))
}

// MarkdownDescription implements validator.Describer.
func (b between) MarkdownDescription(ctx context.Context) string { return b.Description(ctx) }

// ValidateString implements validator.String.
func (b between) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	given := req.ConfigValue.ValueString()
	if d, ok := duration.Parse(given); !ok || d < b.shortest || d > b.longest {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration",
			fmt.Sprintf("Attribute %s: %s", req.Path, duration.Fault(given, b.shortest, b.longest)))
	}
}

type kept struct{}

// Description implements planmodifier.Describer.
func (kept) Description(context.Context) string { return "Equal durations are no difference." }

// MarkdownDescription implements planmodifier.Describer.
func (k kept) MarkdownDescription(ctx context.Context) string { return k.Description(ctx) }

// PlanModifyString implements planmodifier.String.
func (kept) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if same(req.StateValue, req.PlanValue) {
		resp.PlanValue = req.StateValue
	}
}

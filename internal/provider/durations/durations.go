// Package durations has the arguments that are durations: a string such as "10m", or a number of seconds, which
// Terraform turns into a string.
package durations

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
)

// Of returns a known duration.
func Of(d time.Duration) types.String { return types.StringValue(duration.Format(d)) }

// Or returns a duration, or another one if it is null, unknown or invalid.
func Or(text types.String, other time.Duration) time.Duration {
	if d, ok := duration.Parse(text.ValueString()); ok {
		return d
	}
	return other
}

// Known reports whether a duration is null or valid. An invalid one is reported while planning.
func Known(text types.String) bool {
	_, ok := duration.Parse(text.ValueString())
	return ok || text.IsNull()
}

// Argument is an optional argument within bounds.
func Argument(shortest, longest time.Duration, description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		Validators:          []validator.String{between{shortest, longest}},
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

func (b between) Description(context.Context) string {
	return fmt.Sprintf("a duration from %s to %s", duration.Format(b.shortest), duration.Format(b.longest))
}

func (b between) MarkdownDescription(ctx context.Context) string { return b.Description(ctx) }

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

package value

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// NotNull refuses null elements, which Terraform allows in lists and maps.
type NotNull struct{}

// Description implements validator.String.
func (NotNull) Description(context.Context) string { return "no element is null" }

// MarkdownDescription implements validator.String.
func (v NotNull) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (NotNull) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() {
		resp.Diagnostics.AddAttributeError(req.Path, "Null element",
			"An element is null. Leave it out, for instance with compact() or a for expression with an if.")
	}
}

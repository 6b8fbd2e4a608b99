package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// Check returns a validator of texts. Fault returns what is wrong with a given text, and
// "" if it is valid.
func Check(rule, title string, fault func(given string) string) validator.String {
	return check{rule, title, fault}
}

type check struct {
	rule, title string
	fault       func(given string) string
}

// Description implements validator.Describer.
func (c check) Description(context.Context) string { return c.rule }

// MarkdownDescription implements validator.Describer.
func (c check) MarkdownDescription(context.Context) string { return c.rule }

// ValidateString implements validator.String.
func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !value.Given(req.ConfigValue) {
		return
	}
	if fault := c.fault(req.ConfigValue.ValueString()); fault != "" {
		resp.Diagnostics.AddAttributeError(req.Path, c.title, fault)
	}
}

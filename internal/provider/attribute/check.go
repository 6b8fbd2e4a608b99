package attribute

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
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

func (c check) Description(context.Context) string { return c.rule }

func (c check) MarkdownDescription(context.Context) string { return c.rule }

func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !value.Given(req.ConfigValue) {
		return
	}
	if fault := c.fault(req.ConfigValue.ValueString()); fault != "" {
		resp.Diagnostics.AddAttributeError(req.Path, c.title, fault)
	}
}

// Needs refuses a block without all of the arguments, and points at the one that is missing:
// Terraform shows the block for it. For a path that ends at the block it shows the first line of
// the resource.
func Needs(arguments ...string) []validator.Object { return []validator.Object{needs(arguments)} }

type needs []string

func (n needs) Description(context.Context) string { return "has " + text.And(n) }

func (n needs) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

func (n needs) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	for _, name := range n {
		if v := req.ConfigValue.Attributes()[name]; v != nil && v.IsNull() {
			resp.Diagnostics.AddAttributeError(req.Path.AtName(name), "A missing argument",
				fmt.Sprintf("The block %s needs %s.", req.Path, name))
		}
	}
}

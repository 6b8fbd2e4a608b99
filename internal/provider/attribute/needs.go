package attribute

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Needs refuses a block without all of the arguments, and points at the one that is missing:
// Terraform shows the block for it. For a path that ends at the block it shows the first line of
// the resource.
func Needs(arguments ...string) []validator.Object { return []validator.Object{needs(arguments)} }

type needs []string

// Description implements validator.Describer.
func (n needs) Description(context.Context) string { return "has " + text.And(n) }

// MarkdownDescription implements validator.Describer.
func (n needs) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

// ValidateObject implements validator.Object.
func (n needs) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	for _, name := range n {
		if v := req.ConfigValue.Attributes()[name]; v != nil && v.IsNull() {
			resp.Diagnostics.AddAttributeError(req.Path.AtName(name), "A missing argument",
				fmt.Sprintf("The block %s needs %s.", req.Path, name))
		}
	}
}

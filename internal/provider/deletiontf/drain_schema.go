package deletiontf

import (
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
)

// drainSchema returns the arguments of the attachment that say how to drain a node, with
// the same names and the same checks.
func drainSchema() schema.Schema {
	of := attachmentSchema()
	hook, _ := of.Blocks["hook"].(resource.SingleNestedBlock)
	s := schema.Schema{
		MarkdownDescription: "Drains a node whose server stays: before maintenance by hand, or before Terraform " +
			"rebuilds or resizes it in place. It does what destroying a `stackpolicy_deletion_attachment` does. " +
			"The next apply of a `stackpolicy_readiness_attachment` checks the server again and marks it. Needs " +
			"Terraform 1.14, and 1.16 for `caller` and `before_update`. OpenTofu has no actions.",
		Attributes: map[string]schema.Attribute{
			"server_id": attribute.RequiredText("Id of the node's server."),
			"region":    attribute.Text("Region of the server. Defaults to the provider's.", attribute.NotEmpty),
		},
		Blocks: map[string]schema.Block{"hook": schema.SingleNestedBlock{
			MarkdownDescription: hook.MarkdownDescription,
			Attributes:          map[string]schema.Attribute{},
			Validators:          hook.Validators,
		}},
	}
	for _, name := range []string{"cluster", "node_name", "grace_period", "shutdown", "only_in_service"} {
		s.Attributes[name] = optional(of.Attributes[name])
	}
	for name, of := range hook.Attributes {
		s.Blocks["hook"].(schema.SingleNestedBlock).Attributes[name] = optional(of)
	}
	return s
}

// optional turns an argument of a resource into an argument of an action: optional,
// without a default, and not sensitive, because arguments of actions cannot be.
func optional(argument resource.Attribute) schema.Attribute {
	switch of := argument.(type) {
	case resource.StringAttribute:
		of.Computed, of.Default = false, nil
		return of
	case resource.BoolAttribute:
		of.Computed, of.Default = false, nil
		return of
	case data.StringAttribute:
		of.Sensitive = false
		return of
	}
	return argument
}

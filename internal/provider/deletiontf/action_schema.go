package deletiontf

import (
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
)

// drainSchema returns the arguments of the attachment that say how to drain a node, with
// the same names and the same checks.
func drainSchema() schema.Schema {
	of := attachmentSchema()
	hook, _ := of.Blocks["hook"].(data.SingleNestedBlock)
	block := schema.SingleNestedBlock{
		MarkdownDescription: hook.MarkdownDescription,
		Attributes:          map[string]schema.Attribute{},
		Validators:          hook.Validators,
	}
	for name, argument := range hook.Attributes {
		block.Attributes[name] = argument
		if text, is := argument.(data.StringAttribute); is {
			text.Sensitive = false // arguments of actions cannot be sensitive
			block.Attributes[name] = text
		}
	}
	s := schema.Schema{
		MarkdownDescription: "Drains a node whose server stays: before maintenance by hand, or before Terraform " +
			"rebuilds or resizes it in place. It does what destroying a `stackpolicy_deletion_attachment` does. " +
			"The next apply of a `stackpolicy_readiness_attachment` checks the server again and marks it. Needs " +
			"Terraform 1.14, and 1.16 for `caller` and `before_update`. OpenTofu has no actions.",
		Attributes: map[string]schema.Attribute{
			"server_id": attribute.RequiredText("Id of the node's server."),
			"region":    attribute.Text("Region of the server. Defaults to the provider's.", attribute.NotEmpty),
		},
		Blocks: map[string]schema.Block{"hook": block},
	}
	for _, name := range []string{"cluster", "node_name", "grace_period"} {
		s.Attributes[name] = of.Attributes[name]
	}
	s.Attributes["shutdown"] = attribute.Flag("Whether to stop the server through Nova at the end. Defaults to " +
		"`false`.")
	return s
}

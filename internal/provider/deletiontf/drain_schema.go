package deletiontf

import (
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// drainSchema has the arguments of the attachment that say what a drain does, under
// the same names and with the same checks.
func drainSchema() schema.Schema {
	of := attachmentSchema()
	hook, _ := of.Blocks["hook"].(resource.SingleNestedBlock)
	s := schema.Schema{
		MarkdownDescription: "Drains a node whose server stays: before maintenance by hand, or before Terraform " +
			"rebuilds or resizes it in place. It does what destroying a `stackpolicy_deletion_attachment` does. " +
			"The next apply of a `stackpolicy_readiness_attachment` checks the server again and marks it. Needs " +
			"Terraform 1.14, and 1.16 for `caller` and `before_update`. OpenTofu has no actions.",
		Attributes: map[string]schema.Attribute{
			"server_id": schema.StringAttribute{
				Required:            true,
				Validators:          notEmpty,
				MarkdownDescription: "Id of the node's server.",
			},
			"region": schema.StringAttribute{
				Optional:            true,
				Validators:          notEmpty,
				MarkdownDescription: "Region of the server. Defaults to the provider's.",
			},
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

// optional is an argument of a resource as one of an action: optional, without a
// default, and never sensitive, which arguments of actions cannot be.
func optional(argument resource.Attribute) schema.Attribute {
	switch of := argument.(type) {
	case resource.StringAttribute:
		return schema.StringAttribute{
			Optional:            true,
			CustomType:          of.CustomType,
			Validators:          of.Validators,
			MarkdownDescription: of.MarkdownDescription,
		}
	case resource.BoolAttribute:
		return schema.BoolAttribute{
			Optional:            true,
			Validators:          of.Validators,
			MarkdownDescription: of.MarkdownDescription,
		}
	case resource.Int64Attribute:
		return schema.Int64Attribute{
			Optional:            true,
			CustomType:          of.CustomType,
			Validators:          of.Validators,
			MarkdownDescription: of.MarkdownDescription,
		}
	}
	list, _ := argument.(resource.ListAttribute) // there is no other kind
	return schema.ListAttribute{
		Optional:            true,
		ElementType:         list.ElementType,
		Validators:          list.Validators,
		MarkdownDescription: list.MarkdownDescription,
	}
}

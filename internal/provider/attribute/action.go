package attribute

import (
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// OfAction turns an argument of a resource into an argument of an action: optional,
// without a default, and not sensitive, because arguments of actions cannot be.
func OfAction(argument resource.Attribute) schema.Attribute {
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

// BlockOfAction turns a block of a resource into a block of an action.
func BlockOfAction(of resource.SingleNestedBlock) schema.SingleNestedBlock {
	block := schema.SingleNestedBlock{
		MarkdownDescription: of.MarkdownDescription,
		Attributes:          map[string]schema.Attribute{},
		Validators:          of.Validators,
	}
	for name, argument := range of.Attributes {
		block.Attributes[name] = OfAction(argument)
	}
	return block
}

package nodes

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// SelectorBlock says how to find the nodes' servers.
func SelectorBlock() schema.Block {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	list := func(description string) schema.Attribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description}
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Narrows down which servers may be the nodes', as in `stackpolicy_cluster`. A node's server always has the node's name and region.",
		Attributes: map[string]schema.Attribute{
			"name_regex": schema.StringAttribute{Optional: true, Validators: []validator.String{RegexValidator{}},
				MarkdownDescription: "Regular expression (RE2) that names match."},
			"metadata":               schema.MapAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: "Metadata that servers have; all pairs must match."},
			"tags":                   list("Tags that servers have, all of them."),
			"servergroup_id":         text("Id of a server group whose members the servers are."),
			"ids":                    list("Ids of servers."),
			"profile_metadata_key":   text("Key of the metadata that tells a node's profile. By default that is the server's image."),
			"tainted_metadata_key":   text("Key of the metadata that marks a node as one to remove first. Defaults to `" + DefaultTaintedKey + "`."),
			"protected_metadata_key": text("Key of the metadata that marks a node as one not to remove. Defaults to `" + DefaultProtectedKey + "`."),
		}}
}

package nodes

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
)

// SelectorAttributes returns the attributes of a [Selector]: arguments of
// stackpolicy_cluster, and the content of [SelectorBlock].
func SelectorAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name_regex": attribute.Text("Regular expression (RE2) that names match, anywhere unless anchored.",
			regex),
		"metadata": schema.MapAttribute{
			ElementType:         types.StringType,
			Optional:            true,
			Validators:          []validator.Map{mapvalidator.NoNullValues()},
			MarkdownDescription: "Metadata that servers must have.",
		},
		"tags":           attribute.Texts("Tags that servers must have, all of them.", listvalidator.NoNullValues()),
		"servergroup_id": attribute.Text("Id of a server group that servers must be in."),
		"ids": attribute.Texts("Ids of servers. Servers that no longer exist are left out.",
			listvalidator.NoNullValues()),
		"profile_metadata_key": attribute.Text(
			"Metadata key of a node's profile. Without it the profile is the image.",
		),
		"tainted_metadata_key": attribute.Text(
			"Metadata key of a node to remove first. An empty value, `0`, `false`, `no` and `off` do not count. " +
				"Defaults to `" + defaultTaintedKey + "`.",
		),
		"protected_metadata_key": attribute.Text(
			"Metadata key of a node that must never be removed. Nodes that are locked in Nova stay too. " +
				"Defaults to `" + defaultProtectedKey + "`.",
		),
	}
}

// SelectorBlock is the block that says how to find the nodes' servers.
func SelectorBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Limits which servers can be nodes, in addition to their names.",
		Attributes:          SelectorAttributes(),
	}
}

package nodes

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// SelectorAttributes say which servers belong to a cluster, and which of their
// metadata hold facts: arguments of stackpolicy_cluster, and the content of
// [SelectorBlock].
func SelectorAttributes() map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	list := func(description string) schema.Attribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description,
			Validators: []validator.List{listvalidator.NoNullValues()}}
	}
	return map[string]schema.Attribute{
		"name_regex": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{regexValidator{}},
			MarkdownDescription: "Regular expression (RE2) that names match, anywhere unless anchored with `^` and " +
				"`$`.",
		},
		"metadata": schema.MapAttribute{
			ElementType:         types.StringType,
			Optional:            true,
			Validators:          []validator.Map{mapvalidator.NoNullValues()},
			MarkdownDescription: "Metadata that servers have; all pairs must match.",
		},
		"tags": list("Tags that servers have, all of them. Needs Nova's microversion 2.26."),
		"servergroup_id": text(
			"Id of a server group whose members the servers are. It must exist in one of the regions.",
		),
		"ids": list("Ids of servers. Those that no longer exist are left out."),
		"profile_metadata_key": text(
			"Key of the metadata that has a node's profile; where its value is a time (RFC 3339), that is " +
				"`profile_created_at`. By default the profile is the server's image, and its age that of the image " +
				"in Glance.",
		),
		"tainted_metadata_key": text(
			"Key of the metadata that marks a node as one to remove first. Any value is a mark, except an empty one, " +
				"`0`, `false`, `no` and `off`. Defaults to `" + defaultTaintedKey + "`.",
		),
		"protected_metadata_key": text(
			"Key of the metadata that marks a node as one not to remove, in the same way. A server that is locked in " +
				"Nova counts as marked. Defaults to `" + defaultProtectedKey + "`.",
		),
	}
}

// SelectorBlock says how to find the nodes' servers.
func SelectorBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Limits which servers are looked at, as in `stackpolicy_cluster`. A node's server " +
			"always has the node's name and region.",
		Attributes: SelectorAttributes(),
	}
}

package clustertf

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

func schemaOf() schema.Schema {
	attributes := nodes.SelectorAttributes()
	attributes["regions"] = attribute.Texts("Regions to read. Defaults to the provider's.",
		listvalidator.NoNullValues(), listvalidator.ValueStringsAre(attribute.NotEmpty))
	attributes["nodes"] = attribute.ComputedObjects("Nodes of the cluster, sorted by region, creation time and id.",
		nodes.Attributes(true))
	attributes["size"] = attribute.ComputedNumber("Number of nodes.")
	attributes["distribution"] = attribute.ComputedMap(value.ZoneCountsType,
		"Number of nodes by region and zone. Nodes without a zone yet are under the empty name.")
	return schema.Schema{
		MarkdownDescription: "Reads a cluster from several regions at once: the servers that match all of " +
			"`name_regex`, `metadata`, `tags`, `servergroup_id` and `ids` that are given. Give at least one. A " +
			"region that cannot be read is an error.",
		Attributes: attributes,
	}
}

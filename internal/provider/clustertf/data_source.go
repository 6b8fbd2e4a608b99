// Package clustertf has the data source that reads a cluster.
package clustertf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// New returns stackpolicy_cluster, the only data source that reads clusters.
func New() datasource.DataSource {
	return &backend.DataSource[model]{Name: "cluster", Fields: schemaOf, Fill: fill}
}

func fill(ctx context.Context, b *backend.Backend, model *model, diags *diag.Diagnostics) {
	cloud, regions := b.Regions(ctx, model.Regions, diags)
	query := cluster.Query{
		Selector: model.Selector.Selector(ctx, diags),
		Regions:  regions,
	}
	if diags.HasError() {
		return
	}
	list, err := cluster.Read(ctx, cloud, query)
	if err != nil {
		nodes.ReportRead(err, path.Root("servergroup_id"),
			"To go on without a region that does not answer, leave it out of regions.", diags)
		return
	}
	model.Nodes, model.Size = nodes.Values(list), types.Int64Value(int64(len(list)))
	model.Distribution = value.ZoneCounts(node.Distribution(list, query.Regions...))
}

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

type model struct {
	nodes.Selector
	Regions      types.List  `tfsdk:"regions"`
	Nodes        types.List  `tfsdk:"nodes"`
	Size         types.Int64 `tfsdk:"size"`
	Distribution types.Map   `tfsdk:"distribution"`
}

func (m model) Validate(_ context.Context, diags *diag.Diagnostics) {
	if m.SelectsNothing() {
		diags.AddError("Empty selector",
			"Nothing says which servers belong to the cluster. Give at least one of name_regex, metadata, tags, "+
				"servergroup_id and ids.")
	}
}

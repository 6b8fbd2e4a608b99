// Package clustertf has the data source that reads a cluster.
package clustertf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
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

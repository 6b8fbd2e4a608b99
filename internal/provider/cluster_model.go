package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

type clusterModel struct {
	selectorModel
	Regions      types.List  `tfsdk:"regions"`
	Nodes        types.List  `tfsdk:"nodes"`
	Size         types.Int64 `tfsdk:"size"`
	Distribution types.Map   `tfsdk:"distribution"`
}

func (m clusterModel) query(ctx context.Context, diags *diag.Diagnostics) cluster.Query {
	q := cluster.Query{Selector: m.selector(ctx, diags), Keys: m.keys()}
	diags.Append(m.Regions.ElementsAs(ctx, &q.Regions, false)...)
	return q
}

func (m *clusterModel) fill(ctx context.Context, nodes []cluster.Node, diags *diag.Diagnostics) {
	m.Nodes = nodeValues(nodes)
	m.Size = types.Int64Value(int64(len(nodes)))
	var more diag.Diagnostics
	m.Distribution, more = types.MapValueFrom(ctx, types.MapType{ElemType: types.Int64Type}, cluster.Distribution(nodes))
	diags.Append(more...)
}

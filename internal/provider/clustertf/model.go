package clustertf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type model struct {
	nodes.Selector
	Regions      types.List  `tfsdk:"regions"`
	Nodes        types.List  `tfsdk:"nodes"`
	Size         types.Int64 `tfsdk:"size"`
	Distribution types.Map   `tfsdk:"distribution"`
}

// Validate implements backend.Model.
func (m model) Validate(_ context.Context, diags *diag.Diagnostics) {
	if m.SelectsNothing() {
		diags.AddError("Empty selector",
			"Nothing says which servers belong to the cluster. Give at least one of name_regex, metadata, tags, "+
				"servergroup_id and ids.")
	}
}

func (m *model) fill(ctx context.Context, regions []string, list []node.Node, diags *diag.Diagnostics) {
	m.Nodes = nodes.Values(list)
	m.Size = types.Int64Value(int64(len(list)))
	var more diag.Diagnostics
	m.Distribution, more = types.MapValueFrom(ctx, types.MapType{ElemType: types.Int64Type},
		node.Distribution(list, regions...))
	diags.Append(more...)
}

package clustertf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
)

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

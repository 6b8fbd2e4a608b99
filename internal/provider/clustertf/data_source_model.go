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

// Validate leaves an empty selector to the reader.
func (m model) Validate(context.Context, *diag.Diagnostics) {}

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

const (
	defaultTaintedKey   = "stackpolicy_tainted"
	defaultProtectedKey = "stackpolicy_protected"
)

type clusterModel struct {
	Regions              types.List   `tfsdk:"regions"`
	NameRegex            types.String `tfsdk:"name_regex"`
	Metadata             types.Map    `tfsdk:"metadata"`
	Tags                 types.List   `tfsdk:"tags"`
	ServerGroupID        types.String `tfsdk:"servergroup_id"`
	IDs                  types.List   `tfsdk:"ids"`
	ProfileMetadataKey   types.String `tfsdk:"profile_metadata_key"`
	TaintedMetadataKey   types.String `tfsdk:"tainted_metadata_key"`
	ProtectedMetadataKey types.String `tfsdk:"protected_metadata_key"`
	Nodes                types.List   `tfsdk:"nodes"`
	Size                 types.Int64  `tfsdk:"size"`
	Distribution         types.Map    `tfsdk:"distribution"`
}

// selectsNothing tells an empty selector, as far as it is known.
func (m clusterModel) selectsNothing() bool {
	empty := func(s types.String) bool { return !s.IsUnknown() && s.ValueString() == "" }
	return empty(m.NameRegex) && empty(m.ServerGroupID) &&
		!m.Metadata.IsUnknown() && len(m.Metadata.Elements()) == 0 &&
		!m.Tags.IsUnknown() && len(m.Tags.Elements()) == 0 &&
		!m.IDs.IsUnknown() && len(m.IDs.Elements()) == 0
}

func (m clusterModel) query(ctx context.Context, diags *diag.Diagnostics) cluster.Query {
	q := cluster.Query{
		Selector: cluster.Selector{NameRegex: m.NameRegex.ValueString(), ServerGroupID: m.ServerGroupID.ValueString()},
		Keys: cluster.Keys{
			Profile:   m.ProfileMetadataKey.ValueString(),
			Tainted:   textOr(m.TaintedMetadataKey, defaultTaintedKey),
			Protected: textOr(m.ProtectedMetadataKey, defaultProtectedKey),
		},
	}
	diags.Append(m.Regions.ElementsAs(ctx, &q.Regions, false)...)
	diags.Append(m.Metadata.ElementsAs(ctx, &q.Metadata, false)...)
	diags.Append(m.Tags.ElementsAs(ctx, &q.Tags, false)...)
	diags.Append(m.IDs.ElementsAs(ctx, &q.IDs, false)...)
	return q
}

func (m *clusterModel) fill(ctx context.Context, nodes []cluster.Node, diags *diag.Diagnostics) {
	models := make([]nodeModel, len(nodes))
	for i, n := range nodes {
		models[i] = newNodeModel(n)
	}
	var more diag.Diagnostics
	m.Nodes, more = types.ListValueFrom(ctx, nodeType(), models)
	diags.Append(more...)
	m.Size = types.Int64Value(int64(len(nodes)))
	m.Distribution, more = types.MapValueFrom(ctx, types.MapType{ElemType: types.Int64Type}, cluster.Distribution(nodes))
	diags.Append(more...)
}

// textOr is the value, or a default where none was given.
func textOr(value types.String, byDefault string) string {
	if value.ValueString() == "" {
		return byDefault
	}
	return value.ValueString()
}

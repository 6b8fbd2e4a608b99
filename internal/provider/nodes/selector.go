package nodes

import (
	"context"
	"regexp"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

// The default metadata keys that mark a node.
const (
	defaultTaintedKey   = "stackpolicy_tainted"
	defaultProtectedKey = "stackpolicy_protected"
)

// Selector says which servers belong to a cluster, and which metadata keys have facts
// about them.
type Selector struct {
	NameRegex            types.String `tfsdk:"name_regex"`
	Metadata             types.Map    `tfsdk:"metadata"`
	Tags                 types.List   `tfsdk:"tags"`
	ServerGroupID        types.String `tfsdk:"servergroup_id"`
	IDs                  types.List   `tfsdk:"ids"`
	ProfileMetadataKey   types.String `tfsdk:"profile_metadata_key"`
	TaintedMetadataKey   types.String `tfsdk:"tainted_metadata_key"`
	ProtectedMetadataKey types.String `tfsdk:"protected_metadata_key"`
}

// SelectsNothing reports an empty selector, as far as it is known.
func (m Selector) SelectsNothing() bool {
	empty := func(s types.String) bool { return !s.IsUnknown() && s.ValueString() == "" }
	return empty(m.NameRegex) && empty(m.ServerGroupID) &&
		!m.Metadata.IsUnknown() && len(m.Metadata.Elements()) == 0 &&
		!m.Tags.IsUnknown() && len(m.Tags.Elements()) == 0 &&
		!m.IDs.IsUnknown() && len(m.IDs.Elements()) == 0
}

// Selector translates the selector.
func (m Selector) Selector(ctx context.Context, diags *diag.Diagnostics) cluster.Selector {
	s := cluster.Selector{NameRegex: m.NameRegex.ValueString(), ServerGroupID: m.ServerGroupID.ValueString(),
		Tags: value.Texts(m.Tags), IDs: value.Texts(m.IDs)}
	diags.Append(m.Metadata.ElementsAs(ctx, &s.Metadata, false)...)
	return s
}

// Keys translates the metadata keys, with their defaults.
func (m Selector) Keys() cluster.Keys {
	return cluster.Keys{
		Profile:   m.ProfileMetadataKey.ValueString(),
		Tainted:   value.TextOr(m.TaintedMetadataKey, defaultTaintedKey),
		Protected: value.TextOr(m.ProtectedMetadataKey, defaultProtectedKey),
	}
}

// regex refuses an invalid regular expression.
var regex = attribute.Check("a regular expression (RE2)", "Invalid regular expression", func(given string) string {
	if _, err := regexp.Compile(given); err != nil {
		return err.Error() + ". The syntax is RE2's, as in Go and in Terraform's own regex function."
	}
	return ""
})

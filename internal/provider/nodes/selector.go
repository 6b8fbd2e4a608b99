package nodes

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// Selector says which servers belong to a cluster.
type Selector struct {
	NameRegex     types.String `tfsdk:"name_regex"`
	Metadata      types.Map    `tfsdk:"metadata"`
	Tags          types.List   `tfsdk:"tags"`
	ServerGroupID types.String `tfsdk:"servergroup_id"`
	IDs           types.List   `tfsdk:"ids"`
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

// regex refuses an invalid regular expression.
var regex = attribute.Check("a regular expression (RE2)", "Invalid regular expression", func(given string) string {
	if _, err := regexp.Compile(given); err != nil {
		return err.Error() + ". The syntax is RE2's, as in Go and in Terraform's own regex function."
	}
	return ""
})

// SelectorAttributes returns the attributes of a [Selector]: arguments of
// stackpolicy_cluster, and the content of [SelectorBlock].
func SelectorAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name_regex": attribute.Text("Regular expression (RE2) that names match, anywhere unless anchored.", regex),
		"metadata": schema.MapAttribute{
			ElementType:         types.StringType,
			Optional:            true,
			Validators:          []validator.Map{mapvalidator.NoNullValues()},
			MarkdownDescription: "Metadata that servers must have.",
		},
		"tags":           attribute.Texts("Tags that servers must have, all of them.", listvalidator.NoNullValues()),
		"servergroup_id": attribute.Text("Id of a server group that servers must be in."),
		"ids": attribute.Texts("Ids of servers. Servers that no longer exist are left out.",
			listvalidator.NoNullValues()),
	}
}

// SelectorBlock is the block that says how to find the nodes' servers.
func SelectorBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Limits which servers can be nodes, in addition to their names.",
		Attributes:          SelectorAttributes(),
	}
}

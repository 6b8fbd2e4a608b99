package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

const (
	defaultTaintedKey   = "stackpolicy_tainted"
	defaultProtectedKey = "stackpolicy_protected"
)

// selectorModel says which servers are a cluster's, and which of their metadata
// tell facts.
type selectorModel struct {
	NameRegex            types.String `tfsdk:"name_regex"`
	Metadata             types.Map    `tfsdk:"metadata"`
	Tags                 types.List   `tfsdk:"tags"`
	ServerGroupID        types.String `tfsdk:"servergroup_id"`
	IDs                  types.List   `tfsdk:"ids"`
	ProfileMetadataKey   types.String `tfsdk:"profile_metadata_key"`
	TaintedMetadataKey   types.String `tfsdk:"tainted_metadata_key"`
	ProtectedMetadataKey types.String `tfsdk:"protected_metadata_key"`
}

// selectsNothing tells an empty selector, as far as it is known.
func (m selectorModel) selectsNothing() bool {
	empty := func(s types.String) bool { return !s.IsUnknown() && s.ValueString() == "" }
	return empty(m.NameRegex) && empty(m.ServerGroupID) &&
		!m.Metadata.IsUnknown() && len(m.Metadata.Elements()) == 0 &&
		!m.Tags.IsUnknown() && len(m.Tags.Elements()) == 0 &&
		!m.IDs.IsUnknown() && len(m.IDs.Elements()) == 0
}

func (m selectorModel) selector(ctx context.Context, diags *diag.Diagnostics) cluster.Selector {
	s := cluster.Selector{NameRegex: m.NameRegex.ValueString(), ServerGroupID: m.ServerGroupID.ValueString()}
	diags.Append(m.Metadata.ElementsAs(ctx, &s.Metadata, false)...)
	diags.Append(m.Tags.ElementsAs(ctx, &s.Tags, false)...)
	diags.Append(m.IDs.ElementsAs(ctx, &s.IDs, false)...)
	return s
}

func (m selectorModel) keys() cluster.Keys {
	return cluster.Keys{
		Profile:   m.ProfileMetadataKey.ValueString(),
		Tainted:   textOr(m.TaintedMetadataKey, defaultTaintedKey),
		Protected: textOr(m.ProtectedMetadataKey, defaultProtectedKey),
	}
}

// textOr is the value, or a default where none was given.
func textOr(value types.String, byDefault string) string {
	if value.ValueString() == "" {
		return byDefault
	}
	return value.ValueString()
}

// regexValidator refuses what is no regular expression.
type regexValidator struct{}

func (regexValidator) Description(context.Context) string { return "a regular expression (RE2)" }

func (v regexValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (regexValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if _, err := regexp.Compile(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid regular expression", err.Error()+". The syntax is RE2's, as in Go and in Terraform's own regex function.")
	}
}

// Package nova is a provider for tests and the demo alone: it has one resource,
// nova_server, which stands in for openstack_compute_instance_v2 of
// terraform-provider-openstack where that cannot be had.
package nova

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// New returns the provider's constructor.
func New() provider.Provider { return &novaProvider{} }

type novaProvider struct{}

type novaProviderModel struct {
	AuthURL    types.String `tfsdk:"auth_url"`
	UserName   types.String `tfsdk:"user_name"`
	Password   types.String `tfsdk:"password"`
	TenantName types.String `tfsdk:"tenant_name"`
	Region     types.String `tfsdk:"region"`
}

func (p *novaProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "nova"
}

func (p *novaProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	text := schema.StringAttribute{Optional: true}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"auth_url": text, "user_name": text, "tenant_name": text, "region": text,
		"password": schema.StringAttribute{Optional: true, Sensitive: true},
	}}
}

func (p *novaProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m novaProviderModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	cloud, err := Login(openstack.Config{AuthURL: m.AuthURL.ValueString(), UserName: m.UserName.ValueString(),
		Password: m.Password.ValueString(), TenantName: m.TenantName.ValueString(), Region: m.Region.ValueString()})
	if err != nil {
		resp.Diagnostics.AddError("Invalid provider configuration", err.Error())
		return
	}
	resp.ResourceData = cloud
}

func (p *novaProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *novaProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &serverResource{} }}
}

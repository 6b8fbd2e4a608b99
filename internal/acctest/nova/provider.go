// Package nova is a provider for tests and the demo alone: it has one resource,
// nova_server, which stands in for openstack_compute_instance_v2 of
// terraform-provider-openstack where that cannot be had.
package nova

import (
	"cmp"
	"context"
	"os"

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

// Configure takes what the block leaves open from OS_CLOUD or the OS_* variables.
func (p *novaProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m novaProviderModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	config := openstack.Config{
		AuthURL:       cmp.Or(m.AuthURL.ValueString(), os.Getenv("OS_AUTH_URL")),
		UserName:      m.UserName.ValueString(),
		Password:      m.Password.ValueString(),
		TenantName:    m.TenantName.ValueString(),
		DefaultDomain: "default",
		Region:        cmp.Or(m.Region.ValueString(), os.Getenv("OS_REGION_NAME")),
		AllowReauth:   true,
		MaxRetries:    3,
	}
	if m.AuthURL.IsNull() {
		config.Cloud = os.Getenv("OS_CLOUD")
	}
	cloud, err := openstack.New(config)
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

// Package openstackstub stands in for terraform-provider-openstack where that
// cannot be had. It lets the examples be validated, and those that make servers
// be applied on the fake cloud. It knows what the examples use and nothing
// more, under the names and types of the real provider.
package openstackstub

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/nova"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	stackpolicy "github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
)

// New returns the provider.
func New() provider.Provider { return &openstackProvider{} }

type openstackProvider struct{}

func (p *openstackProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "openstack"
}

// Schema is that of stackpolicy, which takes the arguments of
// terraform-provider-openstack.
func (p *openstackProvider) Schema(ctx context.Context, req provider.SchemaRequest, resp *provider.SchemaResponse) {
	stackpolicy.New("stub")().Schema(ctx, req, resp)
}

func (p *openstackProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var block openstack.Config
	for name, value := range map[string]*string{"cloud": &block.Cloud, "auth_url": &block.AuthURL, "region": &block.Region,
		"user_name": &block.UserName, "password": &block.Password, "tenant_name": &block.TenantName} {
		var given *string
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), &given)...)
		if given != nil {
			*value = *given
		}
	}
	cloud, err := nova.Login(block)
	if err != nil {
		resp.Diagnostics.AddError("Invalid provider configuration", err.Error())
		return
	}
	resp.ResourceData = cloud
}

func (p *openstackProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *openstackProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &instanceResource{} },
		func() resource.Resource { return &memberResource{} },
	}
}

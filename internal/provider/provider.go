// Package provider is the Terraform face of the cluster policies: it translates
// between HCL and the packages that decide.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var (
	_ provider.Provider              = &stackpolicyProvider{}
	_ provider.ProviderWithFunctions = &stackpolicyProvider{}
)

// New returns the provider's constructor; version is told to the cloud.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &stackpolicyProvider{version: version} }
}

type stackpolicyProvider struct{ version string }

func (p *stackpolicyProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "stackpolicy"
	resp.Version = p.version
}

func (p *stackpolicyProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

// Configure makes no request: the first one that needs the cloud logs in.
func (p *stackpolicyProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	backend := &backend{err: errUnknownConfiguration}
	if req.Config.Raw.IsFullyKnown() {
		backend = newBackend(ctx, model, userAgent(p.version, req.TerraformVersion), &resp.Diagnostics)
	}
	resp.DataSourceData = backend
	resp.ResourceData = backend
}

func (p *stackpolicyProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		newAffinityPlanDataSource,
		newClusterDataSource,
		newDeletionPlanDataSource,
		newRegionPlanDataSource,
		newZonePlanDataSource,
	}
}

func (p *stackpolicyProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		newAffinityAttachmentResource,
		newDeletionAttachmentResource,
		newPlacementAttachmentResource,
	}
}

func (p *stackpolicyProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		newDesiredCapacityFunction,
		newDistributeFunction,
	}
}

// Package provider is the Terraform provider of the cluster policies: it translates
// between HCL and the packages that decide.
package provider

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/affinitytf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/clustertf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/deletiontf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/functions"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/placementtf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/planstf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/readinesstf"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var (
	_ provider.Provider              = &stackpolicyProvider{}
	_ provider.ProviderWithActions   = &stackpolicyProvider{}
	_ provider.ProviderWithFunctions = &stackpolicyProvider{}
)

// New returns the provider's constructor. Requests to the cloud name the version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &stackpolicyProvider{version: version} }
}

type stackpolicyProvider struct {
	version string
	shown   bool // whether it shows Terraform its schema, and does nothing else
}

func (p *stackpolicyProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "stackpolicy"
	resp.Version = p.version
}

func (p *stackpolicyProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

// Configure makes no request: the first call that needs the cloud logs in.
func (p *stackpolicyProvider) Configure(
	ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse,
) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	cloud := backend.New(nil, errUnknownConfiguration, nil)
	if req.Config.Raw.IsFullyKnown() {
		cloud = newBackend(ctx, model, userAgent(p.version, req.TerraformVersion), &resp.Diagnostics)
	}
	resp.DataSourceData = cloud
	resp.ResourceData = cloud
	resp.ActionData = cloud
}

func (p *stackpolicyProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		affinitytf.NewPlan,
		clustertf.New,
		deletiontf.NewPlan,
		planstf.NewRegionPlan,
		planstf.NewZonePlan,
	}
}

func (p *stackpolicyProvider) Resources(context.Context) []func() resource.Resource {
	placement := placementtf.NewAttachment
	if p.shown {
		placement = placementtf.NewShown
	}
	return []func() resource.Resource{
		affinitytf.NewAttachment,
		deletiontf.NewAttachment,
		placement,
		readinesstf.NewAttachment,
	}
}

func (p *stackpolicyProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{deletiontf.NewDrain}
}

func (p *stackpolicyProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{functions.NewDesiredCapacity, functions.NewDistribute}
}

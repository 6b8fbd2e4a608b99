// Package provider is the Terraform provider of the cluster policies: it translates
// between HCL and the packages that decide.
package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/affinitytf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/clustertf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/deletiontf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/functions"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/placementtf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/planstf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/readinesstf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
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

var errUnknownConfiguration = errors.New("the provider block refers to values that are known only after apply. " +
	"Apply their resources first, with -target, or take them from variables or the environment")

// newBackend makes the backend, without a request: the first call that needs the cloud logs in.
func newBackend(ctx context.Context, model providerModel, agent string, diags *diag.Diagnostics) *backend.Backend {
	config := model.config(ctx, diags)
	config.UserAgent = agent
	if ignored := model.ignored(); config.Cloud != "" && len(ignored) > 0 {
		diags.AddAttributeWarning(path.Root(ignored[0]), "Ignored in favour of clouds.yaml", fmt.Sprintf("The cloud "+
			"%q of clouds.yaml says how to log in. These arguments of the provider block have no effect: %s. Remove "+
			"them, or the argument cloud.", config.Cloud, strings.Join(ignored, ", ")))
	}
	hooks := newHooks(model, agent, config.RequestTimeout, diags)
	cloud, err := openstack.New(config)
	fault, ok := errors.AsType[*openstack.ArgumentError](err)
	switch {
	case errors.Is(err, openstack.ErrNoCloud):
		return backend.New(nil, err, hooks)
	case ok:
		diags.AddAttributeError(path.Root(fault.Argument), "Invalid provider configuration", fault.Fault)
	case err != nil:
		diags.AddError("Invalid provider configuration", err.Error())
	}
	return backend.New(cloud, nil, hooks)
}

// newHooks makes the runner of hooks. Webhooks have their own TLS settings.
func newHooks(model providerModel, agent string, timeout time.Duration, diags *diag.Diagnostics) *hook.Runner {
	hooks := &hook.Runner{
		UserAgent:     agent,
		AllowCommands: model.AllowCommands.ValueBool(),
		Log: func(ctx context.Context, message string, fields map[string]any) {
			tflog.Info(ctx, message, fields)
		},
	}
	var authorities []byte
	if file := model.HookCACertFile.ValueString(); file != "" {
		text, fault := openstack.PEM(file)
		if fault != "" {
			diags.AddAttributeError(path.Root("hook_cacert_file"), "Invalid provider configuration", fault)
		}
		authorities = text
	}
	pool, err := web.Authorities(authorities)
	if err != nil {
		diags.AddAttributeError(path.Root("hook_cacert_file"), "Invalid provider configuration",
			fmt.Sprintf("The webhooks' certificate authorities cannot be used: %s.", err))
	}
	hooks.HTTP = web.NewClient(pool, cmp.Or(timeout, time.Minute))
	if secret := (environment{diags}).text(model.WebhookSecret, "STACKPOLICY_WEBHOOK_SECRET"); secret != "" {
		if hooks.Signer, err = hook.NewSigner(secret); err != nil {
			// The error has no path, because Terraform would show the line with the secret.
			diags.AddError("Invalid provider configuration",
				fmt.Sprintf("The webhook secret, or STACKPOLICY_WEBHOOK_SECRET, cannot be used: %s.", err))
		}
	}
	return hooks
}

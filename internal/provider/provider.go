// Package provider is the Terraform provider of the cluster policies: it translates
// between HCL and the packages that decide.
package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/affinitytf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/clustertf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/deletiontf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
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

func (p *stackpolicyProvider) Metadata(
	_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse,
) {
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
	cloud := backend.New(nil, unknownError(req.Config.Raw), nil)
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
	return []func() function.Function{functions.NewDesiredCapacity, functions.NewDistribute, functions.NewRender}
}

// unknownError says which arguments of the provider block are not known yet.
func unknownError(config tftypes.Value) error {
	var arguments map[string]tftypes.Value
	_ = config.As(&arguments)
	maps.DeleteFunc(arguments, func(_ string, v tftypes.Value) bool { return v.IsFullyKnown() })
	return fmt.Errorf("the provider block refers to values that are known only after apply (%s). Apply their "+
		"resources first, with -target, or take them from variables or the environment",
		strings.Join(slices.Sorted(maps.Keys(arguments)), ", "))
}

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

// providerSchema has the arguments of terraform-provider-openstack, so that users can
// copy its provider block, and a few of its own.
func providerSchema() schema.Schema {
	text, flag := attribute.Text, attribute.Flag
	secret := func(description string) schema.Attribute {
		a := text(description)
		a.Sensitive = true
		return a
	}
	return schema.Schema{
		MarkdownDescription: "Cluster policies for OpenStack: where nodes are placed, which ones are removed, and why.",
		Attributes: map[string]schema.Attribute{
			"auth_url": text("Address of Keystone. Needed unless `cloud` is given. Environment: `OS_AUTH_URL`."),
			"cloud": text("Entry of `clouds.yaml` to log in with, in place of the credentials below. Environment: " +
				"`OS_CLOUD`; `OS_CLIENT_CONFIG_FILE` names the file."),
			"region": text("Region to use if no other is named. Defaults to the region of `clouds.yaml`, or to the " +
				"only region. Environment: `OS_REGION_NAME`."),
			"user_name": text("Name of the user. Environment: `OS_USERNAME`."),
			"user_id":   text("Id of the user, in place of its name. Environment: `OS_USER_ID`."),
			"application_credential_id": text("Id of an application credential. Environment: " +
				"`OS_APPLICATION_CREDENTIAL_ID`."),
			"application_credential_name": text("Name of an application credential; the user must be named too. " +
				"Environment: `OS_APPLICATION_CREDENTIAL_NAME`."),
			"application_credential_secret": secret("Secret of the application credential. Environment: " +
				"`OS_APPLICATION_CREDENTIAL_SECRET`."),
			"tenant_id":   text("Id of the project. Environment: `OS_TENANT_ID` or `OS_PROJECT_ID`."),
			"tenant_name": text("Name of the project. Environment: `OS_TENANT_NAME` or `OS_PROJECT_NAME`."),
			"password":    secret("Password of the user. Environment: `OS_PASSWORD`."),
			"token": secret("Token in place of user and password. It cannot be renewed. Environment: `OS_TOKEN` or " +
				"`OS_AUTH_TOKEN`."),
			"user_domain_name":    text("Name of the user's domain. Environment: `OS_USER_DOMAIN_NAME`."),
			"user_domain_id":      text("Id of the user's domain. Environment: `OS_USER_DOMAIN_ID`."),
			"project_domain_name": text("Name of the project's domain. Environment: `OS_PROJECT_DOMAIN_NAME`."),
			"project_domain_id":   text("Id of the project's domain. Environment: `OS_PROJECT_DOMAIN_ID`."),
			"domain_id": text("Id of the domain of user and project, or of the scope if no project is given. " +
				"Environment: `OS_DOMAIN_ID`."),
			"domain_name": text("Name of that domain. Environment: `OS_DOMAIN_NAME`."),
			"default_domain": text("Id of the domain if no other argument names one. Defaults to `default`. " +
				"Environment: `OS_DEFAULT_DOMAIN`."),
			"insecure": flag("Accept TLS certificates that cannot be verified. Defaults to `false`. Environment: " +
				"`OS_INSECURE`."),
			"endpoint_type": text("Interface of the catalogue to use: `public` (the default), `internal` or `admin`. " +
				"Environment: `OS_ENDPOINT_TYPE`."),
			"cacert_file": text("CA certificate to verify TLS with: a path, or the PEM text. Environment: " +
				"`OS_CACERT`."),
			"cert": text("Client certificate: a path, or the PEM text. Needs `key`. Environment: `OS_CERT`."),
			"key":  secret("Key of the client certificate: a path, or the PEM text. Environment: `OS_KEY`."),
			"max_retries": attribute.Number("How often a failed request is repeated, if that is safe: after 429, "+
				"500, 502, 503, 504, a 404 that the service itself did not write, and broken connections. At most "+
				"`1000`. Defaults to `0`.", int64validator.Between(0, openstack.MostRetries)),
			"endpoint_overrides": schema.MapAttribute{
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.Map{mapvalidator.NoNullValues()},
				MarkdownDescription: "Addresses that replace the catalogue's, by service type (`compute`, " +
					"`image`), in the provider's own region.",
			},
			"enable_logging": flag("Write a line for each request into Terraform's log at level `DEBUG`, without " +
				"headers and bodies. Defaults to `false`. Environment: `OS_DEBUG`."),
			"request_timeout": durations.Argument(time.Second, openstack.LongestTimeout, "Time after which a request "+
				"is given up, at most `1d`. Defaults to `1m`."),
			"webhook_secret": secret("Secret that webhooks are signed with, as [Standard " +
				"Webhooks](https://www.standardwebhooks.com) describes: the base64 text of 24 to 64 random bytes. " +
				"Several secrets, with spaces between them, all sign. Without one webhooks are not signed. " +
				"Environment: `STACKPOLICY_WEBHOOK_SECRET`."),
			"hook_cacert_file": text("CA certificates that webhooks are verified with, in addition to the system's: " +
				"a path, or the PEM text."),
			"allow_commands": flag("Allow hooks of type `command`, which run a command on the machine that runs " +
				"Terraform. Defaults to `false`."),
		},
	}
}

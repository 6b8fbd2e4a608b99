package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
)

type providerModel struct {
	AuthURL                     types.String `tfsdk:"auth_url"`
	Cloud                       types.String `tfsdk:"cloud"`
	Region                      types.String `tfsdk:"region"`
	UserName                    types.String `tfsdk:"user_name"`
	UserID                      types.String `tfsdk:"user_id"`
	ApplicationCredentialID     types.String `tfsdk:"application_credential_id"`
	ApplicationCredentialName   types.String `tfsdk:"application_credential_name"`
	ApplicationCredentialSecret types.String `tfsdk:"application_credential_secret"`
	TenantID                    types.String `tfsdk:"tenant_id"`
	TenantName                  types.String `tfsdk:"tenant_name"`
	Password                    types.String `tfsdk:"password"`
	Token                       types.String `tfsdk:"token"`
	UserDomainName              types.String `tfsdk:"user_domain_name"`
	UserDomainID                types.String `tfsdk:"user_domain_id"`
	ProjectDomainName           types.String `tfsdk:"project_domain_name"`
	ProjectDomainID             types.String `tfsdk:"project_domain_id"`
	DomainID                    types.String `tfsdk:"domain_id"`
	DomainName                  types.String `tfsdk:"domain_name"`
	DefaultDomain               types.String `tfsdk:"default_domain"`
	Insecure                    types.Bool   `tfsdk:"insecure"`
	EndpointType                types.String `tfsdk:"endpoint_type"`
	CACertFile                  types.String `tfsdk:"cacert_file"`
	Cert                        types.String `tfsdk:"cert"`
	Key                         types.String `tfsdk:"key"`
	MaxRetries                  types.Int64  `tfsdk:"max_retries"`
	EndpointOverrides           types.Map    `tfsdk:"endpoint_overrides"`
	EnableLogging               types.Bool   `tfsdk:"enable_logging"`
	RequestTimeout              types.String `tfsdk:"request_timeout"`
	WebhookSecret               types.String `tfsdk:"webhook_secret"`
	HookCACertFile              types.String `tfsdk:"hook_cacert_file"`
	AllowCommands               types.Bool   `tfsdk:"allow_commands"`
}

// config translates the model, and adds the values of environment variables.
func (m providerModel) config(ctx context.Context, diags *diag.Diagnostics) openstack.Config {
	env := environment{diags}
	config := openstack.Config{
		AuthURL:                     env.text(m.AuthURL, "OS_AUTH_URL"),
		Cloud:                       env.text(m.Cloud, "OS_CLOUD"),
		AuthType:                    os.Getenv("OS_AUTH_TYPE"),
		Region:                      env.text(m.Region, "OS_REGION_NAME"),
		UserName:                    env.text(m.UserName, "OS_USERNAME"),
		UserID:                      env.text(m.UserID, "OS_USER_ID"),
		ApplicationCredentialID:     env.text(m.ApplicationCredentialID, "OS_APPLICATION_CREDENTIAL_ID"),
		ApplicationCredentialName:   env.text(m.ApplicationCredentialName, "OS_APPLICATION_CREDENTIAL_NAME"),
		ApplicationCredentialSecret: env.text(m.ApplicationCredentialSecret, "OS_APPLICATION_CREDENTIAL_SECRET"),
		TenantID:                    env.text(m.TenantID, "OS_TENANT_ID", "OS_PROJECT_ID"),
		TenantName:                  env.text(m.TenantName, "OS_TENANT_NAME", "OS_PROJECT_NAME"),
		Password:                    env.text(m.Password, "OS_PASSWORD"),
		Token:                       env.text(m.Token, "OS_TOKEN", "OS_AUTH_TOKEN"),
		UserDomainName:              env.text(m.UserDomainName, "OS_USER_DOMAIN_NAME"),
		UserDomainID:                env.text(m.UserDomainID, "OS_USER_DOMAIN_ID"),
		ProjectDomainName:           env.text(m.ProjectDomainName, "OS_PROJECT_DOMAIN_NAME"),
		ProjectDomainID:             env.text(m.ProjectDomainID, "OS_PROJECT_DOMAIN_ID"),
		DomainID:                    env.text(m.DomainID, "OS_DOMAIN_ID"),
		DomainName:                  env.text(m.DomainName, "OS_DOMAIN_NAME"),
		DefaultDomain:               cmp.Or(env.text(m.DefaultDomain, "OS_DEFAULT_DOMAIN"), "default"),
		EndpointType:                env.text(m.EndpointType, "OS_ENDPOINT_TYPE"),
		CACertFile:                  env.text(m.CACertFile, "OS_CACERT"),
		Cert:                        env.text(m.Cert, "OS_CERT"),
		Key:                         env.text(m.Key, "OS_KEY"),
		MaxRetries:                  int(min(m.MaxRetries.ValueInt64(), 1<<30)), // bounded here, checked later
		RequestTimeout:              durations.Or(m.RequestTimeout, 0),
	}
	if !m.Insecure.IsNull() || os.Getenv("OS_INSECURE") != "" {
		config.Insecure = new(env.flag(m.Insecure, "OS_INSECURE"))
	}
	diags.Append(m.EndpointOverrides.ElementsAs(ctx, &config.EndpointOverrides, false)...)
	if m.EnableLogging.ValueBool() || os.Getenv("OS_DEBUG") != "" {
		config.Log = func(ctx context.Context, message string, fields map[string]any) {
			tflog.Debug(ctx, message, fields)
		}
	}
	return config
}

// ignored returns the names of arguments that have no effect with a cloud of clouds.yaml.
func (m providerModel) ignored() (names []string) {
	all := map[string]types.String{
		"auth_url": m.AuthURL, "user_name": m.UserName, "user_id": m.UserID, "password": m.Password, "token": m.Token,
		"tenant_id": m.TenantID, "tenant_name": m.TenantName, "domain_id": m.DomainID, "domain_name": m.DomainName,
		"user_domain_id": m.UserDomainID, "user_domain_name": m.UserDomainName,
		"project_domain_id": m.ProjectDomainID, "project_domain_name": m.ProjectDomainName,
		"default_domain": m.DefaultDomain, "application_credential_id": m.ApplicationCredentialID,
		"application_credential_name":   m.ApplicationCredentialName,
		"application_credential_secret": m.ApplicationCredentialSecret,
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].ValueString() != "" {
			names = append(names, name)
		}
	}
	return names
}

// environment reads arguments that the configuration does not give from environment
// variables: the first one that is not empty, as terraform-provider-openstack does.
type environment struct{ diags *diag.Diagnostics }

func (environment) text(argument types.String, names ...string) string {
	if !argument.IsNull() {
		return argument.ValueString()
	}
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}

func (e environment) flag(argument types.Bool, name string) bool {
	value := os.Getenv(name)
	if !argument.IsNull() || value == "" {
		return argument.ValueBool()
	}
	flag, err := strconv.ParseBool(value)
	if err != nil {
		e.diags.AddError("Invalid environment variable",
			fmt.Sprintf("%s is %q: true or false was expected.", name, value))
	}
	return flag
}

// userAgent returns the user agent, which the cloud's logs show.
func userAgent(version, terraform string) string {
	agent := fmt.Sprintf("HashiCorp Terraform/%s (+https://www.terraform.io) terraform-provider-stackpolicy/%s",
		terraform, version)
	return strings.TrimSpace(agent + " " + strings.TrimSpace(os.Getenv("TF_APPEND_USER_AGENT")))
}

package provider

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// configFor reads a provider block, with only the given OS_* variables, and returns
// the configuration that the cloud gets.
func configFor(t *testing.T, block map[string]attr.Value, env map[string]string) (openstack.Config, diag.Diagnostics) {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "OS_") {
			t.Setenv(name, "")
		}
	}
	for name, value := range env {
		t.Setenv(name, value)
	}
	schema := providerSchema()
	values := map[string]tftypes.Value{}
	for name, a := range schema.Attributes {
		value := a.GetType().ValueType(t.Context())
		if given, ok := block[name]; ok {
			value = given
		}
		raw, err := value.ToTerraformValue(t.Context())
		require.NoError(t, err)
		values[name] = raw
		if _, ok := block[name]; !ok {
			values[name] = tftypes.NewValue(a.GetType().TerraformType(t.Context()), nil)
		}
	}
	config := tfsdk.Config{Schema: schema, Raw: tftypes.NewValue(schema.Type().TerraformType(t.Context()), values)}
	var model providerModel
	diags := config.Get(t.Context(), &model)
	got := model.config(t.Context(), &diags)
	got.Log = nil
	return got, diags
}

// TestArguments: each argument and each environment variable of
// terraform-provider-openstack reaches the cloud's configuration, the argument
// before the variable.
func TestArguments(t *testing.T) {
	arguments := map[string][]string{ // field and environment variables by argument
		"auth_url":                      {"AuthURL", "OS_AUTH_URL"},
		"cloud":                         {"Cloud", "OS_CLOUD"},
		"region":                        {"Region", "OS_REGION_NAME"},
		"user_name":                     {"UserName", "OS_USERNAME"},
		"user_id":                       {"UserID", "OS_USER_ID"},
		"application_credential_id":     {"ApplicationCredentialID", "OS_APPLICATION_CREDENTIAL_ID"},
		"application_credential_name":   {"ApplicationCredentialName", "OS_APPLICATION_CREDENTIAL_NAME"},
		"application_credential_secret": {"ApplicationCredentialSecret", "OS_APPLICATION_CREDENTIAL_SECRET"},
		"tenant_id":                     {"TenantID", "OS_TENANT_ID", "OS_PROJECT_ID"},
		"tenant_name":                   {"TenantName", "OS_TENANT_NAME", "OS_PROJECT_NAME"},
		"password":                      {"Password", "OS_PASSWORD"},
		"token":                         {"Token", "OS_TOKEN", "OS_AUTH_TOKEN"},
		"user_domain_name":              {"UserDomainName", "OS_USER_DOMAIN_NAME"},
		"user_domain_id":                {"UserDomainID", "OS_USER_DOMAIN_ID"},
		"project_domain_name":           {"ProjectDomainName", "OS_PROJECT_DOMAIN_NAME"},
		"project_domain_id":             {"ProjectDomainID", "OS_PROJECT_DOMAIN_ID"},
		"domain_id":                     {"DomainID", "OS_DOMAIN_ID"},
		"domain_name":                   {"DomainName", "OS_DOMAIN_NAME"},
		"default_domain":                {"DefaultDomain", "OS_DEFAULT_DOMAIN"},
		"endpoint_type":                 {"EndpointType", "OS_ENDPOINT_TYPE"},
		"cacert_file":                   {"CACertFile", "OS_CACERT"},
		"cert":                          {"Cert", "OS_CERT"},
		"key":                           {"Key", "OS_KEY"},
	}
	for name, a := range arguments {
		field, env := a[0], a[1:]
		value := func(c openstack.Config) any { return reflect.ValueOf(c).FieldByName(field).Interface() }
		for _, variable := range env {
			got, diags := configFor(t, nil, map[string]string{variable: "from-env"})
			assert.Equal(t, "from-env", value(got), "%s from %s: %v", name, variable, diags)
		}
		got, diags := configFor(t, map[string]attr.Value{name: types.StringValue("from-block")}, map[string]string{env[0]: "from-env"})
		assert.Equal(t, "from-block", value(got), "%s: %v", name, diags)
	}

	// Arguments that are not strings.
	got, diags := configFor(t, map[string]attr.Value{
		"insecure": types.BoolValue(true), "max_retries": types.Int64Value(4),
		"request_timeout":    durations.Of(7 * time.Second),
		"enable_logging":     types.BoolValue(true),
		"endpoint_overrides": types.MapValueMust(types.StringType, map[string]attr.Value{"compute": types.StringValue("http://nova/")}),
	}, nil)
	yes := true
	want := openstack.Config{Insecure: &yes, MaxRetries: 4, RequestTimeout: 7 * time.Second,
		DefaultDomain: "default", EndpointOverrides: map[string]string{"compute": "http://nova/"}}
	assert.Empty(t, diags)
	assert.Equal(t, want, got)

	// Every argument of the schema is in one of the two tables above, except arguments
	// about hooks, which TestProviderBadInput has.
	assert.Len(t, providerSchema().Attributes, len(arguments)+8, "arguments of the provider block")
}

func TestEnvironmentFlags(t *testing.T) {
	no := false
	for _, c := range []struct {
		env   map[string]string
		check func(openstack.Config, diag.Diagnostics) bool
	}{
		{nil, func(c openstack.Config, d diag.Diagnostics) bool {
			return len(d) == 0 && c.Insecure == nil && c.DefaultDomain == "default"
		}},
		{map[string]string{"OS_INSECURE": "false"}, func(c openstack.Config, d diag.Diagnostics) bool {
			return len(d) == 0 && *c.Insecure == no
		}},
		{map[string]string{"OS_INSECURE": "perhaps"}, func(_ openstack.Config, d diag.Diagnostics) bool {
			return d.HasError() && strings.Contains(d[0].Detail(), `OS_INSECURE is "perhaps"`)
		}},
	} {
		got, diags := configFor(t, nil, c.env)
		assert.True(t, c.check(got, diags), "%v", c.env)
	}
}

// TestIgnoredArguments: a cloud of clouds.yaml replaces credentials, with a
// warning.
func TestIgnoredArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("clouds.yaml", []byte("clouds: {c: {auth: {auth_url: 'http://k/v3', user_id: u, password: p, project_id: x}}}"), 0o600))
	var diags diag.Diagnostics
	newBackend(t.Context(), providerModel{EndpointOverrides: types.MapNull(types.StringType), Cloud: types.StringValue("c"), UserName: types.StringValue("ann"),
		AuthURL: types.StringValue("http://other")}, "agent", &diags)
	require.Len(t, diags, 1)
	assert.False(t, diags.HasError())
	assert.Contains(t, diags[0].Detail(), `"c" of clouds.yaml says how to log in. These arguments of the provider block have no effect: `+
		`auth_url, user_name.`)
}

// TestWebhookTimeout: a webhook that does not answer is given up, even if the provider
// block sets no limit.
func TestWebhookTimeout(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: time.Minute, 7 * time.Second: 7 * time.Second} {
		var diags diag.Diagnostics
		assert.Equal(t, want, newHooks(providerModel{}, "agent", given, &diags).HTTP.Timeout, "request_timeout %s: %v", given, diags)
	}
}

func TestUserAgent(t *testing.T) {
	t.Setenv("TF_APPEND_USER_AGENT", " team-7 ")
	assert.Equal(t, "HashiCorp Terraform/1.11.4 (+https://www.terraform.io) terraform-provider-stackpolicy/1.2.3 team-7", userAgent("1.2.3", "1.11.4"))
}

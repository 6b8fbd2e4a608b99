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
			if diags.HasError() || value(got) != "from-env" {
				t.Errorf("%s from %s: got %q, %v", name, variable, value(got), diags)
			}
		}
		got, diags := configFor(t, map[string]attr.Value{name: types.StringValue("from-block")}, map[string]string{env[0]: "from-env"})
		if diags.HasError() || value(got) != "from-block" {
			t.Errorf("%s from the block: got %q, %v", name, value(got), diags)
		}
	}

	// Arguments that are not strings.
	got, diags := configFor(t, map[string]attr.Value{
		"system_scope": types.BoolValue(true), "insecure": types.BoolValue(true), "allow_reauth": types.BoolValue(false), "max_retries": types.Int64Value(4),
		"disable_no_cache_header": types.BoolValue(true), "request_timeout": durations.Of(7 * time.Second), "swauth": types.BoolValue(false),
		"delayed_auth":       types.BoolValue(true),
		"enable_logging":     types.BoolValue(true),
		"endpoint_overrides": types.MapValueMust(types.StringType, map[string]attr.Value{"compute": types.StringValue("http://nova/")}),
	}, nil)
	yes := true
	want := openstack.Config{SystemScope: true, Insecure: &yes, MaxRetries: 4, DisableNoCacheHeader: true, RequestTimeout: 7 * time.Second,
		DefaultDomain: "default", EndpointOverrides: map[string]string{"compute": "http://nova/"}}
	if len(diags) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, diags, want)
	}

	// Every argument of the schema is in one of the two tables above, except arguments
	// about hooks, which TestProviderBadInput has.
	if n := len(providerSchema().Attributes); n != len(arguments)+13 {
		t.Errorf("the provider block has %d arguments, and %d are tested", n, len(arguments)+13)
	}
}

func TestEnvironmentFlags(t *testing.T) {
	no := false
	for _, c := range []struct {
		env   map[string]string
		check func(openstack.Config, diag.Diagnostics) bool
	}{
		{nil, func(c openstack.Config, d diag.Diagnostics) bool {
			return len(d) == 0 && c.AllowReauth && !c.SystemScope && c.Insecure == nil && c.DefaultDomain == "default"
		}},
		{map[string]string{"OS_SYSTEM_SCOPE": "all", "OS_INSECURE": "false", "OS_ALLOW_REAUTH": "0"}, func(c openstack.Config, d diag.Diagnostics) bool {
			return len(d) == 0 && c.SystemScope && !c.AllowReauth && *c.Insecure == no
		}},
		{map[string]string{"OS_INSECURE": "perhaps"}, func(_ openstack.Config, d diag.Diagnostics) bool {
			return d.HasError() && strings.Contains(d[0].Detail(), `OS_INSECURE is "perhaps"`)
		}},
		{map[string]string{"OS_SWAUTH": "true"}, func(_ openstack.Config, d diag.Diagnostics) bool { return d.HasError() }},
		{map[string]string{"OS_DELAYED_AUTH": "false"}, func(_ openstack.Config, d diag.Diagnostics) bool { return !d.HasError() && len(d) == 1 }},
	} {
		if got, diags := configFor(t, nil, c.env); !c.check(got, diags) {
			t.Errorf("%v: got %+v, %v", c.env, got, diags)
		}
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
	if diags.HasError() || len(diags) != 1 ||
		!strings.Contains(diags[0].Detail(), `"c" of clouds.yaml says how to log in. These arguments of the provider block have no effect: `+
			`auth_url, user_name.`) {
		t.Errorf("got %+v", diags)
	}
}

// TestWebhookTimeout: a webhook that does not answer is given up, even if the provider
// block sets no limit.
func TestWebhookTimeout(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: time.Minute, 7 * time.Second: 7 * time.Second} {
		var diags diag.Diagnostics
		if hooks := newHooks(providerModel{}, "agent", given, &diags); hooks.HTTP.Timeout != want || diags.HasError() {
			t.Errorf("request_timeout %s: got %s, %v", given, hooks.HTTP.Timeout, diags)
		}
	}
}

func TestUserAgent(t *testing.T) {
	t.Setenv("TF_APPEND_USER_AGENT", " team-7 ")
	assert.Equal(t, "HashiCorp Terraform/1.11.4 (+https://www.terraform.io) terraform-provider-stackpolicy/1.2.3 team-7", userAgent("1.2.3", "1.11.4"))
}

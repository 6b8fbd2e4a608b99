package provider_test

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecrets: with all logging on, no secret is in Terraform's logs or output. Its
// state and plan have no secret except the configuration's.
func TestSecrets(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	consumer := httptest.NewServer(http.NotFoundHandler())
	defer consumer.Close()
	const (
		password = "kV2dRq81-password"
		hookUser = "Ym4tLw07-user"
		hookKey  = "Xc93BnTz-key"
		readyKey = "Wq5rJd20-key"
		userData = "Jt8sKp53-user-data"
		signing  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwSECRETS="
	)
	address := strings.Replace(consumer.URL, "//", "//bell:"+hookUser+"@", 1) + "/leave?key=" + hookKey
	log := filepath.Join(t.TempDir(), "terraform.log")
	w := c.Installed(t, "")
	// The provider logs in with an application credential, the provider for tests with
	// a password.
	w.Env = slices.DeleteFunc(w.Env, func(v string) bool {
		return strings.HasPrefix(v, "OS_USERNAME=") || strings.HasPrefix(v, "OS_PASSWORD=") || strings.HasPrefix(v, "OS_PROJECT_NAME=")
	})
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log, "OS_DEBUG=1", "STACKPOLICY_WEBHOOK_SECRET="+signing)
	providerBlock := "provider \"stackpolicy\" {\n  application_credential_id = \"" + fakecloud.AppCredentialID +
		"\"\n  application_credential_secret = %q\n}\n"
	config := c.ProviderBlock("openstack") + fmt.Sprintf(providerBlock, fakecloud.AppCredentialSecret) +
		"data \"stackpolicy_cluster\" \"c\" {\n  name_regex = \"web\"\n  regions = [\"RegionOne\", \"RegionTwo\"]\n}\n" + guarded(c, 1)
	config = strings.Replace(config, "shutdown = true", fmt.Sprintf("hook {\n type = \"webhook\"\n default_result = \"CONTINUE\"\n url = %q\n }", address), 1)
	config = strings.Replace(config, "desired_capacity", fmt.Sprintf("image = \"cirros\"\n  user_data = %q\n  desired_capacity", userData), 1)

	var told strings.Builder // output for the user
	run := func(config string, args ...string) error {
		t.Helper()
		require.NoError(t, w.Write(config))
		text, err := w.Run(t.Context(), args...)
		fmt.Fprintln(&told, text, err)
		return err
	}
	must := func(args ...string) {
		t.Helper()
		require.NoError(t, run(config, args...))
	}
	must("plan", "-no-color", "-out=saved.tfplan")
	must("apply", "-no-color", "saved.tfplan")
	must("show", "-no-color")
	// The token expires, and is replaced in the middle of an apply.
	expired := c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/servers/detail", Status: http.StatusUnauthorized})
	must("apply", "-no-color", "-auto-approve")
	assert.Equal(t, 1, expired.Fired(), "tokens that expired")
	// Errors of all kinds follow: of Nova, of a login, of a configuration.
	refused := c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/servers/detail", Status: http.StatusInternalServerError})
	assert.Error(t, run(config, "plan", "-no-color"), "a plan without servers")
	assert.NotZero(t, refused.Fired())
	// A service answers with the request in its body, as a gateway does whose debugging
	// is on.
	for path, status := range map[string]int{"/auth/tokens": http.StatusOK, "/servers/detail": http.StatusPartialContent,
		"/os-server-groups": http.StatusAccepted} {
		echoes := c.Fake.Inject(fakecloud.Fault{Path: path, Effect: fakecloud.Handle, Times: fakecloud.Forever,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_ = r.Write(w)
			})})
		if err := run(config, "plan", "-no-color"); (err == nil) != (echoes.Fired() == 0) {
			t.Errorf("%s is answered with %d: %v", path, status, err)
		}
		echoes.Remove()
	}
	for _, block := range []string{
		fmt.Sprintf(providerBlock, password),
		"provider \"stackpolicy\" {\n  user_name = \"member\"\n  tenant_name = \"member\"\n  password = \"" + password + "\"\n}\n",
		"provider \"stackpolicy\" {\n  token = \"" + password + "\"\n}\n",
	} {
		assert.Error(t, run(block+"data \"stackpolicy_cluster\" \"c\" {\n  name_regex = \"web\"\n}\n", "plan", "-no-color"), "logged in with %s", block)
	}
	ready := fmt.Sprintf("variable \"key\" {\n  default = %q\n  sensitive = true\n}\n", readyKey) +
		fmt.Sprintf("resource \"stackpolicy_readiness_attachment\" \"web\" {\n  cluster = %q\n  nodes = stackpolicy_placement_attachment.web.nodes\n"+
			"  servers = openstack_compute_instance_v2.web\n  timeout = 2\n  http {\n    url = %q\n  }\n}\n",
			c.Prefix, consumer.URL+"/ready/${var.key}?key=${var.key}&node={name}")
	assert.Error(t, run(config+ready, "apply", "-no-color", "-auto-approve"), "a server that is not there is ready")
	assert.Regexp(t, acctest.Says(" answered 404 Not Found"), told.String())
	must("destroy", "-no-color", "-auto-approve")
	assert.Regexp(t, acctest.Says("the webhook at"), told.String(), "the hook fails")

	logged, err := os.ReadFile(log)
	require.NoError(t, err)
	require.True(t, strings.Contains(string(logged), "OpenStack API request") && strings.Contains(string(logged), "[TRACE]"), "%d bytes of log", len(logged))
	kept := onDisk(t, w.Dir)
	secrets := map[string]string{fakecloud.AppCredentialSecret: "the application credential's secret", password: "a wrong password",
		signing: "the secret that signs webhooks", strings.TrimPrefix(signing, "whsec_"): "that secret without its prefix"}
	for _, r := range c.Fake.Requests() {
		if r.Token != "" {
			secrets[r.Token] = "a token"
		}
	}
	assert.Greater(t, len(secrets), 5, "secrets are too few to tell")
	for secret, name := range secrets {
		assert.NotContains(t, kept, secret, "the state or the plan has %s", name)
	}
	secrets[userData] = "the user data" // which the state has
	secrets[hookUser], secrets[hookKey], secrets[readyKey] = "the webhook's user", "the webhook's key", "the key of the check"
	for secret, name := range secrets {
		assert.NotContains(t, told.String(), secret, "the output has %s", name)
		if i := strings.Index(string(logged), secret); i >= 0 {
			t.Errorf("the log has %s: %s", name, logged[max(0, i-300):min(len(logged), i+100)])
		}
	}
}

// onDisk returns Terraform's files: its state and a plan, without the plan's copy of
// the configuration.
func onDisk(t *testing.T, dir string) string {
	t.Helper()
	var kept []byte
	add := func(text []byte, err error) {
		require.NoError(t, err)
		require.NotEmpty(t, text, "what is kept")
		kept = append(kept, text...)
	}
	add(os.ReadFile(filepath.Join(dir, "terraform.tfstate")))
	add(os.ReadFile(filepath.Join(dir, "terraform.tfstate.backup")))
	plan, err := zip.OpenReader(filepath.Join(dir, "saved.tfplan"))
	require.NoError(t, err)
	defer plan.Close()
	for _, name := range []string{"tfplan", "tfstate"} {
		add(fs.ReadFile(plan, name))
	}
	return string(kept)
}

// guarded is a cluster with attachments of all policies.
func guarded(c *acctest.Cloud, size int) string {
	return grouped(c) + acctest.Placement(c, size, acctest.Places("RegionOne: az-1 az-2"), "") + acctest.Made(c, inGroup) + acctest.Drained("shutdown = true")
}

// grouped is a server group for the servers.
func grouped(c *acctest.Cloud) string {
	return fmt.Sprintf(`
resource "stackpolicy_affinity_attachment" "web" {
  servergroup {
    name     = "%sgroup"
    policies = "soft-anti-affinity"
  }
}`, c.Prefix)
}

// inGroup puts the servers into the group.
const inGroup = "scheduler_hints {\n    group = stackpolicy_affinity_attachment.web.servergroup_id\n  }"

package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestProviderBadInput: a provider block that cannot work says why, and shows
// no secret.
func TestProviderBadInput(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	read := "data \"stackpolicy_cluster\" \"c\" { name_regex = \"web\" }\n"
	url := c.Fake.AuthURL()
	block := func(format string, args ...any) string {
		return fmt.Sprintf("provider \"stackpolicy\" {\n"+format+"\n}\n", args...) + read
	}
	html := fakecloud.Start(t, fakecloud.Config{})
	html.Inject(fakecloud.Fault{Status: http.StatusOK, Times: fakecloud.Forever, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Horizon</html>"})
	var steps []resource.TestStep
	for _, bad := range []struct{ config, want string }{
		{block(""), "This needs an OpenStack cloud, and no cloud is configured: set auth_url or cloud"},
		{block("swauth = true\n auth_url = %q", url), "Swift's own authentication is not supported"},
		{block("cloud = \"nowhere\""), "Cloud \"nowhere\": unable to load clouds.yaml: no clouds.yml file found"},
		{block("auth_url = %q", url), "No user is given to log in with: give user_name and password, a token, or an application credential."},
		{block("auth_url = %q\n user_name = \"ann\"\n domain_name = \"Default\"", url), "The user has no password"},
		{block("auth_url = %q\n user_name = \"ann\"\n user_id = \"7\"\n password = \"hidden\"", url), "The user is named twice"},
		{block("auth_url = %q\n application_credential_id = \"7\"", url), "An application credential needs its secret."},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n endpoint_type = \"secret\"", url), `"secret" is not one of public, internal and admin.`},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n max_retries = -1", url), "Attribute max_retries value must be between 0 and 1000"},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n request_timeout = 9223372037", url), `Attribute request_timeout: A duration from 1s to 1d is needed`},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"", strings.Replace(url, "//", "//ann:hidden@", 1)), "has no user name and no password in it"},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n tenant_name = \"web\"\n cert = \"a.pem\"", url), "A client certificate needs both cert and key."},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n tenant_name = \"web\"\n cacert_file = \"none.pem\"", url), "It is neither PEM text nor the path of a file that can be read: no such file or directory."},
		{block("auth_url = %q\n user_name = \"member\"\n password = \"hidden\"\n tenant_name = \"member\"\n region = \"RegionOne\"", url),
			"The request you have made requires authentication."},
		{block("auth_url = %q\n user_name = \"member\"\n password = \"secret\"\n tenant_name = \"member\"", url),
			"no region is configured, and the catalogue has 2 with a compute endpoint (RegionOne, RegionTwo): set region, or OS_REGION_NAME"},
		{block("auth_url = %q\n user_name = \"member\"\n password = \"hidden\"\n tenant_name = \"member\"\n region = \"RegionOne\"", html.AuthURL()),
			`answered 200 in place of 201: "<html>Horizon</html>"...; this may not be the address of an OpenStack API`},
		{"resource \"terraform_data\" \"x\" {}\n" + block("auth_url = terraform_data.x.id"), "the provider block refers to values that are known only after apply."},
	} {
		steps = append(steps, resource.TestStep{Config: bad.config, PlanOnly: true, ExpectError: acctest.Says(bad.want)})
	}
	c.Test(t, steps...)
}

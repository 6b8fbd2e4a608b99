package provider_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestProviderBadInput: the error for a provider block that cannot work says why, and shows no secret. TestResolveRefuses of
// internal/openstack has all credentials that cannot log in.
func TestProviderBadInput(t *testing.T) {
	t.Parallel()
	url := acctest.NewFake(t, fakecloud.Config{}).Fake.AuthURL()
	html := fakecloud.Start(t, fakecloud.Config{})
	html.Inject(fakecloud.Fault{Status: http.StatusOK, Times: fakecloud.Forever, Header: http.Header{"Content-Type": {"text/html"}},
		Body: "<html>Horizon</html>"})
	ann := func(more protocol.Attributes) protocol.Attributes {
		block := protocol.Attributes{"auth_url": url, "user_name": "ann", "password": "hidden"}
		maps.Copy(block, more)
		return block
	}
	member := func(more protocol.Attributes) protocol.Attributes {
		block := protocol.Attributes{"auth_url": url, "user_name": "member", "password": fakecloud.Password, "tenant_name": "member"}
		maps.Copy(block, more)
		return block
	}
	for _, bad := range []struct {
		block protocol.Attributes
		want  string
	}{
		{nil, "This needs an OpenStack cloud, and no cloud is configured: set auth_url or cloud"},
		{protocol.Attributes{"cloud": "nowhere"}, `names: unable to load clouds.yaml: no clouds.yml file found`},
		{protocol.Attributes{"auth_url": url, "application_credential_id": "7"}, "An application credential needs its secret."},
		{ann(protocol.Attributes{"max_retries": -1}), "Attribute max_retries value must be between 0 and 1000"},
		{ann(protocol.Attributes{"request_timeout": "9223372037"}), `Attribute request_timeout: A duration from 1s to 1d is needed`},
		{ann(protocol.Attributes{"auth_url": strings.Replace(url, "//", "//ann:hidden@", 1)}), "has no user name and no password in it"},
		{ann(protocol.Attributes{"tenant_name": "web", "cacert_file": "none.pem"}),
			"It is neither PEM text nor the path of a file that can be read: no such file or directory."},
		{member(protocol.Attributes{"password": "hidden", "region": "RegionOne"}), ": 401 Unauthorized. Check the user, the password"},
		{member(nil), "no region is configured, and the catalogue has 2 with a compute endpoint (RegionOne, RegionTwo): set region, or OS_REGION_NAME"},
		{member(protocol.Attributes{"region": "RegionOne", "auth_url": html.AuthURL()}),
			"answered 200 OK, but not with JSON (20 bytes of text/html). Is this the address of an OpenStack API?"},
		{protocol.Attributes{"auth_url": tftypes.UnknownValue}, "the provider block refers to values that are known only after apply (auth_url)."},
		{member(protocol.Attributes{"webhook_secret": "hidden"}), "The webhook secret, or STACKPOLICY_WEBHOOK_SECRET, cannot be used"},
		{member(protocol.Attributes{"hook_cacert_file": "/nowhere/at"}), "It is neither PEM text nor the path of a file that can be read"},
		{member(protocol.Attributes{"hook_cacert_file": "-----BEGIN X-"}), "The webhooks' certificate authorities cannot be used"},
	} {
		p, err := protocol.Connect(t.Context(), bad.block)
		if err == nil {
			_, err = p.ReadData(t.Context(), "stackpolicy_cluster", protocol.Attributes{"name_regex": "web"})
		}
		if err == nil || !strings.Contains(p.Said(), bad.want) || strings.Contains(p.Said(), "hidden") {
			t.Errorf("%v, said %s\nwant %s", err, p.Said(), bad.want)
		}
	}
}

package openstack

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/proxied"
	"github.com/stretchr/testify/assert"
)

// TestProxy: requests to OpenStack go through the proxy of the environment, over
// http too, except to the hosts of NO_PROXY: as those of
// terraform-provider-openstack do.
func TestProxy(t *testing.T) {
	for address, want := range map[string][]string{
		"https://keystone.invalid": {"CONNECT keystone.invalid:443"},
		"http://keystone.invalid":  {"POST http://keystone.invalid/v3/auth/tokens"},
		"http://inside.invalid":    nil,
	} {
		t.Run(address, func(t *testing.T) {
			assert.Equal(t, want, proxied.Seen(t, func() {
				cloud, err := New(Config{AuthURL: address + "/v3", UserID: "ann", Password: "p", TenantID: "p"})
				if err == nil {
					err = cloud.Login(t.Context())
				}
				assert.Error(t, err, "the proxy logged us in")
			}, "NO_PROXY=inside.invalid"))
		})
	}
}

package openstack

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHosts(t *testing.T) {
	h := hosts(nil).with("https://cloud.example/identity/v3").with("http://nova.example:8774/v2.1").with("not an address\x7f").with("")
	for address, want := range map[string]bool{
		"https://cloud.example/identity/v3/auth/tokens":    true,
		"https://CLOUD.example:443/compute/v2.1/p/servers": true,
		"http://nova.example:8774/":                        true,
		"http://cloud.example/identity/v3":                 false,
		"https://cloud.example:8443/identity/v3":           false,
		"https://cloud.example.evil/identity/v3":           false,
		"https://nova.example:8774/v2.1":                   false,
		"https://evil@other.example/":                      false,
		"ftp://cloud.example/":                             false,
		"/relative":                                        false,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.Equal(t, want, h.allow(u) == nil, address)
	}
	assert.Error(t, hosts(nil).allow(&url.URL{Scheme: "https", Host: "cloud.example"}), "where nothing is named, nothing is trusted")
}

// TestStrangers: no credential arrives at a host that a request is led to.
func TestStrangers(t *testing.T) {
	strangers := 0
	elsewhere, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		strangers++
		good(w, r)
	})
	address, _ := serve(t, good)
	for _, method := range []string{"GET", "POST", "DELETE"} {
		req, _ := http.NewRequestWithContext(t.Context(), method, elsewhere+"/servers?marker=hidden", strings.NewReader(`{"password": "hidden"}`))
		req.Header.Set("X-Auth-Token", "hidden")
		_, err := client(&transport{retries: 3}, address).Transport.RoundTrip(req)
		assert.ErrorContains(t, err, "credentials are not sent to "+elsewhere+", which neither")
		assert.NotContains(t, fmt.Sprint(err), "hidden")
	}
	assert.Equal(t, 0, strangers, "requests that went elsewhere")
}

func TestAddressFault(t *testing.T) {
	for address, want := range map[string]string{
		"https://keystone.example/v3":           "",
		"http://[::1]:5000":                     "",
		"https://ann:hidden@keystone.example":   "no user name and no password",
		"https://ann:hid/den@keystone.example":  "no user name and no password",
		"https://ann:hid%den@keystone.example":  "no user name and no password",
		"https://hidden@keystone.example":       "no user name and no password",
		"keystone.example:5000/v3":              "must begin with https://",
		"keystone.example":                      "must begin with https://",
		"ftp://keystone.example":                "must begin with https://",
		"https://":                              "must begin with https://",
		"https://keystone.example:port\x1b[31m": `must begin with https://`,
	} {
		got := addressFault(address)
		if (want == "") != (got == "") || !strings.Contains(got, want) || strings.Contains(got, "hid") || strings.Contains(got, "\x1b") {
			t.Errorf("%s: got %q", address, got)
		}
	}
}

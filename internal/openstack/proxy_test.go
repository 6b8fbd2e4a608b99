package openstack

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
)

// TestProxy: requests to OpenStack go through the proxy of the environment, over
// http too, except to the hosts of NO_PROXY: as those of
// terraform-provider-openstack do.
func TestProxy(t *testing.T) {
	if address := os.Getenv("STACKPOLICY_TEST_PROXIED"); address != "" { // net/http reads the environment once
		cloud, err := New(Config{AuthURL: address, UserID: "ann", Password: "p", TenantID: "p"})
		if err == nil {
			err = cloud.Login(t.Context())
		}
		if err == nil {
			t.Error("the proxy logged us in")
		}
		return
	}
	var mu sync.Mutex
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Method+" "+r.RequestURI)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer proxy.Close()
	for address, want := range map[string][]string{
		"https://keystone.invalid/v3": {"CONNECT keystone.invalid:443"},
		"http://keystone.invalid/v3":  {"POST http://keystone.invalid/v3/auth/tokens"},
		"http://inside.invalid/v3":    nil,
	} {
		mu.Lock()
		seen = nil
		mu.Unlock()
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxy$")
		child.Env = append(os.Environ(), "STACKPOLICY_TEST_PROXIED="+address,
			"HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=inside.invalid")
		if output, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
		mu.Lock()
		if !slices.Equal(seen, want) {
			t.Errorf("%s: the proxy saw %q, want %q", address, seen, want)
		}
		mu.Unlock()
	}
}

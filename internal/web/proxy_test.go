package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestProxy: what is posted over http goes to no proxy of the environment, and
// what is posted over https only through a tunnel.
func TestProxy(t *testing.T) {
	if address := os.Getenv("STACKPOLICY_TEST_PROXIED"); address != "" { // net/http reads the environment once
		resp, err := NewClient(nil, 10*time.Second).Post(address+"/drain?key=secret", "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = resp.Body.Close()
		}
		return
	}
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.RequestURI)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer proxy.Close()
	for _, address := range []string{"http://consumer.invalid", "https://consumer.invalid"} {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxy$")
		child.Env = append(os.Environ(), "STACKPOLICY_TEST_PROXIED="+address, "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=")
		if output, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
	}
	if want := []string{"CONNECT consumer.invalid:443"}; !slices.Equal(seen, want) {
		t.Errorf("the proxy saw %q, want %q", seen, want)
	}
}

package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProxy: what goes to a user's service over http goes to no proxy of the
// environment unless the user says so, and over https only through a tunnel.
func TestProxy(t *testing.T) {
	if address := os.Getenv("STACKPOLICY_TEST_PROXIED"); address != "" { // net/http reads the environment once
		way, _ := strconv.Atoi(os.Getenv("STACKPOLICY_TEST_WAY"))
		ctx, body := Way(way).On(t.Context()), strings.NewReader("{}")
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/drain?key=secret", body)
		require.NoError(t, err)
		resp, err := NewClient(nil, 10*time.Second).Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return
	}
	var mu sync.Mutex
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Method+" "+r.RequestURI)
		mu.Unlock()
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer proxy.Close()
	const overTLS = "CONNECT consumer.invalid:443"
	for _, c := range []struct {
		address string
		way     Way
		want    []string
	}{
		{"http://consumer.invalid", Tunnel, nil},
		{"https://consumer.invalid", Tunnel, []string{overTLS}},
		{"http://consumer.invalid", Direct, nil},
		{"https://consumer.invalid", Direct, nil},
		{"http://consumer.invalid", Proxied, []string{"POST http://consumer.invalid/drain?key=secret"}},
		{"https://consumer.invalid", Proxied, []string{overTLS}},
	} {
		mu.Lock()
		seen = nil
		mu.Unlock()
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxy$")
		child.Env = append(os.Environ(),
			"STACKPOLICY_TEST_PROXIED="+c.address, fmt.Sprint("STACKPOLICY_TEST_WAY=", int(c.way)),
			"HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=")
		if output, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
		mu.Lock()
		if !slices.Equal(seen, c.want) {
			t.Errorf("%s, way %d: the proxy saw %q, want %q", c.address, c.way, seen, c.want)
		}
		mu.Unlock()
	}
}

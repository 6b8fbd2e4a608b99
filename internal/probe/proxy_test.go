package probe

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestProxy: a node is asked directly, always. A proxy that answers 200 makes no
// node well.
func TestProxy(t *testing.T) {
	if os.Getenv("STACKPOLICY_TEST_PROXIED") != "" { // net/http reads the environment once
		for _, template := range []string{"http://{address}/health", "https://{address}/health"} {
			assert.NotNil(t, check(t, template, nil).Look(t.Context(), "web-0", "node.invalid"), "%s: in service", template)
		}
		return
	}
	var asked atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer proxy.Close()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxy$")
	child.Env = append(os.Environ(), "STACKPOLICY_TEST_PROXIED=1", "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=")
	if output, err := child.CombinedOutput(); err != nil || asked.Load() != 0 {
		t.Errorf("%d requests of the proxy, %v: %s", asked.Load(), err, output)
	}
}

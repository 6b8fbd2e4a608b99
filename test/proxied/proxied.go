// Package proxied shows which requests use a proxy of the environment. It is a tool for tests.
package proxied

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const asking = "STACKPOLICY_TEST_PROXIED"

// Seen runs a function of the test in a process of its own, whose environment names a proxy and has more variables,
// because net/http reads the environment once. It returns the requests that the proxy saw. The proxy makes no tunnel,
// and answers every other request with 200 and an empty body.
func Seen(t *testing.T, ask func(), environment ...string) []string {
	t.Helper()
	if os.Getenv(asking) != "" {
		ask()
		t.SkipNow() // the rest of the test is for the process with the proxy
	}
	var mu sync.Mutex
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Method+" "+r.RequestURI)
		if r.Method == http.MethodConnect {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer proxy.Close()
	this := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run="+this)
	child.Env = append(os.Environ(), asking+"=1", "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=")
	child.Env = append(child.Env, environment...)
	output, err := child.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "--- SKIP: "+t.Name()+" ", "nothing was asked")
	mu.Lock()
	defer mu.Unlock()
	return seen
}

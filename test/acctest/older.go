package acctest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// OlderNova is a proxy before a region's Nova that makes 2.newest its newest microversion. It returns its address,
// for the provider's endpoint_overrides. So even a new cloud, fake or real, shows how the provider behaves with an
// old one.
func (c *Cloud) OlderNova(t testing.TB, region string, newest int) string {
	t.Helper()
	endpoint, err := url.Parse(c.client(t, region).Endpoint)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: endpoint.Scheme, Host: endpoint.Host})
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(resp *http.Response) error { return lowerVersion(resp, newest) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked := askedMinor(r); asked > newest {
			const refusal = `{"computeFault": {"code": 406, "message": "Version 2.%d is not supported by the API. ` +
				`Minimum is 2.1 and maximum is 2.%d."}}`
			http.Error(w, fmt.Sprintf(refusal, asked, newest), http.StatusNotAcceptable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + endpoint.Path
}

// askedMinor returns the microversion 2.minor that a request asks for.
func askedMinor(r *http.Request) int {
	var minor int
	_, _ = fmt.Sscanf(r.Header.Get("X-OpenStack-Nova-API-Version"), "2.%d", &minor) // without the header: the oldest
	return minor
}

var (
	document = regexp.MustCompile(`^\{"version":`)
	version  = regexp.MustCompile(`"version":\s*"2\.\d+"`)
)

// lowerVersion rewrites the document in which Nova lists its microversions.
func lowerVersion(resp *http.Response, newest int) error {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if document.Match(body) {
		body = version.ReplaceAll(body, fmt.Appendf(nil, `"version": "2.%d"`, newest))
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

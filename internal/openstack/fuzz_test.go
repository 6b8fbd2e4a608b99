package openstack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stretchr/testify/require"
)

// canned is a cloud whose answers a test makes up.
type canned func(r *http.Request) (status int, contentType string, body []byte)

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	status, contentType, body := c(r)
	header := http.Header{"Content-Type": {contentType}, "X-Subject-Token": {"hidden-token"}, "Retry-After": {"0"}}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: header, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// goodCatalogue is the answer to a login.
const goodCatalogue = `{"token": {"catalog": [
	{"type": "compute", "endpoints": [{"interface": "public", "region_id": "R", "url": "http://cloud.example/compute/v2.1"}]},
	{"type": "image", "endpoints": [{"interface": "public", "region_id": "R", "url": "http://cloud.example/image"}]}]}}`

// invent makes a cloud of canned answers.
func invent(t *testing.T, answers canned) *Cloud {
	t.Helper()
	c, err := New(Config{AuthURL: "http://cloud.example/identity/v3", UserID: "u", Password: "hidden-password", TenantID: "p", MaxRetries: 1})
	require.NoError(t, err)
	c.transport.base = answers
	return c
}

// FuzzAnswer: an error shows any answer of a service in short, in one line, and without secrets; and only the
// service's own 404 counts as one.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{novaGone, keystoneGone, glanceGone, octaviaGone, "", "{", "null", "<html>404</html>", `{"error": {"code": 404}}`,
		"hidden-password\x1b[2J\n\xff", "\xe2\x80\xae" + strings.Repeat("é", 2000)} {
		f.Add(uint16(404), "application/json", []byte(body))
		f.Add(uint16(200), "text/html; charset=\x80", []byte(body))
		f.Add(uint16(503), "", []byte(body))
	}
	f.Fuzz(func(t *testing.T, status uint16, contentType string, body []byte) {
		tr := &transport{secrets: []string{"hidden-password"}}
		resp, err := http.NewRequest(http.MethodGet, "http://cloud.example/", nil)
		require.NoError(t, err)
		trusted := hosts(nil).with("http://cloud.example/")
		tr.hosts.Store(&trusted)
		answer, _ := canned(func(*http.Request) (int, string, []byte) { return int(status), contentType, body }).RoundTrip(resp)
		failed := tr.check(resp, answer)
		var shown string
		if failed != nil {
			shown = failed.Error()
		} else if status/100 != 2 {
			all, _ := io.ReadAll(answer.Body)
			shown = string(all)
		}
		if len(shown) > shownRefusal+500 || text.Clean(shown) != shown || !utf8.ValidString(shown) || strings.Contains(shown, "hidden-password") {
			t.Errorf("shown: %q", shown)
		}
		if status == http.StatusNotFound && failed == nil {
			var fault map[string]struct{ Code int }
			if json.Unmarshal(body, &fault) != nil || len(fault) != 1 {
				t.Errorf("taken for Nova's own: %q", body)
			}
		}
	})
}

// FuzzCatalogue: any catalogue that comes with a token gives only endpoints that are trusted and have no
// password in their address, and no error shows a password.
func FuzzCatalogue(f *testing.F) {
	f.Add([]byte(goodCatalogue))
	for _, address := range []string{"http://nova:hidden@cloud.example/v2.1", "http://nova:hid%zzden@x", "//x", "", "http://[::1", "http://x/\\u0000",
		"file:///etc/passwd", "http://x:99999/v2.1/p"} {
		f.Add([]byte(fmt.Sprintf(`{"token": {"catalog": [{"type": "compute", "endpoints": [{"interface": "public", "region_id": "R", "url": "%s"}]}]}}`,
			address)))
	}
	for _, body := range []string{`{}`, `{"token": null}`, `{"token": {"catalog": [null]}}`,
		`{"token": {"catalog": [{"endpoints": [null, {"interface": 5}]}]}}`, `[]`, ``, `{"access": {}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c := invent(t, func(*http.Request) (int, string, []byte) { return http.StatusCreated, "application/json", body })
		s, err := c.session(t.Context())
		if err == nil && !json.Valid(body) {
			t.Errorf("logged in by %q", body)
		}
		if err != nil {
			return
		}
		for _, region := range append(s.computeRegions(), "R") {
			address, err := c.locate(s, computeOpts(region))
			if err != nil {
				if strings.Contains(err.Error(), "hidden") {
					t.Errorf("%v", err)
				}
				continue
			}
			u, err := url.Parse(address)
			if strings.Contains(address, "@") || err == nil && u.Host != "" && c.transport.hosts.Load().allow(u) != nil {
				t.Errorf("the endpoint %q is used", address)
			}
		}
	})
}

// FuzzHosts: an address that the configuration accepts can be requested, and no address with another scheme,
// host or port is trusted because of it.
func FuzzHosts(f *testing.F) {
	for _, pair := range [][2]string{{"https://a.example/v3", "https://a.example:443/x"}, {"http://a", "http://a:80"}, {"https://A", "https://a"},
		{"http://[::1]:5000", "http://[::1]:5000/"},
		{"https://a.example", "https://a.example@evil"}, {"https://a.example", "https://a.example.evil"}, {"https://a", "http://a"},
		{"https://a:1", "https://a:2"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, ours, other string) {
		if addressFault(ours) != "" {
			return
		}
		trusted := hosts(nil).with(ours)
		mine, err := url.Parse(ours)
		if err != nil || trusted.allow(mine) != nil {
			t.Fatalf("%q is taken, and not trusted: %v", ours, err)
		}
		theirs, err := url.Parse(other)
		if err != nil || trusted.allow(theirs) != nil {
			return
		}
		port := func(u *url.URL) string {
			if u.Port() != "" {
				return u.Port()
			}
			return map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		if theirs.Scheme != mine.Scheme || !strings.EqualFold(theirs.Hostname(), mine.Hostname()) || port(theirs) != port(mine) {
			t.Errorf("%q is trusted because of %q", other, ours)
		}
	})
}

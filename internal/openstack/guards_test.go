package openstack

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bodies with which the services say that something does not exist.
const (
	novaGone     = `{"itemNotFound": {"code": 404, "message": "Instance s could not be found."}}`
	keystoneGone = `{"error": {"code": 404, "message": "Could not find region: x.", "title": "Not Found"}}`
	glanceGone   = `{"message": "No image found with ID i<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"}`
	octaviaGone  = `{"faultcode": "Client", "faultstring": "Member m not found.", "debuginfo": null}`
	octaviaNone  = `{"code": 404, "title": "Bad Request", "description": "Pool p not found."}` // answer about a pool, before its members are looked at
)

// TestOwnNotFound: a 404 counts only if it has the form of the service that was asked.
func TestOwnNotFound(t *testing.T) {
	own := func(path, media, body string) bool {
		return ownWords(path, http.StatusNotFound, media, []byte(body)) != ""
	}
	services := map[string]string{
		"/v2.1/servers/s": novaGone, "/v3/regions": keystoneGone, "/v2/images/i": glanceGone,
		"/v2.0/lbaas/pools/p/members/m": octaviaGone,
	}
	for path := range services {
		for service, body := range services {
			assert.Equal(t, path == service, own(path, "application/json", body), "%s: the 404 of %s is its own", path, service)
			for _, media := range []string{"", "text/html", "application/problem+json", "application/json-home"} {
				assert.False(t, own(path, media, body), "%q: %q is taken for JSON", path, media)
			}
		}
		want := strings.Contains(path, "lbaas")
		assert.Equal(t, want, own(path, "application/json", octaviaNone), "%q: Octavia's other 404 is its own", path)
		for _, foreign := range []string{
			``, `null`, `[]`, `404`, `"Not Found"`, `{}`, `{"message": "no Route matched with those values"}`, `{"message": "Not Found"}`,
			`{"error": "Not Found"}`, `{"status": 404, "error": "Not Found", "path": "/v2.1/servers/s"}`, `{"code": 404, "message": "not found"}`,
			`{"kind": "Status", "status": "Failure", "code": 404, "message": "the server could not find the requested resource"}`,
			`{"title": "404 Not Found"}`, `{"type": "about:blank", "title": "Not Found", "status": 404}`, `{"itemNotFound": {"code": 404}}`,
			`{"itemNotFound": {"code": 410, "message": "x"}}`, `{"error": {"message": "x"}}`, novaGone[:len(novaGone)-1], novaGone + "{}",
		} {
			assert.False(t, own(path, "application/json", foreign), "%q: taken for its own: %s", path, foreign)
		}
	}
}

func notFound(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, text)
	}
}

// endless writes JSON that repeats a text until nobody reads it any more.
func endless(start, repeated string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, start)
		for chunk := []byte(strings.Repeat(repeated, 1<<16/len(repeated))); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}

// packed compresses an answer.
func packed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	fmt.Fprintf(z, `{"a": "%s"}`, strings.Repeat("0", largestAnswer))
	z.Close()
}

// refuses answers that a request is refused, in Nova's form.
func refuses(message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.WriteHeader(http.StatusBadRequest)
		quoted, _ := json.Marshal(message)
		fmt.Fprintf(w, `{"badRequest": {"code": 400, "message": %s}}`, quoted)
	}
}

// TestGuards: each row is a promise of SECURITY.md about answers of a cloud. No row shows the password, or the token.
func TestGuards(t *testing.T) {
	const token, password = "gAAAAABtoken", `p"<&é zq`
	elsewhere, strangers := serve(t, good)
	half := body("application/json", `{"half": 1`)
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		status  int    // status that is returned; 0 means an error
		says    string // the beginning of what is shown
		asked   int
	}{
		"Nova's own 404":        {[]http.HandlerFunc{notFound("application/json", novaGone)}, 404, "Instance s could not be found.", 1},
		"another's 404":         {[]http.HandlerFunc{notFound("text/html", password)}, 0, "answered 404 Not Found, and not in the service's own words (", 2},
		"another host":          {[]http.HandlerFunc{status(307, "Location", elsewhere+"/?token="+token)}, 0, "redirected from ", 2},
		"redirects without end": {[]http.HandlerFunc{status(307, "Location", "/again")}, 0, "stopped after 10 redirects", 10},
		"32 MiB":                {[]http.HandlerFunc{endless(`{"a": "`, "0")}, 0, "the answer is not read: it has more than 32768 KiB", 1},
		"32 MiB, packed":        {[]http.HandlerFunc{packed}, 0, "the answer is not read: it has more than 32768 KiB", 1},
		"20,000 items":          {[]http.HandlerFunc{endless(`{"servers": [{}`, ",{}")}, 0, "the answer is not read: it has more than 20000 items", 1},
		"items of an item": {[]http.HandlerFunc{endless(`{"servers": [{"tags": [""`, `,""`)},
			0, "the answer is not read: it has more than 20000 items", 1},
		"32 MiB of lists": {[]http.HandlerFunc{endless(`{"servers": [[]`, ",["+strings.Repeat("0,", 99)+"0]")},
			0, "the answer is not read: it has more than 1000000 items in all", 1},
		"a password":     {[]http.HandlerFunc{refuses("of " + password)}, 400, redacted, 1},
		"a long refusal": {[]http.HandlerFunc{refuses("\x1b[31mred\nline " + strings.Repeat("x", 5000))}, 400, `\x1b[31mred\nline xxx`, 1},
		"an endless refusal": {[]http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			endless("", "x")(w, r)
		}}, 400, "(more than 64 KiB of ", 1},
		"a 200 that breaks off":   {[]http.HandlerFunc{half, good}, 200, "{}", 2},
		"200s that all break off": {[]http.HandlerFunc{half}, 0, "the answer breaks off after 10 bytes", 2},
		"a part of a list":        {[]http.HandlerFunc{status(206, "Content-Type", "application/json")}, 0, "answered 206 Partial Content (", 1},
		"a page with a password":  {[]http.HandlerFunc{body("text/html", password)}, 0, "answered 200 OK, but not with JSON (9 bytes of text/html)", 1},
		"a refusal from a proxy":  {[]http.HandlerFunc{status(403, "Content-Type", token)}, 403, "(0 bytes of ", 1},
		"no JSON, from a quote on": {[]http.HandlerFunc{body("application/json", `{"a": 1"}`), good},
			0, "the answer is no JSON: ", 1},
		"an answer without words": {[]http.HandlerFunc{body("application/json", password)}, 0, "the answer is no JSON: ", 1},
	} {
		url, requests := serve(t, c.answers...)
		var before, after runtime.MemStats
		req, _ := http.NewRequestWithContext(t.Context(), "GET", url+"/servers/s", nil)
		req.Header.Set("X-Auth-Token", token)
		runtime.ReadMemStats(&before)
		resp, err := client(&transport{timeout: time.Minute, retries: 1, secrets: []string{password, ""}}, url).Do(req)
		runtime.ReadMemStats(&after)
		var shown string
		if failed, ok := errors.AsType[*neturl.Error](err); ok {
			shown = failed.Err.Error()
		} else if err == nil {
			all, _ := io.ReadAll(resp.Body)
			shown = string(all)
			assert.Equal(t, c.status, resp.StatusCode, name)
		}
		assert.Equal(t, c.status == 0, err != nil, "%s: %v", name, err)
		assert.Truef(t, strings.HasPrefix(shown, c.says), "%s: %.200q", name, shown)
		assert.NotContains(t, fmt.Sprint(err), token, name)
		if len(shown) > shownRefusal+100 || strings.ContainsAny(shown, "\x1b\n") || strings.Contains(shown, token) || strings.Contains(shown, password) {
			t.Errorf("%s: %q is shown", name, shown)
		}
		assert.EqualValues(t, c.asked, requests.Load(), "%s: requests", name)
		most := uint64(8 << 20)
		if strings.HasPrefix(name, "32 MiB") {
			most = 8 * largestAnswer
		}
		assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, most, "%s: bytes", name)
	}
	assert.Zero(t, strangers.Load(), "requests that another host got")
}

// TestAtMostSixteen: at most 16 requests run at the same time, and a request that waits stops as soon as it
// is cancelled.
func TestAtMostSixteen(t *testing.T) {
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	url, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		good(w, r)
	})
	c := client(&transport{}, url)
	ended := make(chan error, 100)
	for range 50 {
		go func() {
			_, err := c.Get(url)
			ended <- err
		}()
	}
	for range mostAtOnce {
		<-arrived
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	_, err := c.Do(req)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.EqualValues(t, mostAtOnce, requests.Load(), "requests at once")
	close(release)
	for range 50 {
		assert.NoError(t, <-ended)
	}
}

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
		u, err := neturl.Parse(address)
		require.NoError(t, err)
		assert.Equal(t, want, h.allow(u) == nil, address)
	}
	assert.Error(t, hosts(nil).allow(&neturl.URL{Scheme: "https", Host: "cloud.example"}), "where nothing is named, nothing is trusted")
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

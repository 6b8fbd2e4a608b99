package openstack

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gophercloud/gophercloud/v2"
)

// How the services say that something is not there.
const (
	novaGone     = `{"itemNotFound": {"code": 404, "message": "Instance s could not be found."}}`
	keystoneGone = `{"error": {"code": 404, "message": "Could not find region: x.", "title": "Not Found"}}`
	glanceGone   = `{"message": "No image found with ID i<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"}`
	zaqarGone    = `{"title": "Not found", "description": "Message m does not exist in queue q for project p"}`
	octaviaGone  = `{"faultcode": "Client", "faultstring": "Member m not found.", "debuginfo": null}`
	octaviaNone  = `{"code": 404, "title": "Bad Request", "description": "Pool p not found."}` // of a pool, before its members are looked at
)

func TestOwnNotFound(t *testing.T) {
	own := map[string]string{"compute": novaGone, "identity": keystoneGone, "image": glanceGone, "messaging": zaqarGone, "load-balancer": octaviaGone}
	for _, kind := range []string{"compute", "compute_legacy", "identity", "image", "message", "messaging", "load-balancer", "load-balancing", ""} {
		for service, body := range own {
			want := kind == "" || strings.HasPrefix(kind, service[:min(len(service), len("messag")-1)])
			if got := ownNotFound(kind, "application/json; charset=UTF-8", []byte(body)); got != want {
				t.Errorf("%q: %s's 404 is its own: %t", kind, service, got)
			}
		}
		if got, want := ownNotFound(kind, "application/json", []byte(octaviaNone)), kind == "" || strings.HasPrefix(kind, "messag") || strings.HasPrefix(kind, "load"); got != want {
			t.Errorf("%q: Octavia's other 404 is its own: %t", kind, got)
		}
		for _, foreign := range []string{
			``, `null`, `[]`, `404`, `"Not Found"`, `{}`, `{"message": "no Route matched with those values"}`, `{"message": "Not Found"}`,
			`{"error": "Not Found"}`, `{"status": 404, "error": "Not Found", "path": "/v2.1/servers/s"}`, `{"code": 404, "message": "not found"}`,
			`{"kind": "Status", "status": "Failure", "code": 404, "message": "the server could not find the requested resource"}`,
			`{"title": "404 Not Found"}`, `{"type": "about:blank", "title": "Not Found", "status": 404}`, `{"itemNotFound": {"code": 404}}`,
			`{"itemNotFound": {"code": 410, "message": "x"}}`, `{"error": {"message": "x"}}`, novaGone[:len(novaGone)-1], novaGone + "{}",
		} {
			if ownNotFound(kind, "application/json", []byte(foreign)) {
				t.Errorf("%q: taken for its own: %s", kind, foreign)
			}
		}
		for _, media := range []string{"", "text/html", "text/plain; charset=json", "application/problem+json", ";", "application/json-home"} {
			for _, body := range own {
				if ownNotFound(kind, media, []byte(body)) {
					t.Errorf("%q: %q is taken for JSON", kind, media)
				}
			}
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

// TestForeignNotFound: a 404 of something in between is no 404. It is asked
// for again as often as the configuration allows, where that is safe.
func TestForeignNotFound(t *testing.T) {
	page := notFound("text/html", "<html><h1>404 Not Found</h1></html>")
	own := notFound("application/json", novaGone)
	for _, c := range []struct {
		method   string
		answers  []http.HandlerFunc
		requests int64
		status   int // 0: an error
	}{
		{"GET", []http.HandlerFunc{page}, 3, 0},
		{"GET", []http.HandlerFunc{page, good}, 2, 200},
		{"GET", []http.HandlerFunc{page, own}, 2, 404},
		{"DELETE", []http.HandlerFunc{page, own}, 2, 404},
		{"POST", []http.HandlerFunc{page, good}, 1, 0},
		{"GET", []http.HandlerFunc{own, good}, 1, 404},
		{"GET", []http.HandlerFunc{notFound("application/json", `{"message": "no Route matched with those values"}`), good}, 2, 200},
	} {
		url, requests := serve(t, c.answers...)
		req, _ := http.NewRequestWithContext(t.Context(), c.method, url+"/servers/s", strings.NewReader("{}"))
		resp, err := client(&transport{retries: 2}, url).Do(req)
		if c.status == 0 {
			foreign, ok := errors.AsType[*ForeignError](err)
			if !ok || foreign.Code != 404 || !strings.Contains(err.Error(), "<h1>404 Not Found") || !strings.Contains(err.Error(), "not known whether it is gone") {
				t.Errorf("%s: got %v", c.method, err)
			}
		} else if err != nil || resp.StatusCode != c.status {
			t.Errorf("%s: got %v, %v, want %d", c.method, resp, err, c.status)
		}
		if got := requests.Load(); got != c.requests {
			t.Errorf("%s: %d requests, want %d", c.method, got, c.requests)
		}
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			t.Errorf("%s: taken for gone: %v", c.method, err)
		}
	}
}

func isBound(err error) bool {
	_, ok := errors.AsType[*BoundError](err)
	return ok
}

// zeros are a good JSON object of n bytes.
func zeros(w io.Writer, n int64) {
	fmt.Fprint(w, `{"a": "`)
	chunk := []byte(strings.Repeat("0", 1<<16))
	for ; n > 0; n -= int64(len(chunk)) {
		if _, err := w.Write(chunk[:min(n, int64(len(chunk)))]); err != nil {
			return
		}
	}
	fmt.Fprint(w, `"}`)
}

// TestHugeAnswers: what is larger than any answer is not read to its end, packed
// or not, and is not asked for again.
func TestHugeAnswers(t *testing.T) {
	huge := func(status int, packed, announced bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if announced {
				w.Header().Set("Content-Length", fmt.Sprint(int64(1)<<32))
			}
			if !packed {
				w.WriteHeader(status)
				zeros(w, 1<<32)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(status)
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			zeros(z, other.bytes+1<<20)
			z.Close()
		}
	}
	var before, after runtime.MemStats
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		fails  bool
		most   uint64 // bytes allocated
	}{
		"announced":          {huge(200, false, true), true, 1 << 20},
		"packed":             {huge(200, true, false), true, uint64(4 * other.bytes)},
		"a refusal":          {huge(500, false, false), false, 4 << 20},
		"a refusal, packed":  {huge(404, true, false), true, 8 << 20},
		"announced refusal":  {huge(503, false, true), false, 4 << 20},
		"endless login page": {huge(401, true, false), false, 8 << 20},
	} {
		url, requests := serve(t, c.answer)
		runtime.ReadMemStats(&before)
		resp, err := client(&transport{retries: 0}, url).Get(url)
		runtime.ReadMemStats(&after)
		if c.fails != (err != nil) {
			t.Errorf("%s: got %v, %v", name, resp, err)
		}
		if err == nil {
			if body, _ := io.ReadAll(resp.Body); len(body) > shownRefusal+100 {
				t.Errorf("%s: %d bytes", name, len(body))
			}
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > c.most+32<<20 { // the server is in this process too
			t.Errorf("%s: %d MiB were allocated", name, used>>20)
		}
		if requests.Load() != 1 {
			t.Errorf("%s: %d requests", name, requests.Load())
		}
	}
	url, requests := serve(t, huge(200, false, true))
	if _, err := client(&transport{retries: 3}, url).Get(url); !isBound(err) || requests.Load() != 1 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
}

// TestRefusalIsShown: of the body of an error about 1 KiB is left, in one line
// without control characters, and without the secrets that it repeats.
func TestRefusalIsShown(t *testing.T) {
	const token, password = "gAAAAABtoken", `p"<&é zq`
	long := strings.Repeat("x", 5000)
	for _, body := range []string{
		"\x1b[31mred\x1b[0m\nnew line " + long,
		`{"auth": {"password": "p\"<&é zq", "token": "gAAAAABtoken"}} ` + long,
		`{"password": "p\"\u003c\u0026é zq"}`, `{"password": "p\"<&\u00e9 zq"}`, `?password=p%22%3C%26%C3%A9+zq&x`, `/p%22%3C&%C3%A9%20zq/`, password + " " + token,
	} {
		url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, body)
		})
		req, _ := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		req.Header.Set("X-Auth-Token", token)
		resp, err := client(&transport{secrets: []string{password, ""}}, url).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		shown := string(text)
		if len(shown) > 1100 || strings.ContainsAny(shown, "\x1b\n") || strings.Contains(shown, "gAAAAAB") || strings.Contains(shown, "zq") {
			t.Errorf("%q is shown as %q", body, shown)
		}
	}
}

// TestForeignAnswerIsShown: nor has the error about a page in place of JSON any.
func TestForeignAnswerIsShown(t *testing.T) {
	for _, code := range []int{200, 404} {
		url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; a=\"\x80hidden-token\"")
			w.WriteHeader(code)
			fmt.Fprint(w, "<p>\x1b[2J\nhidden-token hidden-password")
		})
		req, _ := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		req.Header.Set("X-Auth-Token", "hidden-token")
		_, err := client(&transport{secrets: []string{"hidden-password"}}, url).Do(req)
		if err == nil || strings.Contains(err.Error(), "hidden") || strings.ContainsAny(err.Error(), "\x1b\n") || !utf8.ValidString(err.Error()) || !strings.Contains(err.Error(), "<p>") {
			t.Errorf("%d: got %v", code, err)
		}
	}
}

// TestAtMostSixteen: so many requests are under way at once, and who waits for
// his turn stops as soon as he is cancelled.
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
	if _, err := c.Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if n := requests.Load(); n != mostAtOnce {
		t.Errorf("%d requests at once", n)
	}
	close(release)
	for range 50 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestNoPartOfASecret: what is cut has no part of a secret at its end, whatever
// the status, the length and the form of the body.
func TestNoPartOfASecret(t *testing.T) {
	token := strings.Repeat("gAAAAABtoken-0123456789-", 60)
	for _, status := range []int{200, 201, 202, 203, 206, 299, 300, 400, 404, 500} {
		for _, media := range []string{"application/json", "text/html", ""} {
			for _, body := range []string{
				strings.Repeat(token, 100), strings.Repeat("x", 150) + token, strings.Repeat("x", 1000) + token,
				strings.Repeat("x", largestRefusal-700) + token, `{"token": "` + token + `"}`, `{"a": 1} ` + token,
			} {
				url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", media)
					w.WriteHeader(status)
					fmt.Fprint(w, body)
				})
				req, _ := http.NewRequestWithContext(t.Context(), "GET", url+"/servers/s", nil)
				req.Header.Set("X-Auth-Token", token)
				resp, err := client(&transport{}, url).Do(req)
				shown := fmt.Sprint(err)
				if err == nil {
					text, _ := io.ReadAll(resp.Body)
					shown = string(text)
				}
				if strings.Contains(shown, "gAAAAAB") || strings.Contains(shown, "0123456789-") || len(shown) > shownRefusal+100 {
					t.Errorf("%d, %q, %.30q of %d bytes: %.300q", status, media, body, len(body), shown)
				}
			}
		}
	}
}

// TestDeadline: a page is not decoded for longer than a request may take.
func TestDeadline(t *testing.T) {
	c := invent(t, func(r *http.Request) (int, string, []byte) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/auth/tokens"):
			return http.StatusCreated, "application/json", []byte(goodCatalogue)
		case r.URL.Path == "/compute/v2.1/":
			return http.StatusOK, "application/json", []byte(`{"version": {"id": "v2.1", "version": "2.96"}}`)
		}
		return http.StatusOK, "application/json", []byte(`{"servers": [{"id": "s"}]}`)
	})
	compute, err := c.Compute(t.Context(), "R")
	if err != nil {
		t.Fatal(err)
	}
	c.transport.timeout = time.Nanosecond
	c.transport.base = late{c.transport.base}
	if _, err = (Server{Compute: compute, ID: "s"}).Exists(t.Context()); !errors.Is(err, errSlow) {
		t.Errorf("got %v", err)
	}
}

// late answers whatever the context says, as a body does that was in a buffer.
type late struct{ http.RoundTripper }

func (l late) RoundTrip(r *http.Request) (*http.Response, error) {
	return l.RoundTripper.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
}

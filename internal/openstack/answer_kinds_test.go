package openstack

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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
		want := strings.Contains(path, "queues") || strings.Contains(path, "lbaas")
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

func isBound(err error) bool {
	answer, ok := errors.AsType[*AnswerError](err)
	return ok && strings.Contains(answer.said, "a real one has far less")
}

// zeros writes a valid JSON object of n bytes.
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

// TestHugeAnswers: an answer that is too large is not read to its end, compressed or not, and is not
// requested again.
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
			zeros(z, largestAnswer+1<<20)
			z.Close()
		}
	}
	var before, after runtime.MemStats
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		fails  bool
		most   uint64 // maximum number of bytes allocated
	}{
		"announced":          {huge(200, false, true), true, 1 << 20},
		"packed":             {huge(200, true, false), true, 4 * largestAnswer},
		"a refusal":          {huge(500, false, false), false, 4 << 20},
		"a refusal, packed":  {huge(404, true, false), true, 8 << 20},
		"announced refusal":  {huge(503, false, true), false, 4 << 20},
		"endless login page": {huge(401, true, false), false, 8 << 20},
	} {
		url, requests := serve(t, c.answer)
		runtime.ReadMemStats(&before)
		resp, err := client(&transport{retries: 0}, url).Get(url)
		runtime.ReadMemStats(&after)
		assert.Equal(t, c.fails, err != nil, "%s: %v, %v", name, resp, err)
		if err == nil {
			body, _ := io.ReadAll(resp.Body)
			assert.LessOrEqual(t, len(body), shownRefusal+100, "%s: bytes", name)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > c.most+32<<20 { // the server allocates in this process too
			t.Errorf("%s: %d MiB were allocated", name, used>>20)
		}
		assert.EqualValues(t, 1, requests.Load(), "%s: requests", name)
	}
	url, requests := serve(t, huge(200, false, true))
	if _, err := client(&transport{retries: 3}, url).Get(url); !isBound(err) || requests.Load() != 1 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
}

// TestRefusalIsShown: an error shows about 1 KiB of a service's own words, in one line without control
// characters, and without the secrets that the words repeat.
func TestRefusalIsShown(t *testing.T) {
	const token, password = "gAAAAABtoken", `p"<&é zq`
	for _, c := range []struct{ said, want string }{
		{"\x1b[31mred\x1b[0m\nnew line " + strings.Repeat("x", 5000), `\x1b[31mred\x1b[0m\nnew line xxx`},
		{`?password=p%22%3C%26%C3%A9+zq&x`, "("},
		{password + " " + token, redacted},
		{strings.Repeat("x", 1020) + token, "("},
	} {
		message, _ := json.Marshal(c.said)
		url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"badRequest": {"code": 400, "message": %s}}`, message)
		})
		req, _ := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		req.Header.Set("X-Auth-Token", token)
		resp, err := client(&transport{secrets: []string{password, ""}}, url).Do(req)
		require.NoError(t, err)
		text, _ := io.ReadAll(resp.Body)
		shown := string(text)
		if len(shown) > 1100 || !strings.HasPrefix(shown, c.want) || strings.ContainsAny(shown, "\x1b\n") || strings.Contains(shown, "gAAAAAB") {
			t.Errorf("%q is shown as %q, want %q", c.said, shown, c.want)
		}
	}
}

// TestNothingForeignIsShown: an error shows only the length of an answer that is not from OpenStack, so it
// shows no secret, however encoded.
func TestNothingForeignIsShown(t *testing.T) {
	get := func(answer http.HandlerFunc) string {
		url, _ := serve(t, answer)
		var logged string
		tr := &transport{log: func(_ context.Context, _ string, fields map[string]any) {
			delete(fields, "milliseconds")
			logged = fmt.Sprint(fields)
		}}
		resp, err := client(tr, url).Get(url + "/servers/s")
		if err == nil {
			body, _ := io.ReadAll(resp.Body)
			logged += string(body)
		}
		return strings.ReplaceAll(fmt.Sprint(err, logged), url, "")
	}
	for _, status := range []int{200, 201, 204, 206, 299, 300, 400, 401, 403, 404, 500, 503} {
		for _, media := range []string{"application/json", "text/html", "application/x-", ""} {
			for _, body := range []string{"cGFzc3dvcmQ=", `{"debug": "p&#64;ss"}`, `{"error": {"message": "p%40ss"}}`,
				strings.Repeat("x", largestRefusal) + "7061"} {
				answer := func(body, extra string) http.HandlerFunc {
					return func(w http.ResponseWriter, _ *http.Request) {
						w.Header()["Content-Type"] = nil // no media type, and no guessed one either
						if media != "" {
							w.Header().Set("Content-Type", strings.ReplaceAll(media, "x-", extra)+"; a="+extra)
						}
						w.Header().Set("X-Openstack-Request-Id", extra)
						w.WriteHeader(status)
						fmt.Fprint(w, body)
					}
				}
				if status == http.StatusOK && media == "application/json" {
					continue // this is a media type of OpenStack
				}
				got, want := get(answer(body, "cGFzc3dvcmQ")), get(answer(strings.Repeat("x", len(body)), "xxxxxxxxxxx"))
				if got != want || status != http.StatusNoContent && !strings.Contains(got, "bytes of ") && !strings.Contains(got, "KiB of ") {
					t.Errorf("%d, %q, %.30q: shown as\n%s\nand another as\n%s", status, media, body, got, want)
				}
			}
		}
	}
	for _, raw := range []string{
		"HTTP/1.1 cGFzc3dvcmQ", "cGFzc3dvcmQ", "HTTP/1.1 200 OK\r\ncGFzc3dvcmQ", "HTTP/1.1 200 OK\r\nTransfer-Encoding: cGFzc3dvcmQ",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: cGFzc3dvcmQ",
		"HTTP/1.1 200 OK\r\nContent-Length: cGFzc3dvcmQ", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: cGFzc3dvcmQ",
		"HTTP/1.1 503 cGFzc3dvcmQ\r\nContent-Length: 0",
	} {
		got := get(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, raw+"\r\n\r\n")
		})
		assert.NotContains(t, got, "cGFzc3dvcmQ", "how %q is shown", raw)
	}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", "/", nil)
	got := new(transport).redacted(req, errors.New(`http2: server sent GOAWAY; debug="cGFzc3dvcmQ"`))
	assert.NotContains(t, got.Error(), "cGF")
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

package openstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/proxied"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serve answers requests with the handlers in turn, the last one for ever.
func serve(t *testing.T, answers ...http.HandlerFunc) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		answers[min(int(n), len(answers))-1](w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func status(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

func body(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, text)
	}
}

var good = body("application/json", `{}`)

// broken announces more bytes than it sends, and closes the connection.
func broken(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, `{"half": `)
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// refuse resets the connection in a way that the client notices.
func refuse(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// client makes a client that may send requests to the host of the address.
func client(t *transport, address string) *http.Client {
	t.base = http.DefaultTransport.(*http.Transport).Clone()
	if t.timeout == 0 {
		t.timeout = 10 * time.Second
	}
	t.slots, t.large = make(chan struct{}, mostAtOnce), make(chan struct{}, 1)
	trusted := hosts(nil).with(address)
	t.hosts.Store(&trusted)
	return &http.Client{Transport: t}
}

// TestRepeats: a request that may be repeated is repeated, as often as the configuration allows and with its
// whole body. A 404 of a proxy in between means that the result is not known.
func TestRepeats(t *testing.T) {
	busy := status(http.StatusTooManyRequests, "Retry-After", "0")
	unavailable := status(http.StatusServiceUnavailable, "Retry-After", "0")
	failing := status(http.StatusInternalServerError, "Retry-After", "0")
	half := body("application/json", `{"half": 1`)
	page := notFound("text/html", "<html><h1>404 Not Found</h1></html>")
	gone := notFound("application/json", novaGone)
	const foreign = "words (35 bytes of text/html)"
	for _, c := range []struct {
		name     string
		method   string
		path     string
		retries  int
		answers  []http.HandlerFunc
		requests int
		fails    string // part of the error; "" if a status is returned
		status   int
	}{
		{"no retries are asked for", "GET", "/", 0, []http.HandlerFunc{unavailable, good}, 1, "", 503},
		{"503 of a GET", "GET", "/", 3, []http.HandlerFunc{unavailable, unavailable, good}, 3, "", 200},
		{"500 of a GET", "GET", "/", 1, []http.HandlerFunc{failing, good}, 2, "", 200},
		{"tries are bounded", "GET", "/", 2, []http.HandlerFunc{unavailable}, 3, "", 503},
		{"a body that always breaks off", "GET", "/", 1, []http.HandlerFunc{broken}, 2, "breaks off after 9 bytes", 0},
		{"half of the answer to a POST", "POST", "/servers", 1, []http.HandlerFunc{half}, 1, "breaks off after 10 bytes", 0},
		{"a reset connection", "GET", "/", 1, []http.HandlerFunc{reset, good}, 2, "", 200},
		{"a DELETE may be repeated", "DELETE", "/", 1, []http.HandlerFunc{reset, status(204)}, 2, "", 204},
		{"a POST may not be repeated", "POST", "/servers", 3, []http.HandlerFunc{reset, good}, 1, "EOF", 0},
		{"a POST whose connection is reset", "POST", "/servers", 3, []http.HandlerFunc{refuse, good}, 1, "connection reset", 0},
		{"503 of a POST", "POST", "/servers", 3, []http.HandlerFunc{unavailable, good}, 1, "", 503},
		{"429 of a POST", "POST", "/servers", 1, []http.HandlerFunc{busy, good}, 2, "", 200},
		{"413 of a POST, with a time to wait", "POST", "/servers", 1, []http.HandlerFunc{status(413, "Retry-After", "0"), good}, 2, "", 200},
		{"413 without a time to wait", "GET", "/", 1, []http.HandlerFunc{status(413), good}, 1, "", 413},
		{"503 of a login", "POST", "/v3/auth/tokens", 1, []http.HandlerFunc{unavailable, status(201)}, 2, "", 201},
		{"429 without retries names max_retries", "GET", "/", 0, []http.HandlerFunc{busy}, 1, "", 429},
		{"400 is an answer", "GET", "/", 3, []http.HandlerFunc{status(400), good}, 1, "", 400},
		{"a 404 of Nova", "GET", "/servers/s", 2, []http.HandlerFunc{gone, good}, 1, "", 404},
		{"a 404 of a proxy", "GET", "/servers/s", 2, []http.HandlerFunc{page}, 3, foreign, 0},
		{"a 404 of a proxy, once", "GET", "/servers/s", 2, []http.HandlerFunc{page, good}, 2, "", 200},
		{"a 404 of a proxy, then of Nova", "GET", "/servers/s", 2, []http.HandlerFunc{page, gone}, 2, "", 404},
		{"a 404 of a proxy, then of Nova, of a DELETE", "DELETE", "/servers/s", 2, []http.HandlerFunc{page, gone}, 2, "", 404},
		{"a 404 of a proxy, of a POST", "POST", "/servers/s", 2, []http.HandlerFunc{page, good}, 1, foreign, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var bodies []string
			url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				text, _ := io.ReadAll(r.Body)
				mu.Lock()
				bodies = append(bodies, string(text))
				answer := c.answers[min(len(bodies), len(c.answers))-1]
				mu.Unlock()
				answer(w, r)
			})
			req, _ := http.NewRequestWithContext(t.Context(), c.method, url+c.path, strings.NewReader(`{"a":1}`))
			resp, err := client(&transport{retries: c.retries}, url).Do(req)
			switch {
			case c.fails != "":
				assert.ErrorContains(t, err, c.fails)
			case err != nil || resp.StatusCode != c.status:
				t.Errorf("got %v, %v, want status %d", resp, err, c.status)
			case c.status == http.StatusTooManyRequests:
				text, _ := io.ReadAll(resp.Body)
				assert.Contains(t, string(text), "max_retries in the provider block is 0")
			}
			mu.Lock()
			defer mu.Unlock()
			assert.Equal(t, slices.Repeat([]string{`{"a":1}`}, c.requests), bodies, "the bodies of the requests")
			if c.fails == foreign {
				failed, ok := errors.AsType[*AnswerError](err)
				if !ok || failed.Code != 404 || gophercloud.ResponseCodeIs(err, 404) || !strings.Contains(err.Error(), "not known whether it is gone") {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

// TestUnsentPostIsRepeated: a POST that was never sent, because there was no connection, is sent again; one
// that was sent is not.
func TestUnsentPostIsRepeated(t *testing.T) {
	url, requests := serve(t, good)
	closed := httptest.NewServer(nil)
	closed.Close()
	dials := 0
	c := client(&transport{retries: 1}, url)
	c.Transport.(*transport).base.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials++; dials == 1 {
			address = closed.Listener.Addr().String()
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	resp, err := c.Post(url+"/servers", "application/json", strings.NewReader(`{"a":1}`))
	if err != nil || resp.StatusCode != http.StatusOK || dials != 2 || requests.Load() != 1 {
		t.Errorf("got %v, %v after %d connections and %d requests", resp, err, dials, requests.Load())
	}
}

// TestSecond401: a request whose token is refused is sent once more, with a new token, and a second 401 is
// final.
func TestSecond401(t *testing.T) {
	var tokens []string
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("X-Auth-Token"))
		w.WriteHeader(http.StatusUnauthorized)
	})
	logins := 0
	relogin := func(context.Context, string) (string, error) {
		if logins++; logins > 1 {
			return "", errors.New("asked for a second new token")
		}
		return "fresh", nil
	}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	req.Header.Set("X-Auth-Token", "expired")
	resp, err := client(&transport{retries: 3, relogin: relogin}, url).Do(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !slices.Equal(tokens, []string{"expired", "fresh"}) {
		t.Errorf("got %v, %v with the tokens %q", resp, err, tokens)
	}
}

func TestPause(t *testing.T) {
	after := func(value string) *http.Response {
		return &http.Response{Header: http.Header{"Retry-After": {value}}}
	}
	for _, c := range []struct {
		try         int
		resp        *http.Response
		least, most time.Duration
	}{
		{0, nil, firstWait / 2, firstWait},
		{1, nil, firstWait, 2 * firstWait},
		{2, nil, 2 * firstWait, 4 * firstWait},
		{60, nil, longestWait / 2, longestWait},
		{0, after("7"), 7 * time.Second, 7 * time.Second},
		{0, after("86400"), longestWait, longestWait},
		{0, after(time.Now().Add(10 * time.Second).UTC().Format(http.TimeFormat)), 8 * time.Second, 10 * time.Second},
		{0, after(time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)), 0, 0},
		{0, after("soon"), firstWait / 2, firstWait},
		{0, after("-3"), firstWait / 2, firstWait},
	} {
		for range 20 {
			if got := pause(c.try, c.resp); got < c.least || got > c.most {
				t.Errorf("try %d, %v: %s is outside %s to %s", c.try, c.resp, got, c.least, c.most)
			}
		}
	}
}

// TestHang: a request is given up if the server never answers, or stops in the middle of an answer.
// Cancelling ends the wait at once, also between tries.
func TestHang(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	stall := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "{")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, answer := range map[string]http.HandlerFunc{"no answer": hang, "half an answer": stall} {
		url, _ := serve(t, answer)
		_, err := client(&transport{timeout: 50 * time.Millisecond}, url).Get(url)
		assert.ErrorContains(t, err, "no answer within 50ms", name)
	}
	for name, answer := range map[string]http.HandlerFunc{"no answer": hang, "wait": status(503, "Retry-After", "30")} {
		url, _ := serve(t, answer)
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stopped by the user")
		time.AfterFunc(50*time.Millisecond, func() { cancel(stop) })
		req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
		start := time.Now()
		_, err := client(&transport{retries: 5, timeout: time.Hour}, url).Do(req)
		if !errors.Is(err, stop) || time.Since(start) > 20*time.Second { // the server asks for 30 seconds
			t.Errorf("%s: got %v after %s", name, err, time.Since(start))
		}
	}
}

// TestHangOfHops: the timeout of a request counts once, however often it is redirected.
func TestHangOfHops(t *testing.T) {
	var hops atomic.Int32
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hops.Add(1)
		select {
		case <-time.After(200 * time.Millisecond):
			http.Redirect(w, r, "/again", http.StatusFound)
		case <-r.Context().Done():
		}
	})
	_, err := client(&transport{timeout: 500 * time.Millisecond}, url).Get(url)
	assert.ErrorContains(t, err, "no answer within 500ms")
	assert.LessOrEqual(t, hops.Load(), int32(3))
}

// TestRedirects: a redirect on the same host is followed, and none to another host, to which a 307 would send the
// password of a login.
func TestRedirects(t *testing.T) {
	elsewhere, strangers := serve(t, good)
	url, _ := serve(t, status(http.StatusTemporaryRedirect, "Location", "/near"), status(http.StatusTemporaryRedirect, "Location", elsewhere))
	_, err := client(&transport{}, url).Post(url, "application/json", strings.NewReader(`{"password": "secret"}`))
	assert.ErrorContains(t, err, `/near": redirected from `+url+" to "+elsewhere+": credentials are not sent to another host")
	assert.NotContains(t, fmt.Sprint(err), "secret")
	assert.Zero(t, strangers.Load(), "requests that the other host got")
}

// TestLogTellsNoSecret: the log has one line for each request, without headers and bodies.
func TestLogTellsNoSecret(t *testing.T) {
	url, _ := serve(t, status(503, "Retry-After", "0"), body("application/json", `{"token": "hidden-answer"}`))
	var lines []string
	tr := &transport{retries: 1, log: func(_ context.Context, message string, fields map[string]any) {
		lines = append(lines, fmt.Sprint(message, fields))
	}}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", strings.Replace(url, "//", "//user:hidden-password@", 1), strings.NewReader("hidden-body"))
	req.Header.Set("X-Auth-Token", "hidden-token")
	_, err := client(tr, url).Do(req)
	require.NoError(t, err)
	text := strings.Join(lines, "\n")
	if len(lines) != 2 || !strings.Contains(text, "status:503") || !strings.Contains(text, "status:200") || strings.Contains(text, "hidden") {
		t.Errorf("got %s", text)
	}
}

// TestProxy: requests to OpenStack go through the proxy of the environment, also over http, except to the
// hosts of NO_PROXY, as requests of terraform-provider-openstack do.
func TestProxy(t *testing.T) {
	for address, want := range map[string][]string{
		"https://keystone.invalid": {"CONNECT keystone.invalid:443"},
		"http://keystone.invalid":  {"POST http://keystone.invalid/v3/auth/tokens"},
		"http://inside.invalid":    nil,
	} {
		t.Run(address, func(t *testing.T) {
			assert.Equal(t, want, proxied.Seen(t, func() {
				cloud, err := New(Config{AuthURL: address + "/v3", UserID: "ann", Password: "p", TenantID: "p"})
				if err == nil {
					err = cloud.Login(t.Context())
				}
				assert.Error(t, err, "the proxy logged us in")
			}, "NO_PROXY=inside.invalid"))
		})
	}
}

package hook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// consumer answers requests with the handlers in turn, the last one for ever,
// and keeps what it got.
type consumer struct {
	mu      sync.Mutex
	got     []string // method, path, query
	bodies  []string
	answers []http.HandlerFunc
}

func (c *consumer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	c.got = append(c.got, r.Method+" "+r.URL.RequestURI())
	c.bodies = append(c.bodies, string(body))
	answer := c.answers[min(len(c.got), len(c.answers))-1]
	c.mu.Unlock()
	answer(w, r)
}

func answer(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// hookAt is a webhook that does not wait long.
func hookAt(t *testing.T, address string) Hook {
	t.Helper()
	spec := Spec{Type: "webhook", Arguments: map[string][]string{"url": {address}}}
	w, err := spec.make(&Runner{HTTP: NewClient(nil, time.Minute), UserAgent: "agent/1", pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWebhook(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc
		got     string
		err     string
	}{
		{"done at once", []http.HandlerFunc{answer(200)}, "POST /hook?key=secret", ""},
		{"done without words", []http.HandlerFunc{answer(204)}, "POST /hook?key=secret", ""},
		{"drains, and tells where to ask", []http.HandlerFunc{answer(202, "Location", "/jobs/7"), answer(202), answer(200)},
			"POST /hook?key=secret, GET /jobs/7, GET /hook?key=secret&lifecycle_action_token=t-1", ""},
		{"drains, and is asked again", []http.HandlerFunc{answer(202), answer(202), answer(200)},
			"POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1, GET /hook?key=secret&lifecycle_action_token=t-1", ""},
		{"fails for now", []http.HandlerFunc{answer(503), answer(429), answer(200)}, "POST /hook?key=secret, POST /hook?key=secret, POST /hook?key=secret", ""},
		{"loses the connection", []http.HandlerFunc{reset, answer(200)}, "POST /hook?key=secret, POST /hook?key=secret", ""},
		{"refuses", []http.HandlerFunc{answer(403)}, "POST /hook?key=secret", "answered 403 Forbidden"},
		{"forgets what it drains", []http.HandlerFunc{answer(202), answer(404)}, "POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1", "answered 404 Not Found"},
		{"redirects", []http.HandlerFunc{answer(307, "Location", "https://elsewhere.example/hook")}, "POST /hook?key=secret",
			"answered 307 Temporary Redirect, a redirect to elsewhere.example, which is not followed: give the final address"},
		{"sends to nowhere", []http.HandlerFunc{answer(202, "Location", "ftp://elsewhere.example/")}, "POST /hook?key=secret", "gave a Location that is not asked: it is at ftp://elsewhere.example"},
		{"always drains", []http.HandlerFunc{answer(202)}, "", "last answered 202 Accepted"},
		{"always fails", []http.HandlerFunc{answer(500)}, "", "last answered 500 Internal Server Error"},
		{"never answers", []http.HandlerFunc{silent}, "POST /hook?key=secret", "could not be reached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			consumer := &consumer{answers: c.answers}
			url := httptest.NewServer(consumer)
			defer url.Close()
			defer url.CloseClientConnections()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("too late"))
			defer cancel()
			w := hookAt(t, url.URL+"/hook?key=secret")
			m := Message{Token: "t-1", NodeID: "n-1", Transition: Termination, Region: "R", NodeName: "web-1", Cluster: "web"}
			err := w.Run(ctx, m, &Progress{})
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("got %v, want %q", err, c.err)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "t-1")) {
				t.Errorf("the error tells a secret: %v", err)
			}
			consumer.mu.Lock()
			defer consumer.mu.Unlock()
			if got := strings.Join(consumer.got, ", "); c.got != "" && got != c.got {
				t.Errorf("got %s, want %s", got, c.got)
			}
			var sent Message
			if err := json.Unmarshal([]byte(consumer.bodies[0]), &sent); err != nil || sent != m {
				t.Errorf("sent %s", consumer.bodies[0])
			}
		})
	}
}

// TestWebhookUnreachable: nobody listens, until the time is over.
func TestWebhookUnreachable(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("too late"))
	defer cancel()
	w := hookAt(t, server.URL+"/hook?key=secret")
	err := w.Run(ctx, Message{}, &Progress{})
	if err == nil || !strings.Contains(err.Error(), "too late; the webhook at 127.0.0.1") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

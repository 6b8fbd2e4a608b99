package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReason: no address is shown, which may have a secret in it, nor the words
// that net/http puts before an alert at some moments.
func TestReason(t *testing.T) {
	alert := &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}
	failed := errors.New("connect: connection refused")
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 1}, Err: failed}
	for want, err := range map[string]error{
		"remote error: tls: certificate required": fmt.Errorf("readLoopPeekFailLocked: %w", alert),
		"connect: connection refused":             refused,
		`EOF\x1b[31m`:                             errors.New("EOF\x1b[31m"),
	} {
		assert.Equal(t, want, Reason(&url.Error{Op: "Post", URL: "https://x/?key=secret", Err: err}))
	}
}

// TestClient: a redirect is not followed, and its host is named.
func TestClient(t *testing.T) {
	s := httptest.NewServer(http.RedirectHandler("http://elsewhere.example/?key=secret", http.StatusFound))
	defer s.Close()
	answer, err := NewClient(nil, time.Minute).Get(s.URL)
	require.NoError(t, err)
	answer.Body.Close()
	const want = "302 Found, a redirect to elsewhere.example, which is not followed"
	assert.Equal(t, want, Status(answer)+Redirect(answer))
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"https://Consumer.example/a", "HTTPS://consumer.example:443/b?c", true},
		{"http://consumer.example", "http://consumer.example:80", true},
		{"http://consumer.example", "https://consumer.example", false},
		{"http://consumer.example:443", "https://consumer.example", false},
		{"https://consumer.example:8443", "https://consumer.example", false},
		{"https://consumer.example", "https://other.example", false},
	} {
		a, _ := url.Parse(c.a)
		b, _ := url.Parse(c.b)
		assert.Equal(t, c.want, SameOrigin(a, b), "%s, %s", c.a, c.b)
	}
}

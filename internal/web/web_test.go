package web

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReason: the text has no address, which may have a secret in it, and not the words that net/http puts before an
// alert only sometimes.
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

// TestRepeated: no part of the address is shown, whatever a peer repeats in its answer, and a redirect is not followed.
func TestRepeated(t *testing.T) {
	peer, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer peer.Close()
	for answer, want := range map[string]string{
		"hidden":                                         `malformed HTTP response...`,
		"HTTP/1.1 418 \x1b[2J\x1b]0;hidden\a":            "418 I'm a teapot",
		"HTTP/1.1 hidden OK":                             "malformed HTTP status code...",
		"HTTP/hidden 200 OK":                             "malformed HTTP version...",
		"HTTP/1.1 200 OK\r\nhidden":                      "missing colon...",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: hidden":   "unsupported transfer encoding...",
		"HTTP/1.1 200 OK\r\nContent-Length: hidden":      "bad Content-Length...",
		"HTTP/1.1 200 OK\r\nContent-Type: hidden/hidden": "another type, 200 OK",
		"HTTP/1.1 307 OK\r\nLocation: http://hidden/":    "307 Temporary Redirect, a redirect to another host, which is not followed",
		"HTTP/1.1 307 OK\r\nLocation: /hidden":           "307 Temporary Redirect, a redirect to the same host, which is not followed",
		"HTTP/1.1 307 OK\r\nLocation: :hidden":           "failed to parse Location header...",
	} {
		go func() {
			conn, err := peer.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte(answer + "\r\n\r\n"))
			_ = conn.Close()
		}()
		var got string
		if resp, err := NewClient(nil, time.Minute).Get("http://" + peer.Addr().String() + "/?key=hidden"); err != nil {
			got = Reason(err)
		} else {
			resp.Body.Close()
			got = text.Media(resp.Header.Get("Content-Type")) + ", " + Status(resp) + Redirect(resp)
		}
		assert.True(t, strings.HasSuffix(got, want) && !strings.Contains(got, "hidden"), "%q is shown as %q", answer, got)
	}
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

// Package web makes the requests that go to users' own services: the consumers
// of hooks, and servers that are checked. They trust other authorities than the
// cloud does, get none of its credentials, and what they say is never shown as
// it came.
package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

const (
	mostHeader = 64 << 10 // bytes of an answer's header
	mostShown  = 300      // bytes of a text of others
)

// NewClient returns a client with TLS settings of its own: it trusts the given
// authorities, and gives a request up after the timeout. It does not follow
// redirects: what was meant for one address goes to no other, and a redirected
// POST would lose its body.
func NewClient(authorities *x509.CertPool, timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}
	transport.Proxy, transport.DialContext = proxy, Dialer.DialContext
	transport.MaxResponseHeaderBytes = mostHeader
	return &http.Client{
		Transport:     transport,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type guardKey struct{}

// Guarded is a context whose requests go to IP addresses that allow passes, and through no proxy,
// which could answer for them.
func Guarded(ctx context.Context, allow func(ip string) error) context.Context {
	return context.WithValue(ctx, guardKey{}, allow)
}

// Dialer makes all connections.
var Dialer = net.Dialer{
	Timeout:   30 * time.Second,
	KeepAlive: 30 * time.Second,
	ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		allow, ok := ctx.Value(guardKey{}).(func(ip string) error)
		host, _, err := net.SplitHostPort(address)
		if !ok || err != nil {
			return err
		}
		return allow(host)
	},
}

type proxiedKey struct{}

// Proxied is a context whose requests go through the proxy of the environment over http, too. That
// reads the message, with what is secret in the address, and could answer in the other's
// place. Over https it sees the name of the host and nothing else.
func Proxied(ctx context.Context) context.Context { return context.WithValue(ctx, proxiedKey{}, true) }

// proxy is the proxy for a request, nil where it goes to its address directly.
func proxy(req *http.Request) (*url.URL, error) {
	asked := func(key any) bool { return req.Context().Value(key) != nil }
	if asked(guardKey{}) || req.URL.Scheme != "https" && !asked(proxiedKey{}) {
		return nil, nil //nolint:nilnil // no proxy
	}
	return http.ProxyFromEnvironment(req)
}

// Authorities are the system's certificate authorities and those of the PEM text.
func Authorities(pem []byte) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the certificate authorities of the system: %w", err)
	}
	if len(pem) > 0 && !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("there is no certificate in it: PEM text is expected, with BEGIN CERTIFICATE")
	}
	return pool, nil
}

// SameOrigin reports whether two addresses have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case strings.EqualFold(u.Scheme, "https"):
		return "443"
	}
	return "80"
}

// Status is the status of an answer in our own words: what the other side writes
// there may have control characters in it.
func Status(answer *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode)))
}

// Redirect describes a redirect that was not followed, as the end of a sentence about the
// answer; "" where the answer is no redirect. It does not repeat the address, which the other side
// may have made of ours.
func Redirect(answer *http.Response) string {
	location, err := answer.Location()
	if err != nil {
		return ""
	}
	host := "another host"
	if strings.EqualFold(location.Hostname(), answer.Request.URL.Hostname()) {
		host = "the same host"
	}
	return ", a redirect to " + host + ", which is not followed"
}

// Reason is why a request or a connection failed, without its address, which may
// have a secret in it, without what the other side wrote, which may repeat that, and without
// the words of net/http that come before an alert of TLS at some moments.
func Reason(err error) string {
	if peer, ok := Alert(err); ok {
		return plain(peer.Error())
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Err != nil {
		err = failed.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return plain(text.Unquoted(err.Error()))
}

// Alert is what the other side of TLS objects to, such as that a certificate of
// ours is wanted.
func Alert(err error) (*net.OpError, bool) {
	peer, ok := errors.AsType[*net.OpError](err)
	return peer, ok && peer.Op == "remote error"
}

// plain makes a text that others wrote fit for a diagnostic and the log.
func plain(s string) string { return text.Clean(text.Cut(s, mostShown)) }

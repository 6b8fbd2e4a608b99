// Package web makes the requests that go to users' own services: the consumers of hooks, and servers that are
// checked. These requests trust other certificate authorities than requests to the cloud do, and carry none of its
// credentials. Text from these services is never shown unchanged.
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
	mostShown  = 300      // bytes of a foreign text
)

// NewClient returns a client with its own TLS settings: it trusts the given authorities, and gives up a request after
// the timeout. It does not follow redirects: a message for one address must not go to another, and a redirected POST
// would lose its body.
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

// Guarded returns a context whose requests connect only to IP addresses that the function allow accepts. They use no
// proxy, because a proxy could answer in place of the address.
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

// proxy returns the proxy of the environment for a request, or nil if the request goes to its address directly. Over
// http the proxy reads the message and the secrets in the address; over https it sees only the name of the host.
func proxy(req *http.Request) (*url.URL, error) {
	if req.Context().Value(guardKey{}) != nil {
		return nil, nil //nolint:nilnil // no proxy
	}
	return http.ProxyFromEnvironment(req)
}

// Authorities returns the system's certificate authorities and the ones in the PEM text. Without text it returns nil:
// Go reads the system's when a connection needs them, which takes 8 ms.
func Authorities(pem []byte) (*x509.CertPool, error) {
	if len(pem) == 0 {
		return nil, nil //nolint:nilnil // the system's
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the certificate authorities of the system: %w", err)
	}
	if !pool.AppendCertsFromPEM(pem) {
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

// Status returns the status of an answer in our own words, because the peer's own text may have control characters in
// it.
func Status(answer *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode)))
}

// Redirect describes a redirect that was not followed, as the end of a sentence about the answer. It returns "" for
// any other answer. It does not repeat the address, which may be made from the secret address of the request.
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

// Reason returns why a request or a connection failed. It leaves out the address, which may have a secret in it, and
// the words of the peer, which may repeat that. It also leaves out the words that net/http puts before a TLS alert
// only sometimes, so that the text is always the same.
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

// Alert finds the TLS alert of the peer in an error, such as one that asks for a client certificate.
func Alert(err error) (*net.OpError, bool) {
	peer, ok := errors.AsType[*net.OpError](err)
	return peer, ok && peer.Op == "remote error"
}

// plain prepares a foreign text for a diagnostic and the log.
func plain(s string) string { return text.Clean(text.Cut(s, mostShown)) }

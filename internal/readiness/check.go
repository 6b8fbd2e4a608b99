package readiness

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

const (
	connectTime = 5 * time.Second  // for a TCP connection
	answerTime  = 10 * time.Second // for an answer over HTTP, from the connection to the end of the body
	mostBody    = 64 << 10         // bytes of an answer that are read
	shownText   = 300              // bytes of an error of others
)

// TCP is a port that accepts connections.
type TCP struct {
	Port int64
}

// look returns what is wrong, or "".
func (c *TCP) look(ctx context.Context, n Node) string {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	address := net.JoinHostPort(PlainAddress(n.Address), strconv.FormatInt(c.Port, 10))
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Sprintf("no connection to %s: %s", address, reason(err))
	}
	_ = connection.Close()
	return ""
}

// HTTP is a GET request that is answered with one of the statuses.
type HTTP struct {
	URL    URL
	Status Statuses
	Client *http.Client // see [NewClient]
}

// NewClient returns a client for checks: it trusts the given authorities, makes
// a connection for each request, and follows redirects only to where it was sent
// in the first place: no other host can answer for a node.
func NewClient(authorities *x509.CertPool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}
	transport.DisableKeepAlives = true
	transport.MaxResponseHeaderBytes = mostBody
	return &http.Client{
		Transport: transport,
		Timeout:   answerTime,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if from := via[0].URL; len(via) > 5 || req.URL.Scheme != from.Scheme || !strings.EqualFold(req.URL.Host, from.Host) {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// look returns what is wrong, or "".
func (c *HTTP) look(ctx context.Context, n Node) string {
	address, err := c.URL.For(n.Name, n.Address)
	if err != nil {
		return err.Error()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return "its URL cannot be asked"
	}
	shown := fmt.Sprintf("GET %s://%s%s", address.Scheme, address.Host, text.Clean(address.EscapedPath())) // a query may have a secret in it
	resp, err := c.Client.Do(req)
	if err != nil {
		return fmt.Sprintf("%s: %s", shown, reason(err))
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, mostBody))
	switch {
	case !c.Status.Has(resp.StatusCode):
		answered := strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
		return fmt.Sprintf("%s answered %s%s", shown, answered, elsewhere(resp))
	case err != nil:
		return fmt.Sprintf("%s: the answer breaks off: %s", shown, reason(err))
	}
	return ""
}

// elsewhere names the host of a redirect that was not followed.
func elsewhere(resp *http.Response) string {
	location, err := resp.Location()
	if err != nil {
		return ""
	}
	return ", a redirect to " + text.Cut(text.Clean(location.Host), shownText) + ", which is not followed"
}

// reason is why a request failed, without its address, which may have a secret
// in it.
func reason(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Err != nil {
		err = failed.Err
	}
	return text.Cut(text.Clean(err.Error()), shownText)
}

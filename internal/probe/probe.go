// Package probe asks the service of a node as a user of it would: whether a port accepts connections, or whether a
// GET request gets the expected answer.
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
)

const (
	connectTime = 5 * time.Second  // for a TCP connection
	answerTime  = 10 * time.Second // for an answer over HTTP, from the connection to the end of the body
	mostBody    = 64 << 10         // bytes of an answer that are read
)

// Failure is what is wrong with a service.
type Failure struct {
	Text string // for people: the request and its result

	// Network is the error of the network if the service did not answer, such as "connection refused". It has no
	// address in it, so it is equal for all nodes that cannot be reached for the same reason. It is "" if the
	// service, or something in its place, answered.
	Network string

	// Unasked reports that the service was not asked, so the node may be healthy. This machine has no file left for a
	// connection, or the name of the service resolves to an address that no node can have.
	Unasked bool
}

// failed is the failure of a request or a connection.
func failed(what string, err error) *Failure {
	_, elsewhere := errors.AsType[rangeError](err)
	return &Failure{
		Text:    what + ": " + web.Reason(err),
		Network: network(err),
		Unasked: elsewhere || errors.Is(err, syscall.EMFILE),
	}
}

// guarded returns a context without connections to addresses that no node can have, whatever a name resolves to.
func guarded(ctx context.Context, linkLocal bool) context.Context {
	return web.Guarded(ctx, func(ip string) error { return CheckRange(ip, linkLocal) })
}

// network returns the cause of a connection's error, without its address.
func network(err error) string {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return name.Err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return ""
}

// TCP is a port that accepts connections.
type TCP struct {
	Port      int64
	LinkLocal bool // reports whether an address may be link-local
}

// Look returns what is wrong at an address, or nil.
func (c *TCP) Look(ctx context.Context, address string) *Failure {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	at := net.JoinHostPort(PlainAddress(address), strconv.FormatInt(c.Port, 10))
	connection, err := web.Dialer.DialContext(guarded(ctx, c.LinkLocal), "tcp", at)
	if err != nil {
		return failed("no connection to "+at, err)
	}
	_ = connection.Close()
	return nil
}

// HTTP is a GET request whose answer has one of the statuses.
type HTTP struct {
	URL       URL
	Status    Statuses
	Client    *http.Client // see [web.NewClient]; its timeout and its redirects are set here
	LinkLocal bool         // reports whether an address may be link-local
}

// follow follows redirects only to the origin of the first request: no other host can answer for a node.
func follow(req *http.Request, via []*http.Request) error {
	if len(via) > 5 || !web.SameOrigin(req.URL, via[0].URL) {
		return http.ErrUseLastResponse
	}
	req.Close = true // as in the first request
	return nil
}

// Look returns what is wrong with the node that has a name and an address, or nil.
func (c *HTTP) Look(ctx context.Context, name, at string) *Failure {
	address, err := c.URL.For(name, at)
	if err != nil {
		return &Failure{Text: err.Error()}
	}
	req, err := http.NewRequestWithContext(guarded(ctx, c.LinkLocal), http.MethodGet, address.String(), nil)
	if err != nil {
		return &Failure{Text: "its URL cannot be asked"}
	}
	req.Close = true // each look makes a connection, as a user of the service does
	client := *c.Client
	client.Timeout, client.CheckRedirect = answerTime, follow
	// The path and the query may have a secret in them, and the text of a failure is kept in the state.
	shown := fmt.Sprintf("GET %s://%s", address.Scheme, address.Host)
	resp, err := client.Do(req)
	if err != nil {
		return failed(shown, err)
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, mostBody))
	switch {
	case !c.Status.has(resp.StatusCode):
		return &Failure{Text: fmt.Sprintf("%s answered %s%s", shown, web.Status(resp), web.Redirect(resp))}
	case err != nil:
		return &Failure{Text: fmt.Sprintf("%s: the answer breaks off: %s", shown, web.Reason(err))}
	}
	return nil
}

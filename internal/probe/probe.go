// Package probe asks the service of a node, as a user of it would: whether a port
// accepts connections, whether a GET request is answered as it should be.
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
	Text string // for people: what was asked, and what came of it

	// Network is the error of the network where the service did not answer, such as
	// "connection refused". It has no address in it, so it is equal for all nodes that
	// cannot be reached for the same reason. "" where the service, or something in its
	// place, answered.
	Network string

	// Unasked says that the service was not asked: this machine lacks files for connections, or its
	// name resolves to an address at which no node is. That says nothing of the node.
	Unasked bool
}

// failed is a request or a connection that failed.
func failed(what string, err error) *Failure {
	_, elsewhere := errors.AsType[rangeError](err)
	return &Failure{
		Text:    what + ": " + web.Reason(err),
		Network: network(err),
		Unasked: elsewhere || errors.Is(err, syscall.EMFILE),
	}
}

// guarded is a context whose connections reach no address at which no node is, whatever a name
// resolves to.
func guarded(ctx context.Context, linkLocal bool) context.Context {
	return web.Guarded(ctx, func(ip string) error { return CheckRange(ip, linkLocal) })
}

// network is the cause of an error of a connection, without its address.
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
	LinkLocal bool // whether an address may be link-local
}

// Look returns what is wrong at an address; nil: nothing.
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

// HTTP is a GET request that is answered with one of the statuses.
type HTTP struct {
	URL       URL
	Status    Statuses
	Client    *http.Client // see [web.NewClient]; how it times out and follows redirects is decided here
	LinkLocal bool         // whether an address may be link-local
}

// follow follows redirects only to where the request was sent in the first place:
// no other host can answer for a node.
func follow(req *http.Request, via []*http.Request) error {
	if len(via) > 5 || !web.SameOrigin(req.URL, via[0].URL) {
		return http.ErrUseLastResponse
	}
	req.Close = true // as the first
	return nil
}

// Look returns what is wrong with the node of a name and an address; nil: nothing.
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
	// The path and the query may have a secret in them, and what is wrong is kept in the state.
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

package openstack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
)

// Bounds of the configuration.
const (
	LongestTimeout = 24 * time.Hour // timeout of one try, with all redirects
	MostRetries    = 1000           // repetitions of one request
)

const (
	defaultTimeout = time.Minute            // timeout of one try, long enough for a page of 1,000 servers
	mostAtOnce     = 16                     // requests to one cloud at the same time
	firstWait      = 500 * time.Millisecond // before the first repetition; doubled for each further one
	longestWait    = 30 * time.Second       // also for a Retry-After, which may ask for days
)

// transport is the one place that repeats, times, bounds and logs requests. It also replaces an expired
// token, and decides which hosts get one.
//
// It reads each body to its end before it returns it, so that a body that breaks off is an error of the
// request like any other.
type transport struct {
	base    http.RoundTripper
	retries int
	timeout time.Duration
	log     func(context.Context, string, map[string]any)
	secrets []string              // credentials of the configuration
	hosts   atomic.Pointer[hosts] // hosts that get credentials
	slots   chan struct{}         // one slot for each request under way
	large   chan struct{}         // one slot for the large answer that is read or decoded
	buffer  []byte                // holds that answer

	// relogin returns a token newer than the given one; it is nil if there cannot be one.
	relogin func(ctx context.Context, expired string) (string, error)
}

func (t *transport) RoundTrip(original *http.Request) (*http.Response, error) {
	ctx := original.Context()
	if err := t.hosts.Load().allow(original.URL); err != nil {
		return nil, err
	}
	req := original.Clone(ctx)
	req.Header.Set("Cache-Control", "no-cache")
	relogin := t.relogin
	for try := 0; ; {
		resp, err := t.once(req)
		switch token := req.Header.Get("X-Auth-Token"); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil && resp.StatusCode == http.StatusUnauthorized && token != "" && relogin != nil && !isLogin(req):
			fresh, failed := relogin(ctx, token)
			if failed != nil {
				return nil, fmt.Errorf("the token expired, and logging in again failed: %w", failed)
			}
			req.Header.Set("X-Auth-Token", fresh)
			relogin = nil // a second 401 is final
		case try < t.retries && repeatable(req, resp, err):
			if err := wait.For(ctx, pause(try, resp)); err != nil {
				return nil, err
			}
			try++
		default:
			return resp, err
		}
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// once makes one try and reads the answer to its end.
func (t *transport) once(req *http.Request) (resp *http.Response, err error) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
	start := time.Now()
	deadline := start.Add(t.timeout)
	if req.Response != nil { // a redirect is followed: all hops share one timeout
		if before, ok := req.Response.Request.Context().Deadline(); ok {
			deadline = before
		}
	}
	ctx, cancel := context.WithDeadlineCause(req.Context(), deadline, fmt.Errorf("no answer within %s", t.timeout))
	defer cancel()
	defer func() { t.logged(req, resp, err, time.Since(start)) }()
	resp, err = t.base.RoundTrip(req.WithContext(ctx))
	if err == nil {
		err = t.check(req, resp)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, t.redacted(req, err)
	}
	return resp, nil
}

// redacted hides an error that repeats a secret, as the error about an invalid header may. It repeats nothing of an
// answer that is not HTTP.
func (t *transport) redacted(req *http.Request, err error) error {
	clean := text.Unquoted(err.Error())
	switch {
	case repeats(clean, t.secretsOf(req)):
		return errors.New("an error that repeats a secret")
	case clean != err.Error():
		return &rewordedError{err, clean} // an answer that is not used remains one, and is not requested again
	}
	return err
}

// secretsOf lists the secrets that an answer to a request could repeat.
func (t *transport) secretsOf(req *http.Request) []string {
	return append(slices.Clone(t.secrets), req.Header.Get("X-Auth-Token"), req.Header.Get("X-Subject-Token"))
}

// repeatable reports whether the request failed only for now, and may safely be sent again: the server did
// not act on it, or acting twice has the same result as once.
func repeatable(req *http.Request, resp *http.Response, err error) bool {
	safe := req.Method != http.MethodPost && req.Method != http.MethodPatch || isLogin(req)
	if err != nil {
		if answer, ok := errors.AsType[*AnswerError](err); ok && answer.Code != http.StatusNotFound {
			return false // the same request would get the same answer again
		}
		op, ok := errors.AsType[*net.OpError](err)
		unsent := ok && op.Op == "dial"
		return safe || unsent
	}
	if busy(resp) {
		return true
	}
	switch resp.StatusCode {
	case http.StatusInternalServerError,
		http.StatusBadGateway,
		http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return safe
	}
	return false
}

// busy reports whether the service has too many requests and did nothing. Old services, and proxies, say that
// with 413 and a Retry-After.
func busy(resp *http.Response) bool {
	return resp.StatusCode == http.StatusTooManyRequests ||
		resp.StatusCode == http.StatusRequestEntityTooLarge && resp.Header.Get("Retry-After") != ""
}

// isLogin reports whether a request asks for a token. A login may be sent any number of times.
func isLogin(req *http.Request) bool {
	return strings.HasSuffix(req.URL.Path, "/auth/tokens")
}

// pause returns the time to wait before the next try: what the server asks for, or a time that doubles. A
// random half of it keeps clients from sending their requests at the same time.
func pause(try int, resp *http.Response) time.Duration {
	if resp != nil {
		if asked, ok := wait.RetryAfter(resp.Header.Get("Retry-After"), time.Now(), longestWait); ok {
			return asked
		}
	}
	doubled := min(firstWait<<min(try, 10), longestWait)
	return doubled/2 + rand.N(doubled/2)
}

// requestID is the form of OpenStack's request ids. No other value of the header is shown.
var requestID = regexp.MustCompile(`^req-[0-9a-f-]{36}$`)

// logged writes a log line about a request, without its headers and bodies, which have secrets in them.
func (t *transport) logged(req *http.Request, resp *http.Response, err error, took time.Duration) {
	if t.log == nil {
		return
	}
	fields := map[string]any{"method": req.Method, "url": req.URL.Redacted(), "milliseconds": took.Milliseconds()}
	if resp != nil {
		fields["status"] = resp.StatusCode
		fields["request_id"] = requestID.FindString(resp.Header.Get("X-Openstack-Request-Id"))
	}
	if err != nil {
		fields["error"] = shown(err.Error())
	}
	t.log(req.Context(), "OpenStack API request", fields)
}

// hosts lists the addresses that requests, with a token or a password, may go to. A list that is built never changes.
type hosts []*url.URL

// with adds an address to a copy of the list.
func (h hosts) with(address string) hosts {
	if u, err := url.Parse(address); err == nil && u.Host != "" { // other addresses cannot be requested anyway
		return append(slices.Clone(h), u)
	}
	return h
}

// allow refuses an address that nobody named, such as a link in an answer, or the same host without TLS.
func (h hosts) allow(u *url.URL) error {
	if slices.ContainsFunc(h, func(host *url.URL) bool { return web.SameOrigin(host, u) }) {
		return nil
	}
	return fmt.Errorf("credentials are not sent to %s, which neither the configuration nor the catalogue names",
		shownOrigin(u))
}

// shownOrigin names a host in an error, without the path and the query, which may repeat a token.
func shownOrigin(u *url.URL) string { return text.Cut(text.Clean(u.Scheme+"://"+u.Host), 200) }

// checkRedirect refuses a redirect to another host, or to one without TLS, before net/http repeats the address.
func checkRedirect(resp *http.Response) error {
	to, err := resp.Location()
	switch from := resp.Request.URL; {
	case err != nil:
		return errors.New("redirected to an address that cannot be read")
	case !web.SameOrigin(from, to):
		return fmt.Errorf("redirected from %s to %s: credentials are not sent to another host",
			shownOrigin(from), shownOrigin(to))
	}
	return nil
}

const redacted = "(redacted)" // in place of a text with a secret

// repeats reports whether a text repeats a secret.
func repeats(s string, secrets []string) bool {
	return slices.ContainsFunc(secrets, func(secret string) bool {
		return len(secret) > 3 && strings.Contains(s, secret)
	})
}

// shown prepares a foreign text for an error or a log: in one line, no longer than shownRefusal.
func shown(s string) string { return text.Cut(text.Clean(strings.TrimSpace(s)), shownRefusal) }

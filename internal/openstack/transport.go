package openstack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

const (
	defaultTimeout = time.Minute            // of one try, long enough for a page of 1,000 servers
	firstWait      = 500 * time.Millisecond // before the first repetition; it doubles from one to the next
	longestWait    = 30 * time.Second       // also for a Retry-After, which may ask for days
)

// transport is the one place where requests are repeated, timed and logged, and
// where an expired token is replaced.
//
// It reads each body to its end before it hands it on, so that a body that
// breaks off half-way is an error of the request like any other.
type transport struct {
	base    http.RoundTripper
	retries int
	timeout time.Duration
	noCache bool
	log     func(context.Context, string, map[string]any)

	// relogin returns a token newer than the given one; nil: none can be had.
	relogin func(ctx context.Context, expired string) (string, error)
}

func (t *transport) RoundTrip(original *http.Request) (*http.Response, error) {
	ctx := original.Context()
	req := original.Clone(ctx)
	if t.noCache {
		req.Header.Set("Cache-Control", "no-cache")
	}
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
			relogin = nil // a second 401 is an answer
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
	ctx, cancel := context.WithTimeoutCause(req.Context(), t.timeout, fmt.Errorf("no answer within %s", t.timeout))
	defer cancel()
	start := time.Now()
	defer func() { t.logged(req, resp, err, time.Since(start)) }()
	resp, err = t.base.RoundTrip(req.WithContext(ctx))
	if err == nil {
		err = buffer(resp)
	}
	if err == nil {
		err = checkJSON(resp)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return resp, nil
}

// Body is the body of every answer: read already, and there as a whole.
type Body struct {
	bytes.Reader
	All []byte
}

// Close does nothing.
func (b *Body) Close() error { return nil }

// Transport carries requests to others than OpenStack, with the TLS settings of
// the configuration. It adds no token and repeats nothing.
func (c *Cloud) Transport() http.RoundTripper { return c.base }

// Timeout is how long one try of a request may take.
func (c *Cloud) Timeout() time.Duration { return c.config.timeout() }

func (c Config) timeout() time.Duration { return cmp.Or(c.RequestTimeout, defaultTimeout) }

// buffer reads the body of the answer.
func buffer(resp *http.Response) error {
	defer resp.Body.Close()
	var all bytes.Buffer
	if resp.ContentLength > 0 {
		all.Grow(int(min(resp.ContentLength, 1<<24)) + bytes.MinRead) // what a peer promises is not yet memory well spent
	}
	if _, err := all.ReadFrom(resp.Body); err != nil {
		return fmt.Errorf("the answer breaks off after %d bytes: %w", all.Len(), err)
	}
	body := &Body{All: all.Bytes()}
	body.Reset(body.All)
	resp.Body = body
	return nil
}

// checkJSON refuses a page of HTML in place of an answer: a proxy's, a portal's,
// or that of a dashboard at a wrong address. It also refuses half an answer,
// where no length was announced that would tell: all answers are objects.
func checkJSON(resp *http.Response) error {
	kind, body := resp.Header.Get("Content-Type"), bytes.TrimSpace(resp.Body.(*Body).All)
	switch {
	case resp.StatusCode/100 != 2 || len(body) == 0:
		return nil
	case !strings.Contains(kind, "json"):
	case body[0] == '{' && body[len(body)-1] != '}':
		return fmt.Errorf("the answer breaks off after %d bytes", len(body))
	default:
		return nil
	}
	return &NotJSONError{Status: resp.Status, ContentType: kind, Start: string(body[:min(len(body), 60)])}
}

// NotJSONError is a good status with something else than JSON behind it.
type NotJSONError struct {
	Status      string
	ContentType string
	Start       string // of the body
}

func (e *NotJSONError) Error() string {
	return fmt.Sprintf("answered %s, but with %q in place of JSON: %q... Is this the address of an OpenStack API?", e.Status, e.ContentType, e.Start)
}

// repeatable tells whether the request failed for now, and whether sending it
// again is safe: the server did not act on it, or acting twice is as good as once.
func repeatable(req *http.Request, resp *http.Response, err error) bool {
	safe := req.Method != http.MethodPost && req.Method != http.MethodPatch || isLogin(req)
	if err != nil {
		if _, final := errors.AsType[*NotJSONError](err); final {
			return false
		}
		op, ok := errors.AsType[*net.OpError](err)
		unsent := ok && op.Op == "dial"
		return safe || unsent
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return safe
	}
	return false
}

// isLogin tells a request for a token, which may be asked for any number of times.
func isLogin(req *http.Request) bool {
	return strings.HasSuffix(req.URL.Path, "/auth/tokens")
}

// pause is the time to wait before the next try: what the server asks for, or
// a time that doubles, of which a random half keeps clients from coming at once.
func pause(try int, resp *http.Response) time.Duration {
	if resp != nil {
		after := resp.Header.Get("Retry-After")
		if seconds, err := strconv.Atoi(after); err == nil && seconds >= 0 {
			return min(time.Duration(seconds)*time.Second, longestWait)
		}
		if at, err := http.ParseTime(after); err == nil {
			return min(max(time.Until(at), 0), longestWait)
		}
	}
	doubled := min(firstWait<<min(try, 10), longestWait)
	return doubled/2 + rand.N(doubled/2)
}

// logged tells about a request without its headers and bodies, where secrets are.
func (t *transport) logged(req *http.Request, resp *http.Response, err error, took time.Duration) {
	if t.log == nil {
		return
	}
	fields := map[string]any{"method": req.Method, "url": req.URL.Redacted(), "milliseconds": took.Milliseconds()}
	if resp != nil {
		fields["status"] = resp.StatusCode
		fields["request_id"] = resp.Header.Get("X-Openstack-Request-Id")
	}
	if err != nil {
		fields["error"] = err.Error()
	}
	t.log(req.Context(), "OpenStack API request", fields)
}

// sameOrigin lets no token follow a redirect to another host.
func sameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case req.URL.Scheme != first.Scheme || req.URL.Host != first.Host:
		return fmt.Errorf("redirected from %s to %s: credentials are not sent to another host", first.Redacted(), req.URL.Redacted())
	case len(via) >= 5:
		return errors.New("redirected five times")
	}
	return nil
}

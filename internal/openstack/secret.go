package openstack

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
)

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

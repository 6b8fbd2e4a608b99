package openstack

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// hosts lists the addresses that requests may go to, and the service at each. Every request carries a token
// or a password. The list never changes once it is built.
type hosts []service

// service is an address below which an OpenStack service answers.
type service struct{ kind, origin, path string }

// with adds the addresses of services to a copy of the list.
func (h hosts) with(kind string, addresses ...string) hosts {
	more := slices.Clone(h)
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil && u.Host != "" { // other addresses cannot be requested anyway
			more = append(more, service{kind, origin(u), strings.TrimSuffix(u.Path, "/")})
		}
	}
	return more
}

// allow refuses an address that neither the configuration nor the catalogue names, such as a link in an
// answer, or the same host without TLS.
func (h hosts) allow(u *url.URL) error {
	if slices.ContainsFunc(h, func(s service) bool { return s.origin == origin(u) }) {
		return nil
	}
	return fmt.Errorf("credentials are not sent to %s, which neither the configuration nor the catalogue names",
		shownOrigin(u))
}

// kind returns the type of the service at an address, or "".
func (h hosts) kind(u *url.URL) string {
	best := service{}
	for _, s := range h {
		below := u.Path == s.path || strings.HasPrefix(u.Path, s.path+"/")
		if s.origin == origin(u) && below && (best.origin == "" || len(s.path) > len(best.path)) {
			best = s
		}
	}
	return best.kind
}

// origin returns the scheme, host and port of an address in their normal form.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// shownOrigin names a host in an error, without the path and the query, which may repeat a token.
func shownOrigin(u *url.URL) string { return text.Cut(text.Clean(u.Scheme+"://"+u.Host), 200) }

// checkRedirect refuses a redirect to another host, or from https to http.
func checkRedirect(from *url.URL, resp *http.Response) error {
	location := resp.Header.Get("Location")
	if resp.StatusCode/100 != 3 || location == "" {
		return nil
	}
	to, err := from.Parse(location)
	switch {
	case err != nil:
		return errors.New("redirected to an address that cannot be read")
	case origin(to) != origin(from):
		return fmt.Errorf("redirected from %s to %s: credentials are not sent to another host",
			shownOrigin(from), shownOrigin(to))
	}
	return nil
}

// fewRedirects ends a chain of redirects.
func fewRedirects(_ *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("redirected five times")
	}
	return nil
}

// addressFault returns what is wrong with an address of the configuration, or "". It refuses an address with
// a password, which each message about a request would show, and does not repeat it.
func addressFault(address string) string {
	if strings.Contains(address, "@") {
		return "An address has no user name and no password in it: use the arguments user_name and password."
	}
	if strings.Trim(address, ` ,;'"`) != address {
		return fmt.Sprintf("%.200q begins or ends with a character that belongs to no address.", address)
	}
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Sprintf("%.200q is not the address of a service: "+
			"it must begin with https:// (or http://) and a host.", address)
	}
	return ""
}

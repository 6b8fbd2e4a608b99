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
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// URL is an address with the placeholders {address} and {name} of a node.
type URL struct {
	scheme, user, host, path, query string
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// ParseURL reads an address with placeholders. The error does not repeat the address, which may have a secret in it.
func ParseURL(template string) (URL, error) {
	var u URL
	for _, found := range placeholder.FindAllString(template, -1) {
		if found != "{address}" && found != "{name}" {
			return u, fmt.Errorf("%q is no placeholder: the placeholders are {address} and {name} of the node. A "+
				"brace that is part of the address is written %%7B or %%7D", found)
		}
	}
	if strings.ContainsAny(placeholder.ReplaceAllString(template, ""), "{}") {
		return u, errors.New("a brace is not closed, or not opened. A brace that is part of the address is written " +
			"%7B or %7D")
	}
	scheme, rest, ok := strings.Cut(template, "://")
	if u.scheme = strings.ToLower(scheme); !ok || (u.scheme != "http" && u.scheme != "https") {
		return u, errors.New("an address begins with http:// or https://")
	}
	rest, _, _ = strings.Cut(rest, "#")
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		rest, u.query = rest[:i], rest[i:]
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		rest, u.path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest, u.user = rest[i+1:], rest[:i+1]
	}
	// {address} may have brackets around it, for IPv6. They are added when they are needed.
	u.host = strings.ReplaceAll(rest, "[{address}]", "{address}")
	_, err := u.For("node", "192.0.2.1")
	return u, err
}

// NeedsAddress reports whether the URL has the placeholder of the address.
func (u URL) NeedsAddress() bool {
	return strings.Contains(u.user+u.host+u.path+u.query, "{address}")
}

// OfNode reports whether the URL differs from node to node.
func (u URL) OfNode() bool {
	return u.NeedsAddress() || strings.Contains(u.user+u.host+u.path+u.query, "{name}")
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?\.?$`)

// For returns the address for a node. It escapes the values as their places in the URL need.
func (u URL) For(name, address string) (*url.URL, error) {
	address = PlainAddress(address)
	if err := CheckAddress(address); err != nil && u.NeedsAddress() {
		return nil, err
	}
	if strings.Contains(u.host, "{name}") && !hostName.MatchString(name) {
		return nil, fmt.Errorf("the name %q of the node cannot be part of a host's name", name)
	}
	literal := address
	if ip, err := netip.ParseAddr(address); err == nil && ip.Is6() {
		literal = "[" + strings.ReplaceAll(address, "%", "%25") + "]"
	}
	fill := func(part string, escape func(string) string, address string) string {
		return strings.NewReplacer("{address}", escape(address), "{name}", escape(name)).Replace(part)
	}
	asIs := func(s string) string { return s }
	filled, err := url.Parse(u.scheme + "://" + fill(u.user, url.PathEscape, address) + fill(u.host, asIs, literal) +
		fill(u.path, url.PathEscape, address) + fill(u.query, url.QueryEscape, address))
	if err != nil || filled.Hostname() == "" {
		return nil, errors.New("it is not an address with a host, such as https://{address}:8443/health")
	}
	if port := filled.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, fmt.Errorf("the port %s is not between 1 and 65535", port)
		}
	}
	return filled, nil
}

// CheckAddress returns an error unless the value is an IP address, with or without brackets, or the name of a host.
func CheckAddress(address string) error {
	address = PlainAddress(address)
	if address == "" {
		return errors.New("the node has no address")
	}
	_, err := netip.ParseAddr(address)
	if err != nil && (!hostName.MatchString(address) || numbered.MatchString(address)) {
		return fmt.Errorf("%q is neither an IP address nor the name of a host", address)
	}
	return nil
}

// numbered matches names that some resolvers read as an address of IPv4: 1, 0x7f.1.
var numbered = regexp.MustCompile(`(?i)^(.*\.)?([0-9]+|0x[0-9a-f]*)\.?$`)

// rangeError is the error about an IP address that no node can have.
type rangeError string

func (e rangeError) Error() string { return string(e) }

// CheckRange returns an error for an IP address that no node can have: the unspecified address, which reaches the
// machine that asks, and link-local addresses and addresses of metadata services, unless linkLocal allows them.
func CheckRange(address string, linkLocal bool) error {
	ip, err := netip.ParseAddr(PlainAddress(address))
	if err != nil {
		return nil //nolint:nilerr // the name of a host
	}
	ip = ip.Unmap().WithZone("")
	switch {
	case ip.IsUnspecified():
		return rangeError(address + " is the address of no host: the machine that asks would answer itself")
	case !linkLocal && (ip.IsLinkLocalUnicast() || slices.Contains(metadata, ip)):
		return rangeError(address + " is a link-local address or a metadata service's, where others than the " +
			"node may answer. allow_link_local = true allows it")
	}
	return nil
}

// metadata lists addresses of the metadata services of clouds that are not link-local.
var metadata = []netip.Addr{netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("100.100.100.200")}

// PlainAddress removes the brackets in which terraform-provider-openstack shows an address of IPv6.
func PlainAddress(address string) string {
	if inner, ok := strings.CutPrefix(address, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			return inner
		}
	}
	return address
}

// Statuses are ranges of HTTP statuses.
type Statuses [][2]int

// DefaultStatuses are the statuses that a check accepts by default.
const DefaultStatuses = "200-299"

// ParseStatuses reads statuses and ranges of them, such as "200-299,404".
func ParseStatuses(list string) (Statuses, error) {
	var statuses Statuses
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA != nil || errB != nil || a < 100 || b > 599 || a > b || len(first) != 3 || len(last) != 3 {
			return nil, fmt.Errorf("%q is neither a status between 100 and 599 nor a range of them, such as 200-299",
				part)
		}
		statuses = append(statuses, [2]int{a, b})
	}
	return statuses, nil
}

// has reports whether a status is one of them.
func (s Statuses) has(status int) bool {
	for _, r := range s {
		if r[0] <= status && status <= r[1] {
			return true
		}
	}
	return false
}

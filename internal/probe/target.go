package probe

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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

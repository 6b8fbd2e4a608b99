package fakecloud

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Names of the services, as in [Request] and [Fault].
const (
	Identity      = "identity"
	Compute       = "compute"
	Images        = "image"
	Messaging     = "messaging"
	Network       = "network"
	LoadBalancing = "load-balancer"
	BlockStorage  = "block-storage"
)

// Request is a request that arrived.
type Request struct {
	Method  string
	Service string // one of those above; "" for a path that belongs to none
	Region  string // of Compute, Network, LoadBalancing and BlockStorage; the others serve all regions

	// Path is what follows the version in the URL (and the project's id, where
	// the endpoint has one): /servers/detail. A request for the version
	// document has "/".
	Path  string
	Query url.Values
	Route string // the path in the table of the service, with {} for what varies; "" where it has none
	Agent string // the User-Agent

	Microversion string // as it was asked for; "" if it was not
	Token        string
	Body         []byte
	Time         time.Time // on the cloud's clock
	Status       int       // 0 as long as there is no answer, and where none was given
}

func (r Request) String() string {
	query := ""
	if len(r.Query) > 0 {
		query = "?" + r.Query.Encode()
	}
	return fmt.Sprintf("%s %s %s%s", r.Method, r.Service, r.Path, query)
}

// Kind is what requests have in common that differ only in ids and values: "GET compute@2.26
// /servers/{}/tags", with the keys of a query behind it. One without a route has its path.
func (r Request) Kind() string {
	kind := strings.TrimSuffix(r.Method+" "+r.Service+"@"+r.Microversion, "@") + " " + cmp.Or(r.Route, r.Path)
	if len(r.Query) > 0 {
		kind += "?" + strings.Join(slices.Sorted(maps.Keys(r.Query)), ",")
	}
	return kind
}

// Requests returns all requests in the order in which they arrived.
func (c *Cloud) Requests() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Request, len(c.requests))
	for i, r := range c.requests {
		list[i] = *r
	}
	return list
}

// ResetRequests forgets the requests so far.
func (c *Cloud) ResetRequests() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = nil
}

// Count counts the requests that a pattern matches: method, service and path,
// as in "POST compute /servers" or "* compute /servers/*/action". A star stands
// for anything within one part of the path; a path of ** is any.
func (c *Cloud) Count(pattern string) int {
	parts := strings.Fields(pattern)
	if len(parts) != 3 {
		panic(fmt.Sprintf("fakecloud: %q is not method, service and path", pattern))
	}
	n := 0
	for _, r := range c.Requests() {
		if matches(parts[0], r.Method) && matches(parts[1], r.Service) && matchesPath(parts[2], r.Path) {
			n++
		}
	}
	return n
}

func matches(pattern, name string) bool {
	return pattern == "" || pattern == "*" || pattern == name
}

func matchesPath(pattern, name string) bool {
	if pattern == "" || pattern == "**" {
		return true
	}
	ok, err := path.Match(pattern, name)
	if err != nil {
		panic(fmt.Sprintf("fakecloud: path pattern %q: %v", pattern, err))
	}
	return ok
}

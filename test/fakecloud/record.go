package fakecloud

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"
)

// Names of the services, as in [Request] and [Fault].
const (
	Identity      = "identity"
	Compute       = "compute"
	Images        = "image"
	Network       = "network"
	LoadBalancing = "load-balancer"
	BlockStorage  = "block-storage"
	DNS           = "dns"
)

// Request is a request that arrived.
type Request struct {
	Method  string
	Service string // one of the services above; "" for an unknown path
	Region  string // region of the service; Identity and Images serve all regions

	// Path is the part of the URL after the version (and after the project's id, if the endpoint has it):
	// /servers/detail. A request for the version document has "/".
	Path  string
	Query url.Values
	Agent string // the User-Agent

	Microversion string // requested microversion; "" if none was requested
	Token        string
	Body         []byte
	Time         time.Time // on the cloud's clock
	Status       int       // 0 as long as there is no answer, or without one
}

func (r Request) String() string {
	query := ""
	if len(r.Query) > 0 {
		query = "?" + r.Query.Encode()
	}
	return fmt.Sprintf("%s %s %s%s", r.Method, r.Service, r.Path, query)
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

// Count returns the number of requests that match a pattern: method, service and path, as in "POST compute /servers"
// or "* compute /servers/*/action". A star stands for anything within one part of the path; a path of ** matches
// every path.
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

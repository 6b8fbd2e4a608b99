package provider_test

import (
	"net/http"
	"regexp"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// faults are the ways in which a request can go wrong. Each gets the request and its
// normal answer. The faults after the service has acted are for requests that change
// something.
var faults = []struct {
	name  string
	fault func(r fakecloud.Request) fakecloud.Fault
}{
	{"429", func(fakecloud.Request) fakecloud.Fault { return fakecloud.Fault{Status: http.StatusTooManyRequests} }},
	{"429 with Retry-After", answers(http.StatusTooManyRequests)},
	{"500", answers(http.StatusInternalServerError)},
	{"503", answers(http.StatusServiceUnavailable)},
	{"401", answers(http.StatusUnauthorized)},
	{"reset before", effect(fakecloud.Reset, false)},
	{"reset after", effect(fakecloud.Reset, true)},
	{"504 after", func(fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: http.StatusGatewayTimeout, Header: http.Header{"Retry-After": {"0"}}, Acts: true}
	}},
	{"cut off", effect(fakecloud.Truncate, true)},
	{"hang before", effect(fakecloud.Hang, false)},
	{"hang after", effect(fakecloud.Hang, true)},
	{"half a body", body(`{"servers": [{"id": "1", "name": "web-0"`)},
	{"malformed JSON", body(`{"servers": [}`)},
	{"other JSON", body(`{}`)},
	{"foreign 404", func(fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: http.StatusNotFound, Header: http.Header{"Content-Type": {"text/html"}, "Retry-After": {"0"}},
			Body: "<html>No server is available</html>"}
	}},
	{"endless list", func(r fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: http.StatusOK, Body: endless(r), PathRegexp: regexp.MustCompile("^" + regexp.QuoteMeta(r.Path) + `($|\?)`)}
	}},
	{"huge body", func(r fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: r.Status, Header: http.Header{"Content-Length": {"1073741824"}}, Body: `{"servers": [`, Acts: true}
	}},
	{"HTML", func(fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Log in to the network</html>"}
	}},
}

// endless returns a page of a list that announces the same page as the next one, or ""
// if the request is not for a list.
func endless(r fakecloud.Request) string {
	switch {
	case r.Method != http.MethodGet:
		return ""
	case r.Path == "/servers" || r.Path == "/servers/detail":
		return `{"servers": [{"id": "1", "name": "endless", "status": "ACTIVE"}], "servers_links": [{"rel": "next", "href": "/"}]}`
	case r.Path == "/os-hypervisors/detail":
		return `{"hypervisors": [{"id": "1", "service": {"host": "h"}}], "hypervisors_links": [{"rel": "next", "href": "/"}]}`
	case r.Path == "/os-server-groups":
		return `{"server_groups": [{"id": "1", "name": "endless", "policy": "affinity"}]}`
	case r.Path == "/regions":
		return `{"regions": [{"id": "endless"}], "links": {"next": "?page=2"}}`
	}
	return ""
}

func answers(code int) func(fakecloud.Request) fakecloud.Fault {
	return func(fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: code, Header: http.Header{"Retry-After": {"0"}}}
	}
}

func effect(e fakecloud.Effect, acts bool) func(fakecloud.Request) fakecloud.Fault {
	return func(fakecloud.Request) fakecloud.Fault { return fakecloud.Fault{Effect: e, Acts: acts} }
}

func body(text string) func(fakecloud.Request) fakecloud.Fault {
	return func(r fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: r.Status, Body: text, Acts: true}
	}
}

// target is a request of an operation: the nth of its kind.
type target struct {
	fakecloud.Request
	nth int
}

// aim makes a fault hit the target.
func (g target) aim(f fakecloud.Fault, times int) fakecloud.Fault {
	f.Service, f.Region, f.Method, f.Nth, f.Times = g.Service, g.Region, g.Method, g.nth, times
	if f.PathRegexp != nil {
		return f // all pages of a list
	}
	f.PathRegexp = regexp.MustCompile("^" + regexp.QuoteMeta(address(g.Request)) + "$")
	if g.Service == "" {
		f.PathRegexp = regexp.MustCompile("^" + g.Path)
	}
	return f
}

// same reports whether a request is of the target's kind.
func (g target) same(r fakecloud.Request) bool {
	return r.Service == g.Service && r.Region == g.Region && r.Method == g.Method && address(r) == address(g.Request)
}

// address returns the path and query of a request, without the random token in the
// query of a webhook.
func address(r fakecloud.Request) string {
	if len(r.Query) > 0 && r.Service != "" {
		return r.Path + "?" + r.Query.Encode()
	}
	return r.Path
}

package provider_test

import (
	"net/http"
	"regexp"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// faults are the ways in which a request can go wrong. Each gets the request
// and its answer as they are without it. Those after the service acted are for
// requests that change something.
var faults = []struct {
	name  string
	fault func(r fakecloud.Request) fakecloud.Fault
}{
	{"429", func(fakecloud.Request) fakecloud.Fault { return fakecloud.Fault{Status: http.StatusTooManyRequests} }},
	{"429 with Retry-After", status(http.StatusTooManyRequests)},
	{"500", status(http.StatusInternalServerError)},
	{"503", status(http.StatusServiceUnavailable)},
	{"401", status(http.StatusUnauthorized)},
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
	{"HTML", func(fakecloud.Request) fakecloud.Fault {
		return fakecloud.Fault{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Log in to the network</html>"}
	}},
}

func status(code int) func(fakecloud.Request) fakecloud.Fault {
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

// aim lets a fault hit the target.
func (g target) aim(f fakecloud.Fault, times int) fakecloud.Fault {
	f.Service, f.Region, f.Method, f.Nth, f.Times = g.Service, g.Region, g.Method, g.nth, times
	f.PathRegexp = regexp.MustCompile("^" + regexp.QuoteMeta(address(g.Request)) + "$")
	if g.Service == "" {
		f.PathRegexp = regexp.MustCompile("^" + g.Path)
	}
	return f
}

// same tells whether a request is of the target's kind.
func (g target) same(r fakecloud.Request) bool {
	return r.Service == g.Service && r.Region == g.Region && r.Method == g.Method && address(r) == address(g.Request)
}

// address is the path and query of a request; those of a webhook have a token
// in the query that is drawn by lot.
func address(r fakecloud.Request) string {
	if len(r.Query) > 0 && r.Service != "" {
		return r.Path + "?" + r.Query.Encode()
	}
	return r.Path
}

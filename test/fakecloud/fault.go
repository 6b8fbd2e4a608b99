package fakecloud

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Forever is the [Fault.Times] of a fault that never ends.
const Forever = -1

// Effect is the effect of a fault on a request.
type Effect int

const (
	// Respond gives another answer: Status, Header and Body.
	Respond Effect = iota
	// Reset resets the connection; there is no answer. A client of net/http tries again by itself if the request is
	// not a POST or PATCH and used a connection for the second time, so the request may be recorded twice.
	Reset
	// Truncate gives the service's answer with its Content-Length, but cuts the body half-way and closes the
	// connection.
	Truncate
	// Delay delays the request for the duration.
	Delay
	// Hang gives no answer until the client goes away or the cloud is closed.
	Hang
	// Handle lets Handler answer, in ways that no service does.
	Handle
)

// Fault breaks requests. The empty fields of the first group match everything; a request is hit by the first fault
// that matches it.
type Fault struct {
	Service    string // Identity, Compute, ...
	Region     string // region of the service, unless it serves all regions
	Method     string
	Path       string         // pattern as in [Cloud.Count]: /servers/*/action
	PathRegexp *regexp.Regexp // matches the path and the query
	Nth        int            // number of the first matching request that is hit
	Times      int            // number of requests that are hit; 0 means one, [Forever] all

	Effect Effect
	Status int         // for Respond
	Header http.Header // for Respond
	Body   string      // for Respond; "" is the service's own body for such a status
	Delay  time.Duration
	Until  <-chan struct{} // ends a Delay before its time

	Handler http.Handler // for Handle; it may read the body of the request

	// Acts lets the service do its work first: the state changes, and the client gets the fault as its answer. It is
	// for Respond, Reset, Hang and Handle.
	Acts bool
}

// Injected is a fault in place.
type Injected struct {
	cloud       *Cloud
	fault       Fault
	seen, fired int
	hit         chan struct{}
}

// Inject puts a fault in place.
func (c *Cloud) Inject(f Fault) *Injected {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := &Injected{cloud: c, fault: f, hit: make(chan struct{})}
	c.faults = append(c.faults, in)
	return in
}

// Fired returns the number of requests that the fault has hit.
func (in *Injected) Fired() int {
	in.cloud.mu.Lock()
	defer in.cloud.mu.Unlock()
	return in.fired
}

// Hit is closed when the fault hits its first request.
func (in *Injected) Hit() <-chan struct{} { return in.hit }

// Remove ends the fault. Requests that already hang keep hanging.
func (in *Injected) Remove() {
	in.cloud.mu.Lock()
	defer in.cloud.mu.Unlock()
	in.cloud.faults = slices.DeleteFunc(in.cloud.faults, func(o *Injected) bool { return o == in })
}

// fault returns the fault that hits the request, and counts it.
func (c *Cloud) fault(r *Request) *Fault {
	var hit *Injected
	for _, in := range c.faults {
		if !in.fault.matches(r) {
			continue
		}
		in.seen++ // also if another fault hits: Nth counts requests
		if hit == nil && in.seen >= in.fault.Nth && (in.fault.Times == Forever || in.fired < max(1, in.fault.Times)) {
			hit = in
		}
	}
	if hit == nil {
		return nil
	}
	if hit.fired++; hit.fired == 1 {
		close(hit.hit)
	}
	return &hit.fault
}

func (f *Fault) matches(r *Request) bool {
	if f.PathRegexp != nil {
		target := r.Path
		if len(r.Query) > 0 {
			target += "?" + r.Query.Encode()
		}
		if !f.PathRegexp.MatchString(target) {
			return false
		}
	}
	return matches(f.Service, r.Service) && matches(f.Region, r.Region) &&
		matches(f.Method, r.Method) && matchesPath(f.Path, r.Path)
}

// answer returns the reply of a Respond.
func (f *Fault) answer(service string) reply {
	rep := reply{status: f.Status, header: http.Header{"Content-Type": {"application/json"}}, body: []byte(f.Body)}
	for key, values := range f.Header {
		rep.header[http.CanonicalHeaderKey(key)] = values
	}
	if f.Body == "" && f.Status >= 400 {
		retry, _ := strconv.Atoi(rep.header.Get("Retry-After"))
		rep.body = encoded(errorBody(service, f.Status, retry))
	}
	return rep
}

// errorBody returns an error in the service's format.
func errorBody(service string, status, retry int) object {
	text := http.StatusText(status)
	switch service {
	case Compute, BlockStorage:
		return novaFault(status, text, retry)
	case Images:
		return webob(status, text)
	case LoadBalancing:
		return octaviaFault(status, text)
	}
	return keystoneFault(status, text)
}

// reset closes the connection so that the client sees a reset.
func reset(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // without it the connection would be closed normally
		}
		_ = conn.Close()
		return
	}
	panic(http.ErrAbortHandler)
}

// truncate sends half of an answer.
func truncate(w http.ResponseWriter, rep reply) {
	rep.writeHeader(w)
	_, _ = w.Write(rep.body[:len(rep.body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler) // net/http closes the connection
}

// hang waits until nobody waits for the answer any more.
func (c *Cloud) hang(ctx context.Context) {
	c.pause(ctx, -1, nil)
	panic(http.ErrAbortHandler)
}

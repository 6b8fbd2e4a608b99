package fakecloud

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxBody is the maximum size of request bodies; Nova's own bound is 112 KiB.
const maxBody = 1 << 20

// call is a request on its way through a service.
type call struct {
	*Cloud
	record *Request
	header http.Header
	base   string   // beginning of all URLs: scheme, host and port
	parts  []string // parts of the path below the service, unescaped
	vars   []string // values for the {} of the route
	token  *token   // token of the user; nil until it is known

	region     *region // for Nova
	minor      int     // minor version of the microversion
	id         string  // id of the request
	version    string  // microversion in the form of the answer; "" if the answer does not name it
	projectURL string  // project's id and a slash, if the URL has it
}

// reply is an answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// writeHeader writes the status and the headers, with the Content-Length of the whole body.
func (r reply) writeHeader(w http.ResponseWriter) {
	h := w.Header()
	maps.Copy(h, r.header)
	if h.Get("Content-Length") == "" &&
		(r.status != http.StatusNoContent || len(r.body) > 0) { // a fault may announce more
		h.Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	w.WriteHeader(r.status)
}

func (r reply) write(w http.ResponseWriter) {
	r.writeHeader(w)
	_, _ = w.Write(r.body)
}

// jsonReply is an answer in JSON.
func jsonReply(status int, v any) reply {
	return reply{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: encoded(v)}
}

// noContent is an answer without a body and its type.
func noContent() reply { return reply{status: http.StatusNoContent, header: http.Header{}} }

// unauthorized is the answer of most services to an invalid token.
func (k *call) unauthorized() reply {
	fault := object{{"code", 401}, {"title", "Unauthorized"}, {"message", errUnauthorized.message}}
	return jsonReply(401, object{{"error", fault}}).set("Www-Authenticate", `Keystone uri="`+k.identityURL()+`"`)
}

// set sets a header.
func (r reply) set(key, value string) reply {
	r.header.Set(key, value)
	return r
}

// ServeHTTP records the request, applies a fault to it, and passes it to the service.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !c.enter() {
		panic(http.ErrAbortHandler)
	}
	defer c.serving.Done()
	// The whole body is read first, because net/http notices a client that goes away only if nothing is left to read.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return
	}
	k := c.newCall(r, body)
	f, rep, at := c.take(r.Context(), k)
	w.Header().Set("Date", at.Format(http.TimeFormat)) // a fault may replace it
	switch {
	case f == nil || f.Effect == Respond || f.Effect == Delay:
		rep.write(w)
	case f.Effect == Reset:
		reset(w)
	case f.Effect == Truncate:
		truncate(w, rep)
	case f.Effect == Hang:
		c.hang(r.Context())
	case f.Effect == Handle:
		r.Body = io.NopCloser(bytes.NewReader(body))
		f.Handler.ServeHTTP(w, r)
	}
}

// take records a request, lets the service do its work unless the fault prevents it, and returns the answer and when
// it was made. A test that sees that the fault has hit also sees that work, unless the fault is a delay.
func (c *Cloud) take(ctx context.Context, k *call) (f *Fault, rep reply, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.record.Time = c.time()
	c.requests = append(c.requests, k.record)
	f = c.fault(k.record)
	if f != nil && f.Effect == Delay {
		c.mu.Unlock()
		waited := c.pause(ctx, f.Delay, f.Until)
		c.mu.Lock()
		if !waited {
			panic(http.ErrAbortHandler)
		}
	}
	if f == nil || f.Acts || f.Effect == Delay || f.Effect == Truncate {
		rep = k.serve()
		k.show()
	}
	if f != nil && f.Effect == Respond {
		rep = f.answer(k.record.Service)
	}
	if f == nil || f.Effect != Reset && f.Effect != Hang && f.Effect != Handle {
		k.record.Status = rep.status
	}
	return f, rep, c.time()
}

// newCall finds the service of the request.
func (c *Cloud) newCall(r *http.Request, body []byte) *call {
	query, _ := url.ParseQuery(r.URL.RawQuery)
	k := &call{
		Cloud:  c,
		header: r.Header,
		base:   "http://" + r.Host,
		record: &Request{
			Method: r.Method,
			Query:  query,
			Token:  r.Header.Get("X-Auth-Token"),
			Body:   body,
			Path:   r.URL.Path,
			Agent:  r.UserAgent(),
		},
	}
	if r.TLS != nil {
		k.base = "https://" + r.Host
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	for i, p := range parts {
		if unescaped, err := url.PathUnescape(p); err == nil {
			parts[i] = unescaped
		}
	}
	service, parts := parts[0], parts[1:]
	rec := k.record
	switch service {
	case Identity, Images:
		rec.Service, k.parts = service, parts
	case Compute, Network, LoadBalancing, BlockStorage, DNS:
		rec.Service = service
		if len(parts) > 0 {
			rec.Region, k.parts = parts[0], parts[1:]
		}
	default:
		return k
	}
	if service == Compute {
		rec.Microversion = requestedVersion(r.Header)
		if len(k.parts) > 1 && isHexID(k.parts[1]) {
			k.projectURL = k.parts[1] + "/"
			k.parts = append(k.parts[:1:1], k.parts[2:]...)
		}
	}
	rec.Path = "/"
	if len(k.parts) > 1 {
		rec.Path += strings.Join(k.parts[1:], "/")
	}
	return k
}

// isHexID reports whether a part of a path is a project's id: Nova's routes accept any text of these characters.
func isHexID(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef-") == ""
}

// serve passes the request to the service. The mutex is held.
func (k *call) serve() reply {
	switch k.record.Service {
	case Identity:
		return k.serveKeystone()
	case Compute:
		return k.serveNova()
	case Images:
		return k.serveGlance()
	case Network, LoadBalancing, BlockStorage, DNS:
		return k.serveRegional(regionals[k.record.Service])
	}
	return reply{http.StatusNotFound, http.Header{"Content-Type": {"text/plain"}}, []byte("no service here\n")}
}

// route is a row of a service's table of paths.
type route struct {
	method string
	path   string // with {} for variable parts
	since  int    // minor version of Nova's API that added it
	serve  func(*call) reply
}

// of returns a function that finds the object of a request first, and then serves the request.
func of[T any](find func(*call) T, serve func(*call, T) reply) func(*call) reply {
	return func(k *call) reply { return serve(k, find(k)) }
}

// show returns a function that answers with the document of the object of a request, under a name.
func show[T any](name string, find func(*call) T, document func(*call, T) object) func(*call) reply {
	return of(find, func(k *call, found T) reply { return jsonReply(200, object{{name, document(k, found)}}) })
}

// find looks up the route of the request, and sets vars. It returns nil without one.
func (k *call) find(routes []route, parts []string) *route {
	for i := range routes {
		if vars, ok := fits(routes[i].path, parts); ok && routes[i].method == k.record.Method {
			k.vars = vars
			return &routes[i]
		}
	}
	return nil
}

func fits(pattern string, parts []string) (vars []string, ok bool) {
	want := strings.Split(pattern[1:], "/")
	if len(want) != len(parts) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w == "{}" && parts[i] != "":
			vars = append(vars, parts[i])
		case w != parts[i]:
			return nil, false
		}
	}
	return vars, true
}

// regional is a service of one version that each region has.
type regional struct {
	version string // v2 is also v2.0
	routes  []route
	index   func(*call) reply    // public answer at its root; nil without one
	missing func(*call) reply    // answer without a route
	refuse  func(*refusal) reply // its format for errors
}

var regionals = map[string]regional{
	Network:       {"v2.0", neutronRoutes, (*call).neutronVersions, (*call).nowhere, neutronReply},
	LoadBalancing: {"v2", octaviaRoutes, (*call).octaviaVersions, octaviaNowhere, octaviaReply},
	BlockStorage:  {"v3", cinderRoutes, nil, (*call).nowhere, cinderReply},
	DNS:           {"v2", designateRoutes, nil, (*call).nowhere, designateReply},
}

func (k *call) serveRegional(s regional) reply {
	k.region = k.regions[k.record.Region]
	if k.region == nil {
		return k.nowhere()
	}
	if s.index != nil && strings.Join(k.parts, "") == "" {
		return s.index(k)
	}
	if k.token = k.validToken(k.record.Token); k.token == nil {
		return k.unauthorized()
	}
	k.region.settle(k.Cloud)
	rep := s.missing(k)
	if len(k.parts) > 1 && strings.HasPrefix(k.parts[0], s.version) {
		if r := k.find(s.routes, k.parts[1:]); r != nil {
			rep = refusable(func() reply { return r.serve(k) }, s.refuse)
		}
	}
	return rep.set("X-Openstack-Request-Id", "req-"+k.uuid("request"))
}

// nowhere is the answer of a service on WebOb to an unknown path.
func (k *call) nowhere() reply { return jsonReply(404, webob(404, "The resource could not be found.")) }

// webob is an error of a service on WebOb itself, for a client that accepts JSON.
func webob(status int, message string) object {
	return object{
		{"message", message + "<br /><br />\n\n\n"}, {"code", strconv.Itoa(status) + " " + http.StatusText(status)},
		{"title", http.StatusText(status)},
	}
}

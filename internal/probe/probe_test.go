package probe

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/proxied"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func listen(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// check asks an address, whose answer must have a status from 200 to 299.
func check(t *testing.T, address string, authorities *x509.CertPool) *HTTP {
	t.Helper()
	u, err := ParseURL(address)
	require.NoError(t, err)
	return &HTTP{URL: u, Status: Statuses{{200, 299}}, Client: web.NewClient(authorities, time.Minute)}
}

// wrong is the text of a failure, or "".
func wrong(f *Failure) string {
	if f == nil {
		return ""
	}
	return f.Text
}

// endless writes an answer without an end, until the client closes the connection.
func endless(w http.ResponseWriter, _ *http.Request) {
	for part := make([]byte, 32<<10); ; {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

func TestHTTP(t *testing.T) {
	var strangers atomic.Int64
	stranger := listen(t, func(http.ResponseWriter, *http.Request) { strangers.Add(1) })
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/health":
		case "/starting":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/away":
			http.Redirect(w, r, stranger.URL+"/?key=hidden", http.StatusFound)
		case "/endless":
			endless(w, r)
		case "/cut":
			w.Header().Set("Content-Length", "10")
		case "/nodes/web 0":
			if r.URL.Query().Get("at") != "127.0.0.1" {
				w.WriteHeader(http.StatusBadRequest)
			}
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	port := s.Listener.Addr().(*net.TCPAddr).Port
	for _, c := range []struct{ path, status, want string }{
		{"/health", "", ""},
		{"/starting", "", "answered 503 Service Unavailable"},
		{"/starting", "503", ""},
		{"/hidden?key=hidden", "200,204,301-399", " answered 404 Not Found"},
		{"/away", "", "answered 302 Found, a redirect to the same host, which is not followed"},
		{"/away", "200-399", ""},
		{"/endless", "", ""},
		{"/cut", "", "the answer breaks off"},
		{"/nodes/{name}?at={address}", "", ""},
	} {
		check := check(t, fmt.Sprintf("http://{address}:%d%s", port, c.path), nil)
		if c.status != "" {
			var err error
			check.Status, err = ParseStatuses(c.status)
			require.NoError(t, err)
		}
		got := wrong(check.Look(t.Context(), "web 0", "127.0.0.1"))
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || strings.Contains(got, "hidden") {
			t.Errorf("%s, %s: got %q, want %q", c.path, c.status, got, c.want)
		}
	}
	assert.Zero(t, strangers.Load(), "requests that another host got")
}

// TestCause: the error of the network has no address.
func TestCause(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, "connection refused"},
		{&net.DNSError{Err: "no such host", Name: "web-0"}, "no such host"},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}, "no answer in time"},
		{fmt.Errorf("dial: %w", context.DeadlineExceeded), "no answer in time"},
		{errors.New("the answer breaks off"), ""},
	} {
		assert.Equal(t, c.want, network(c.err), "%v", c.err)
	}
}

// TestLooks: each look makes a connection of its own, as a user of the service does, and closes it. Up to five
// redirects are followed.
func TestLooks(t *testing.T) {
	var opened, closed atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if left, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/")); left > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", left-1), http.StatusFound)
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened.Add(1)
		case http.StateClosed:
			closed.Add(1)
		case http.StateActive, http.StateIdle, http.StateHijacked:
		}
	}
	s.Start()
	defer s.Close()
	port := s.Listener.Addr().(*net.TCPAddr).Port
	for path, want := range map[string]string{"0": "", "5": "", "6": "answered 302 Found"} {
		before, check := opened.Load(), check(t, fmt.Sprintf("http://{address}:%d/%s", port, path), nil)
		for range 2 {
			if got := check.Look(t.Context(), "web-0", "127.0.0.1"); (got == nil) != (want == "") || got != nil && !strings.Contains(got.Text, want) {
				t.Errorf("/%s: %v", path, got)
			}
		}
		requests, _ := strconv.ParseInt(path, 10, 64)
		assert.Equal(t, 2*(min(requests, 5)+1), opened.Load()-before, "/%s: connections", path)
	}
	tcp := &TCP{Port: int64(port)}
	// No connection is made to an address that no node can have, even if a name resolves to it: this machine would
	// answer.
	before := opened.Load()
	for _, look := range []*Failure{
		tcp.Look(t.Context(), "0.0.0.0"),
		check(t, fmt.Sprintf("http://{address}:%d/0", port), nil).Look(t.Context(), "web-0", "0.0.0.0"),
	} {
		assert.True(t, look != nil && look.Unasked && strings.Contains(look.Text, "0.0.0.0 is the address of no host"), "%+v", look)
	}
	assert.Equal(t, before, opened.Load(), "connections")
	assert.Nil(t, tcp.Look(t.Context(), "127.0.0.1"))
	for closed.Load() < opened.Load() {
		time.Sleep(time.Millisecond) // until the server has noticed
	}
}

// TestRedirectToOtherOrigin: a redirect to another scheme, host or port is not followed, even to the same host.
// Nothing is requested from a host whose certificate is not trusted.
func TestRedirectToOtherOrigin(t *testing.T) {
	var others atomic.Int64
	other := listen(t, func(http.ResponseWriter, *http.Request) { others.Add(1) })
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	}))
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	otherPort, samePort := other.Listener.Addr().(*net.TCPAddr).Port, s.Listener.Addr().(*net.TCPAddr).Port
	for _, to := range []string{
		fmt.Sprintf("http://127.0.0.1:%d/", otherPort),
		fmt.Sprintf("https://127.0.0.1:%d/", otherPort),
		fmt.Sprintf("http://127.0.0.1:%d/", samePort), // the same port without TLS
		fmt.Sprintf("https://localhost:%d/", samePort),
	} {
		check := check(t, fmt.Sprintf("https://{address}:%d/?to=%s", samePort, url.QueryEscape(to)), pool)
		assert.Contains(t, wrong(check.Look(t.Context(), "web-0", "127.0.0.1")), "answered 302 Found, a redirect to ", to)
	}
	assert.Zero(t, others.Load(), "redirects that were followed")
	untrusted := check(t, fmt.Sprintf("https://{address}:%d/", samePort), x509.NewCertPool())
	assert.Contains(t, wrong(untrusted.Look(t.Context(), "web-0", "127.0.0.1")), "certificate signed by unknown authority")
}

// TestProxy: a node is always asked directly. A proxy that answers 200 makes no node healthy.
func TestProxy(t *testing.T) {
	assert.Empty(t, proxied.Seen(t, func() {
		for _, address := range []string{"http://{address}/health", "https://{address}/health"} {
			assert.NotNil(t, check(t, address, nil).Look(t.Context(), "web-0", "node.invalid"), "%s: in service", address)
		}
	}))
}

func TestTCP(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "::1", "[::1]", "localhost"} {
		s, err := net.Listen("tcp", net.JoinHostPort(PlainAddress(address), "0"))
		if err != nil {
			t.Logf("%s: %v", address, err) // a machine without IPv6
			continue
		}
		check := &TCP{Port: int64(s.Addr().(*net.TCPAddr).Port)}
		assert.Empty(t, wrong(check.Look(t.Context(), address)), address)
		s.Close()
		refused := check.Look(t.Context(), address)
		assert.Contains(t, wrong(refused), fmt.Sprintf("%d: connect: connection refused", check.Port), address)
		assert.Equal(t, "connection refused", refused.Network, address)
	}
}

// TestNetwork: nodes that cannot be reached have the same cause, whatever their addresses, and an answer of the
// service is no such cause.
func TestNetwork(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, and answers nothing
	require.NoError(t, err)
	defer silent.Close()
	teapot := listen(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for address, want := range map[string]string{
		"http://127.0.0.1:1/":                    "connection refused",
		"http://127.0.0.2:2/":                    "connection refused",
		"http://" + silent.Addr().String() + "/": "no answer in time",
		teapot.URL:                               "",
	} {
		limit := time.Minute
		if want == "no answer in time" {
			limit = 50 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		got := check(t, address, nil).Look(ctx, "web-0", "127.0.0.1")
		cancel()
		require.NotNil(t, got, address)
		assert.Equal(t, want, got.Network, address)
	}
}

func TestURL(t *testing.T) {
	for _, c := range []struct{ template, name, address, want, err string }{
		{"http://{address}:8080/health", "web-0", "10.0.0.5", "http://10.0.0.5:8080/health", ""},
		{"http://{address}:8080/health", "web-0", "fd00::5", "http://[fd00::5]:8080/health", ""},
		{"http://[{address}]:8080/", "web-0", "[fd00::5]", "http://[fd00::5]:8080/", ""},
		{"http://[{address}]/", "web-0", "10.0.0.5", "http://10.0.0.5/", ""},
		{"https://{address}/", "web-0", "fe80::1%eth0", "https://[fe80::1%25eth0]/", ""},
		{"https://{name}.example/{name}?n={name}&a={address}#{name}", "web-0", "fd00::5", "https://web-0.example/web-0?n=web-0&a=fd00%3A%3A5", ""},
		{"https://lb.example/{name}?n={name}", "a/b c?&d", "", "https://lb.example/a%2Fb%20c%3F&d?n=a%2Fb+c%3F%26d", ""},
		{"https://{name}:secret@lb.example/", "web-0", "", "https://web-0:secret@lb.example/", ""},
		{"HTTPS://lb.example", "web-0", "", "https://lb.example", ""},
		{"https://{name}.example/", "web 0", "", "", `the name "web 0" of the node cannot be part of a host's name`},
		{"https://{address}/", "web-0", "", "", "the node has no address"},
		{"https://{address}/", "web-0", "evil.example/?", "", `"evil.example/?" is neither an IP address nor the name of a host`},
		{"https://{ip}/", "", "", "", `"{ip}" is no placeholder`},
		{"https://{address}/{", "", "", "", "a brace is not closed, or not opened"},
		{"ftp://{address}/", "", "", "", "an address begins with http:// or https://"},
		{"{address}:80", "", "", "", "an address begins with http:// or https://"},
		{"http://:80/", "", "", "", "it is not an address with a host"},
		{"http://{address}:http/", "", "", "", "it is not an address with a host"},
		{"http://{address}:65536/", "", "", "", "the port 65536 is not between 1 and 65535"},
		{"http://{address}:0/", "", "", "", "the port 0 is not between 1 and 65535"},
		{"http://{address}:99999999999999999999/", "", "", "", "is not between 1 and 65535"},
		{"http://{address}:65535/", "web-0", "10.0.0.5", "http://10.0.0.5:65535/", ""},
		{"http://{address}:1/", "web-0", "10.0.0.5", "http://10.0.0.5:1/", ""},
		{"http://{address}?a=1", "web-0", "10.0.0.5", "http://10.0.0.5?a=1", ""},
		{"http:///a", "", "", "", "it is not an address with a host"},
		{"https://{name}:{name}@lb.example/", "a@b", "", "https://a%40b:a%40b@lb.example/", ""},
	} {
		u, err := ParseURL(c.template)
		var got *url.URL
		if err == nil {
			got, err = u.For(c.name, c.address)
		}
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: got %v, %v, want %q", c.template, got, err, c.err)
		case c.err == "" && (err != nil || got.String() != c.want):
			t.Errorf("%s: got %v, %v, want %q", c.template, got, err, c.want)
		}
	}
}

// TestCheckAddress: only the node can answer at an accepted address, neither the machine that asks nor a metadata
// service.
func TestCheckAddress(t *testing.T) {
	const none, local = "is the address of no host", "is a link-local address or a metadata service's"
	for address, want := range map[string]string{
		"10.0.0.5":               "",
		"[fd00::5]":              "",
		"127.0.0.1":              "",
		"169.253.255.255":        "",
		"web-0.example":          "",
		"1.example":              "",
		"0.0.0.0":                none,
		"::":                     none,
		"[::]":                   none,
		"::%eth0":                none,
		"::ffff:0.0.0.0":         none,
		"169.254.169.254":        local,
		"::ffff:169.254.169.254": local,
		"[fe80::1%eth0]":         local,
		"febf::1":                local,
		"::1":                    "",
		"fd00:ec2::254":          local,
		"100.100.100.200":        local,
		"0":                      "is neither an IP address nor the name of a host",
		"2852039166":             "is neither an IP address nor the name of a host",
		"0xa9fea9fe":             "is neither an IP address nor the name of a host",
		"169.254.43518":          "is neither an IP address nor the name of a host",
		"10.0.0.300":             "is neither an IP address nor the name of a host",
	} {
		for _, allowed := range []bool{false, true} {
			want := want
			if want == local && allowed {
				want = ""
			}
			err := cmp.Or(CheckAddress(address), CheckRange(address, allowed))
			assert.Contains(t, fmt.Sprint(err), cmp.Or(want, "<nil>"), address)
		}
	}
}

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		list   string
		has    []int
		hasNot []int
	}{
		{"200-299", []int{200, 204, 299}, []int{199, 300, 404}},
		{"100-599", []int{100, 599}, []int{99, 600}},
		{"200, 401,500-503", []int{200, 401, 500, 503}, []int{201, 400, 504}},
	} {
		s, err := ParseStatuses(c.list)
		require.NoError(t, err)
		for _, status := range c.has {
			assert.True(t, s.has(status), "%s: %d", c.list, status)
		}
		for _, status := range c.hasNot {
			assert.False(t, s.has(status), "%s: %d", c.list, status)
		}
	}
	for _, list := range []string{"", "2xx", "200-", "299-200", "99", "200-600", "200,,204", "+200", "0200", "200-299-300", "2xx-200", "200-2xx", "0200-299",
		"200-0299", "099", "600"} {
		_, err := ParseStatuses(list)
		assert.Error(t, err, list)
	}
}

// FuzzURL: the values of the placeholders change only their own places in the URL.
func FuzzURL(f *testing.F) {
	for _, seed := range [][2]string{{"web-0", "10.0.0.1"}, {"a/b", "fd00::1"}, {"x@evil.example", "evil.example/"}, {"{address}", "{name}"},
		{"%2F", "fe80::1%eth0"}, {"#?&", "[::1]"}} {
		f.Add(seed[0], seed[1])
	}
	u, err := ParseURL("https://{address}:8443/nodes/{name}/x?name={name}&end=1")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, name, address string) {
		got, err := u.For(name, address)
		if err != nil {
			return
		}
		host, zone := PlainAddress(address), strings.Contains(address, "%")
		if !zone && got.Hostname() != host || got.Port() != "8443" || got.User != nil || got.Query().Get("end") != "1" || got.Query().Get("name") != name {
			t.Errorf("%q, %q: %s", name, address, got)
		}
		assert.Equal(t, "/nodes/"+name+"/x", got.Path, "%q: path", name)
	})
}

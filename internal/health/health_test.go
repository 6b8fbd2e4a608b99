package health

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// service is what answers for the nodes: each has an address of its own, of one
// machine.
type service struct {
	mu    sync.Mutex
	asked map[string]int // by host
	now   atomic.Int64   // requests under way
	most  atomic.Int64
	says  func(host string, look int) int // status of the answer
	port  string
}

func serve(t *testing.T, says func(host string, look int) int) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	s := &service{asked: map[string]int{}, says: says}
	_, s.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := s.now.Add(1)
		defer s.now.Add(-1)
		for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
		}
		host, _, _ := net.SplitHostPort(r.Host)
		s.mu.Lock()
		s.asked[host]++
		n := s.asked[host]
		s.mu.Unlock()
		w.WriteHeader(s.says(host, n))
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return s
}

func (s *service) check(t *testing.T, timeout time.Duration) Check {
	t.Helper()
	u, err := probe.ParseURL("http://{address}:" + s.port + "/health")
	require.NoError(t, err)
	return Check{HTTP: &probe.HTTP{URL: u, Status: probe.Statuses{{200, 299}}, Client: web.NewClient(nil, time.Minute)}, Timeout: timeout}
}

// nodes are at 127.9.0.1, 127.9.0.2 and so on.
func nodes(region string, from, n int) (list []Node) {
	for i := from; i < from+n; i++ {
		list = append(list, Node{ID: fmt.Sprintf("id-%d", i), Name: fmt.Sprintf("web-%d", i), Region: region,
			Addresses: []string{fmt.Sprintf("127.9.%d.%d", i>>8, i&255)}})
	}
	return list
}

func names(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// TestHTTP: a node that fails twice is unhealthy, one that fails every second time is not, and
// no more than 64 are asked at once.
func TestHTTP(t *testing.T) {
	s := serve(t, func(host string, look int) int {
		switch {
		case host == "127.9.0.1", host == "127.9.0.2" && look%2 == 1:
			return 503
		}
		return 200
	})
	result := s.check(t, time.Minute).Look(t.Context(), nodes("R", 1, 200))
	if got := names(result.Unhealthy); !slices.Equal(got, []string{"id-1"}) || len(result.Warnings) > 0 ||
		!strings.Contains(result.Unhealthy["id-1"], " answered 503 Service Unavailable") {
		t.Errorf("got %+v", result)
	}
	if s.asked["127.9.0.1"] != 2 || s.asked["127.9.0.2"] != 2 || s.asked["127.9.0.3"] != 1 || len(s.asked) != 200 {
		t.Errorf("asked %d, %d and %d times, %d nodes", s.asked["127.9.0.1"], s.asked["127.9.0.2"], s.asked["127.9.0.3"], len(s.asked))
	}
	assert.LessOrEqual(t, s.most.Load(), int64(atOnce), "requests at once")
}

// TestNoWay: where all fail with one error of the network, in all regions or in
// one, none is unhealthy. What all answer is no matter of the way to them.
func TestNoWay(t *testing.T) {
	one, err := net.Listen("tcp", "127.9.0.1:0") // where web-1 answers, and nobody else
	require.NoError(t, err)
	defer one.Close()
	answers := Check{TCP: &probe.TCP{Port: int64(one.Addr().(*net.TCPAddr).Port)}, Timeout: time.Minute}
	refused := Check{TCP: &probe.TCP{Port: 1}, Timeout: time.Minute}
	down := serve(t, func(string, int) int { return 500 }).check(t, time.Minute)
	var all sync.WaitGroup // what fails is asked again a second later
	for _, c := range []struct {
		name      string
		check     Check
		nodes     []Node
		unhealthy []string
		unknown   int
		warning   string
	}{
		{"all", refused, nodes("R", 1, 5), nil, 5, "All 5 nodes that were asked failed with the same error of the network (connection refused)."},
		{"one alone", refused, nodes("R", 1, 1), nil, 1, "All 1 nodes that were asked"},
		{"one of two", answers, nodes("R", 1, 2), []string{"id-2"}, 0, ""},
		{"a region of two nodes", answers, append(nodes("R", 1, 1), nodes("S", 2, 2)...), nil, 2, "All 2 nodes of the region S "},
		{"a region of one node", answers, append(nodes("R", 1, 1), nodes("S", 2, 1)...), []string{"id-2"}, 0, ""},
		{"all answer with 500", down, nodes("R", 1, 2), []string{"id-1", "id-2"}, 0, ""},
	} {
		all.Go(func() {
			result := c.check.Look(t.Context(), c.nodes)
			warnings := strings.Join(result.Warnings, "|")
			if !slices.Equal(names(result.Unhealthy), c.unhealthy) || len(result.Unknown) != c.unknown ||
				!strings.HasPrefix(warnings, c.warning) || (warnings == "") != (c.warning == "") || len(result.Warnings) > 1 {
				t.Errorf("%s: got %+v", c.name, result)
			}
		})
	}
	all.Wait()
}

// TestHanging: however many nodes hang, each is asked twice within the timeout, and those
// behind them too.
func TestHanging(t *testing.T) {
	var all sync.WaitGroup
	for _, c := range []struct{ nodes, hanging int }{{24, 17}, {24, 24}, {100, 64}, {100, 99}} {
		release := make(chan struct{})
		s := serve(t, func(host string, _ int) int {
			switch last := host[strings.LastIndex(host, ".")+1:]; {
			case last == fmt.Sprint(c.nodes):
				return 500
			case len(last) < 3 && fmt.Sprintf("%2s", last) <= fmt.Sprintf("%2d", c.hanging):
				<-release
			}
			return 200
		})
		check := s.check(t, 4*time.Second)
		all.Go(func() {
			result := check.Look(t.Context(), nodes("R", 1, c.nodes))
			close(release)
			unhealthy := min(c.hanging, c.nodes-1) + 1 // the last one answers
			if len(result.Unhealthy) != unhealthy || len(result.Unknown)+len(result.Warnings) != 0 ||
				!strings.Contains(result.Unhealthy[fmt.Sprintf("id-%d", c.nodes)], "500") {
				t.Errorf("%d of %d hang: got %+v", c.hanging, c.nodes, result)
			}
			s.mu.Lock() // a request that was given up may still arrive
			defer s.mu.Unlock()
			assert.Equal(t, 2, s.asked["127.9.0.1"], "%d of %d hang: tries", c.hanging, c.nodes)
		})
	}
	all.Wait()
}

// TestNotAsked: what was never tried is not known, and a warning counts it: nodes for
// which there was no time, and those at whose address others than the node may answer.
func TestNotAsked(t *testing.T) {
	silent, err := net.Listen("tcp", "0.0.0.0:0") // takes connections, and answers nothing
	require.NoError(t, err)
	defer silent.Close()
	s := &service{}
	_, s.port, _ = net.SplitHostPort(silent.Addr().String())
	start := time.Now()
	result := s.check(t, time.Second).Look(t.Context(), nodes("R", 1, 10_000))
	assert.Less(t, time.Since(start), 20*time.Second)
	if len(result.Unhealthy) != 0 || len(result.Unknown) != 10_000 ||
		!strings.Contains(strings.Join(result.Warnings, "\n"), " of 10000 nodes of the region R were not asked") {
		t.Errorf("%d are unhealthy, %d not known: %q", len(result.Unhealthy), len(result.Unknown), result.Warnings)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if result := s.check(t, time.Minute).Look(cancelled, nodes("R", 1, 3)); len(result.Unhealthy) != 0 || len(result.Unknown) != 3 {
		t.Errorf("got %+v", result)
	}
	for _, addresses := range [][]string{nil, {"0.0.0.0"}, {"::", "169.254.169.254"}, {"[fe80::1]", "::ffff:169.254.169.254"}} {
		result := s.check(t, time.Minute).Look(t.Context(), []Node{{ID: "a", Region: "R", Addresses: addresses}})
		if len(result.Unhealthy) != 0 || !result.Unknown["a"] || len(result.Warnings) != 1 ||
			!strings.HasPrefix(result.Warnings[0], "1 of 1 nodes of the region R were not asked") {
			t.Errorf("%q: got %+v", addresses, result)
		}
	}
}

// TestOctavia: what the monitors of pools say, of each pool in one request, and where a member is in
// ERROR in one more.
func TestOctavia(t *testing.T) {
	members := func(statuses string) (list []openstack.Member) { // at 127.9.0.1, 127.9.0.2 and so on
		for i, status := range strings.Fields(statuses) {
			n := fmt.Sprint(i + 1)
			list = append(list, openstack.Member{ID: openstack.Text(n), Name: openstack.Text("m-" + n), Address: openstack.Text("127.9.0." + n),
				Operating: openstack.Text(status)})
		}
		return list
	}
	for _, c := range []struct {
		name      string
		looks     []string // the statuses of the members, or "broken"
		unhealthy []string
		warning   string
	}{
		{"all well", []string{"ONLINE ONLINE"}, nil, ""},
		{"two in ERROR", []string{"ERROR ONLINE ERROR", "ERROR ONLINE ERROR"}, []string{"id-1", "id-3"}, ""},
		{"in ERROR once", []string{"ERROR ONLINE", "ONLINE ERROR"}, nil, ""},
		{"other statuses", []string{"OFFLINE DRAINING"}, nil, ""},
		{"no monitor", []string{"NO_MONITOR NO_MONITOR"}, nil, "The pool p of the region R has no health monitor (NO_MONITOR)"},
		{"no pool", []string{""}, nil, "No region of the nodes has the pool p: correct pool_ids."},
		{"no answer", []string{"broken"}, nil, "The health of the nodes of the region R is not known: broken."},
		{"no second answer", []string{"ERROR", "broken"}, nil, "is not known: broken."},
	} {
		listed := 0
		result := Check{Pools: []string{"p"}, Timeout: time.Second, Members: func(context.Context, string, string) ([]openstack.Member, error) {
			if listed++; c.looks[listed-1] == "broken" {
				return nil, errors.New("broken")
			}
			return members(c.looks[listed-1]), nil
		}}.Look(t.Context(), nodes("R", 1, 3))
		if got := names(result.Unhealthy); !slices.Equal(got, c.unhealthy) || listed != len(c.looks) {
			t.Errorf("%s: got %v, listed %d times", c.name, result.Unhealthy, listed)
		}
		if all := strings.Join(result.Warnings, " "); (all == "") != (c.warning == "") || !strings.Contains(all, c.warning) || len(result.Warnings) > 1 {
			t.Errorf("%s: got %q, want %q", c.name, all, c.warning)
		}
	}
	// A node is as well as in the worst of its pools, in whatever order they are.
	for _, pools := range [][]string{{"ERROR", "ONLINE"}, {"ONLINE", "ERROR"}} {
		check := Check{Pools: pools, Timeout: time.Second,
			Members: func(_ context.Context, _, pool string) ([]openstack.Member, error) { return members(pool), nil }}
		assert.Equal(t, []string{"id-1"}, names(check.Look(t.Context(), nodes("R", 1, 1)).Unhealthy), pools)
	}
}

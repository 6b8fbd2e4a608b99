package health

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// service answers for the nodes: each node has an address of this machine.
type service struct {
	mu    sync.Mutex
	asked map[string]int                  // requests by host
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

// nodes have the addresses 127.9.0.1, 127.9.0.2 and so on.
func nodes(region string, from, n int) (list []node.Node) {
	for i := from; i < from+n; i++ {
		list = append(list, node.Node{ID: fmt.Sprintf("id-%d", i), Name: fmt.Sprintf("web-%d", i), Region: region,
			Addresses: []string{fmt.Sprintf("127.9.%d.%d", i>>8, i&255)}})
	}
	return list
}

func names(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// TestHTTP: a node that fails twice is unhealthy, and a node that fails every second time is not.
func TestHTTP(t *testing.T) {
	s := serve(t, func(host string, look int) int {
		switch {
		case host == "127.9.0.1", host == "127.9.0.2" && look%2 == 1:
			return 503
		}
		return 200
	})
	result := s.check(t, time.Minute).Look(t.Context(), nodes("R", 1, 200))
	assert.Equal(t, []string{"id-1"}, names(result.Unhealthy))
	assert.Empty(t, result.Warnings)
	assert.Contains(t, result.Unhealthy["id-1"], " answered 503 Service Unavailable")
	assert.Equal(t, []int{2, 2, 1, 200}, []int{s.asked["127.9.0.1"], s.asked["127.9.0.2"], s.asked["127.9.0.3"], len(s.asked)}, "how often asked, and nodes")
}

// TestNoWay: if all nodes fail with one error of the network, in all regions or in one, no node is unhealthy. An
// answer of all nodes, such as 500, is not an error of the network.
func TestNoWay(t *testing.T) {
	one, err := net.Listen("tcp", "127.9.0.1:0") // address at which only web-1 answers
	require.NoError(t, err)
	defer one.Close()
	answers := Check{TCP: &probe.TCP{Port: int64(one.Addr().(*net.TCPAddr).Port)}, Timeout: time.Minute}
	refused := Check{TCP: &probe.TCP{Port: 1}, Timeout: time.Minute}
	down := serve(t, func(string, int) int { return 500 }).check(t, time.Minute)
	var all sync.WaitGroup // a node that fails is asked again a second later
	for _, c := range []struct {
		name      string
		check     Check
		nodes     []node.Node
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

// peer answers for all nodes, by the clock of a test.
type peer func(ctx context.Context, node int) (status int, err error)

func (p peer) RoundTrip(req *http.Request) (*http.Response, error) {
	node, _ := strconv.Atoi(strings.TrimPrefix(req.URL.Path, "/web-"))
	status, err := p(req.Context(), node)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}

func (p peer) check(t *testing.T) Check {
	t.Helper()
	u, err := probe.ParseURL("http://{address}/{name}")
	require.NoError(t, err)
	return Check{
		HTTP:    &probe.HTTP{URL: u, Status: probe.Statuses{{200, 299}}, Client: &http.Client{Transport: p}},
		Timeout: 10 * time.Second,
	}
}

// TestSlow: a node that answers within the time of a try is healthy, however many nodes hang, and a node that fails is
// found. If there are more nodes than are asked at once, the health of some may not be known, and no node that answers
// 200 is unhealthy.
func TestSlow(t *testing.T) {
	for _, n := range []int{64, 500, 1250} {
		for _, slow := range []time.Duration{300 * time.Millisecond, time.Second, 2500 * time.Millisecond} {
			for _, hanging := range []int{0, n / 10, n * 9 / 10} {
				t.Run(fmt.Sprintf("%d nodes, %s, %d hang", n, slow, hanging), func(t *testing.T) {
					tries := make([]atomic.Int64, n+1)
					var now atomic.Int64
					check := peer(func(ctx context.Context, node int) (int, error) {
						tries[node].Add(1)
						assert.LessOrEqual(t, now.Add(1), int64(mostAtOnce), "at once")
						defer now.Add(-1)
						if node <= hanging {
							<-ctx.Done()
							return 0, ctx.Err()
						}
						// The last node fails.
						return map[bool]int{false: 200, true: 500}[node == n], wait.For(ctx, slow*time.Duration(90+node%21)/100)
					}).check(t)
					synctest.Test(t, func(t *testing.T) {
						start := time.Now()
						result := check.Look(t.Context(), nodes("R", 1, n))
						took, found := time.Since(start), 0
						for node := 1; node <= n; node++ {
							if result.Unhealthy[fmt.Sprint("id-", node)] != "" && (node <= hanging || node == n) && tries[node].Load() == 2 {
								found++
							}
						}
						t.Logf("wrongly %d, missed %d, not known %d, %s", len(result.Unhealthy)-found, hanging+1-found, len(result.Unknown), took)
						assert.Len(t, result.Unhealthy, found, "called unhealthy")
						assert.LessOrEqual(t, took, check.Timeout)
						assert.Equal(t, len(result.Unknown) > 0, strings.Contains(fmt.Sprint(result.Warnings), "in time, with 500 at once, raise timeout"))
						if n <= mostAtOnce {
							assert.Equal(t, hanging+1, found, "found")
							assert.Empty(t, result.Unknown)
						}
					})
				})
			}
		}
	}
}

// TestNotAsked: the health of a node that was never tried is not known, and a warning counts it: there was no time
// for it, or something other than the node may answer at its address.
func TestNotAsked(t *testing.T) {
	check := peer(func(_ context.Context, node int) (int, error) {
		return 500, map[bool]error{true: syscall.EMFILE}[node == 2] // this machine has no file left for the connection
	}).check(t)
	result := check.Look(t.Context(), nodes("R", 1, 3))
	assert.Equal(t, []string{"id-1", "id-3"}, names(result.Unhealthy))
	assert.Equal(t, map[string]bool{"id-2": true}, result.Unknown)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if result := check.Look(cancelled, nodes("R", 1, 3)); len(result.Unhealthy) != 0 || len(result.Unknown) != 3 {
		t.Errorf("got %+v", result)
	}
	for _, addresses := range [][]string{nil, {"0.0.0.0"}, {"::", "169.254.169.254"}, {"[fe80::1]", "::ffff:169.254.169.254"}} {
		result := check.Look(t.Context(), []node.Node{{ID: "a", Region: "R", Addresses: addresses}})
		if len(result.Unhealthy) != 0 || !result.Unknown["a"] || len(result.Warnings) != 1 ||
			!strings.HasPrefix(result.Warnings[0], "1 of 1 nodes of the region R were not asked in full") {
			t.Errorf("%q: got %+v", addresses, result)
		}
	}
}

// TestOctavia: health by the monitors of pools, with one request for each pool.
func TestOctavia(t *testing.T) {
	members := func(statuses string) (list []openstack.Member) { // members at 127.9.0.1, 127.9.0.2 and so on
		for i, status := range strings.Fields(statuses) {
			n := fmt.Sprint(i + 1)
			list = append(list, openstack.Member{ID: openstack.Text(n), Name: openstack.Text("m-" + n), Address: openstack.Text("127.9.0." + n),
				Operating: openstack.Text(status)})
		}
		return list
	}
	for _, c := range []struct {
		name      string
		statuses  string // statuses of the members, or "broken"
		unhealthy []string
		warning   string
	}{
		{"all well", "ONLINE ONLINE", nil, ""},
		{"two in ERROR", "ERROR ONLINE ERROR", []string{"id-1", "id-3"}, ""},
		{"other statuses", "OFFLINE DRAINING", nil, ""},
		{"no monitor", "NO_MONITOR NO_MONITOR", nil, "The pool p of the region R has no health monitor (NO_MONITOR)"},
		{"no pool", "", nil, "No region of the nodes has the pool p: correct pool_ids."},
		{"no answer", "broken", nil, "The health of the nodes of the region R is not known: broken."},
	} {
		listed := 0
		result := Check{Pools: []string{"p"}, Timeout: time.Second, Members: func(context.Context, string, string) ([]openstack.Member, error) {
			if listed++; c.statuses == "broken" {
				return nil, errors.New("broken")
			}
			return members(c.statuses), nil
		}}.Look(t.Context(), nodes("R", 1, 3))
		assert.Equal(t, c.unhealthy, names(result.Unhealthy), c.name)
		assert.Equal(t, 1, listed, c.name)
		if all := strings.Join(result.Warnings, " "); (all == "") != (c.warning == "") || !strings.Contains(all, c.warning) || len(result.Warnings) > 1 {
			t.Errorf("%s: got %q, want %q", c.name, all, c.warning)
		}
	}
	// The worst of its pools decides the health of a node, in any order of the pools.
	for _, pools := range [][]string{{"ERROR", "ONLINE"}, {"ONLINE", "ERROR"}} {
		check := Check{Pools: pools, Timeout: time.Second,
			Members: func(_ context.Context, _, pool string) ([]openstack.Member, error) { return members(pool), nil }}
		assert.Equal(t, []string{"id-1"}, names(check.Look(t.Context(), nodes("R", 1, 1)).Unhealthy), pools)
	}
}

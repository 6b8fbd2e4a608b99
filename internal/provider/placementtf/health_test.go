package placementtf_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlacementHealth: a node whose member the monitor finds dead is replaced, one
// with each apply. In a pool without a monitor nothing is known, and nothing is
// replaced.
func TestPlacementHealth(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	var members []fakecloud.Member
	for i := range 4 {
		members = append(members, fakecloud.Member{Name: fmt.Sprintf("%s%d", c.Prefix, i), Address: fmt.Sprintf("10.1.0.%d", i), Weight: 1})
	}
	pool := c.Fake.AddPool("RegionOne", members...)
	places := acctest.Places("RegionOne: az-1 az-2")
	more := fmt.Sprintf("health {\n    grace = \"0s\"\n    octavia {\n      pool_ids = [%q]\n    }\n  }\n  update {\n    causes = [\"UNHEALTHY\"]\n    max_batch_size = \"1\"\n  }", pool)
	config := acctest.Attached(c, 4, places, more)
	l := acctest.Loop{Workspace: c.Workspace(t, config), Cloud: c}
	l.Step(t, "create", config, "0 1 2 3", "")
	l.Step(t, "all are well", config, "", "")
	c.Fake.SetOperating("RegionOne", pool, "10.1.0.1", "ERROR")
	c.Fake.SetMonitored("RegionOne", pool, false)
	c.Fake.SetOperating("RegionOne", pool, "10.1.0.1", "")
	l.Step(t, "no monitor", config, "", "")
	c.Fake.SetMonitored("RegionOne", pool, true)
	c.Fake.SetOperating("RegionOne", pool, "10.1.0.1", "ERROR")
	l.Step(t, "one is dead", config, "4", "1")
}

// services are those of a cluster's nodes, each at an address of its own, at one port.
type services struct {
	port   string
	server *http.Server
	mu     sync.Mutex
	asked  map[string]int
	says   map[string]func(look int) int // by the node's name: the status of an answer; 200 otherwise
}

func serveNodes(t *testing.T) *services {
	t.Helper()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &services{asked: map[string]int{}, says: map[string]func(int) int{}}
	_, s.port, _ = net.SplitHostPort(listener.Addr().String())
	s.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.Host)
		name := strings.TrimPrefix(host, "127.77.0.")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[name]++
		if say := s.says[name]; say != nil {
			w.WriteHeader(say(s.asked[name]))
		}
	})}
	go func() { _ = s.server.Serve(listener) }()
	t.Cleanup(func() { _ = s.server.Close() })
	return s
}

// answer makes the service of a node answer so from now on.
func (s *services) answer(name string, say func(look int) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[name], s.says[name] = 0, say
}

// TestPlacementHealthHTTP: a service that dies after its node was marked is replaced
// within a batch. One that answers every second time
// is not, and where there is no way to any node nothing is, and a warning says why.
func TestPlacementHealthHTTP(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	s := serveNodes(t)
	dead := func(int) int { return http.StatusServiceUnavailable }
	more := fmt.Sprintf("health {\n    grace = \"0s\"\n    http {\n      url = \"http://{address}:%s/health\"\n    }\n  }\n"+
		"  update {\n    causes = [\"UNHEALTHY\"]\n    max_batch_size = 1\n  }", s.port)
	config := acctest.Attached(c, 6, acctest.Places("RegionOne: az-1 az-2 az-3"), more) + fmt.Sprintf(`
resource "stackpolicy_readiness_attachment" "web" {
  cluster = %q
  servers = { for name, server in openstack_compute_instance_v2.web : name => { id = server.id, mark = stackpolicy_placement_attachment.web.nodes[name].mark } }
}
`, c.Prefix)
	l := acctest.Loop{Workspace: c.Workspace(t, config), Cloud: c}
	batch := func(name, created, deleted string) {
		t.Helper()
		l.Batch(t, name, config, created, deleted)
		for name, server := range c.Servers(t) {
			c.Fake.UpdateServer("RegionOne", server.ID, func(s *fakecloud.Server) { s.Network, s.Address = true, "127.77.0."+name })
		}
	}
	batch("create", "0 1 2 3 4 5", "")
	l.Settled(t, "all are well")
	s.answer("2", func(look int) int { return map[bool]int{true: 200, false: 503}[look%2 == 0] })
	l.Settled(t, "one flaps")
	s.answer("1", dead)
	batch("one is dead", "6", "1")
	s.answer("4", dead)
	batch("another is dead", "7", "4")
	l.Settled(t, "none is dead")
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := l.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode")
	said := strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
	if err != nil || !strings.Contains(said, "The health of nodes is not known") ||
		!strings.Contains(said, "All 6 nodes that were asked failed with the same error of the network (connection refused)") {
		t.Errorf("no way to the nodes: %v\n%s", err, text)
	}
}

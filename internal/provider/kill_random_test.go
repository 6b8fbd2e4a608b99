//go:build unix

package provider_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	killFor  = flag.Duration("kill-for", time.Minute, "how long TestKilledAnywhere kills")
	killSeed = flag.Uint64("kill-seed", uint64(time.Now().UnixNano()), "which changes it makes, and what it kills")
)

// mortal is a cluster with all policies: a server group, servers that are waited for
// and drained, and batches of two.
type mortal struct {
	acctest.Loop
	recreate bool // whether servers are destroyed before they are made again under their names
	health   string
	drain    string

	mu      sync.Mutex
	drained map[string]bool   // servers that the consumer has drained
	asked   map[string]int    // number of requests to the consumer, by server
	served  map[string]string // names of the servers that were in service, by id
	counts  map[string]int
}

func (m *mortal) config(size, version int) string {
	method, lifecycle, drains := "SUBSTITUTE", "create_before_destroy = true\n    "+acctest.Again, acctest.First
	if m.recreate {
		method, lifecycle, drains = "RECREATE", acctest.Again, ""
	}
	c := m.Cloud
	return grouped(c) + acctest.Placement(c, size, acctest.Places("RegionOne: az-1 az-2"), fmt.Sprintf(`template          = { version = "v%d" }
  update {
    causes             = ["TEMPLATE"]
    method             = %q
    max_batch_size     = 2
    require_in_service = true
  }`, version, method)) + acctest.Generations +
		acctest.Made(c, fmt.Sprintf(`metadata = { version = each.value.template.version }
  %s
  lifecycle {
    ignore_changes = [metadata]
    %s
  }`, inGroup, lifecycle)) +
		acctest.Drained(fmt.Sprintf(`
  node_name       = each.key
  hook {
    type           = "webhook"
    url            = %q
    default_result = "ABANDON"
  }
  %s`, m.drain, drains)) + acctest.Awaited(c, fmt.Sprintf("http {\n    url = \"%s/{name}\"\n  }", m.health))
}

// consume drains a node: the drain is complete at the second request.
func (m *mortal) consume(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	token := r.URL.Query().Get("lifecycle_action_token")
	if r.Method == http.MethodPost {
		var message map[string]string
		if json.NewDecoder(r.Body).Decode(&message) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		token = message["node_id"]
		w.Header().Set("Location", "/?lifecycle_action_token="+token)
	}
	if m.asked[token]++; m.asked[token] < 2 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	m.drained[token] = true
}

// ready answers every second request that the node is not in service yet.
func (m *mortal) ready(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked[r.URL.Path]++; m.asked[r.URL.Path]%2 == 1 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// look remembers which servers are in service, and counts the servers that are gone
// and were not drained.
func (m *mortal) look(t *testing.T, when string) {
	t.Helper()
	there := map[string]bool{}
	for _, s := range m.Cloud.AllServers(t) {
		there[s.ID] = true
		if s.Metadata[openstack.MarkKey] != "" {
			m.served[s.ID] = s.Name
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, name := range m.served {
		if there[id] {
			continue
		}
		if !m.drained[id] {
			m.counts["in service lost undrained"]++
			t.Errorf("%s: %s (%s) was in service, and is gone undrained", when, name, id)
		}
		delete(m.served, id)
	}
}

// TestKilledAnywhere kills terraform, the provider, or both, at any moment of a
// growth, a shrink or a rollout, again and again. Each time the following applies end
// where the killed apply would have ended.
func TestKilledAnywhere(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	t.Logf("-kill-seed=%d", *killSeed)
	for name, recreate := range map[string]bool{"substitute": false, "recreate": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &mortal{recreate: recreate, drained: map[string]bool{}, asked: map[string]int{}, served: map[string]string{}, counts: map[string]int{}}
			health := httptest.NewServer(http.HandlerFunc(m.ready))
			consumer := httptest.NewServer(http.HandlerFunc(m.consume))
			t.Cleanup(health.Close)
			t.Cleanup(consumer.Close)
			m.health, m.drain = health.URL, consumer.URL
			m.Cloud = acctest.NewFake(t, fakecloud.Config{})
			m.Workspace = m.Cloud.Installed(t, m.config(3, 1))
			m.run(t, rand.New(rand.NewPCG(*killSeed, uint64(len(name)))))
			t.Logf("%v", m.counts)
		})
	}
}

// run makes the cluster, and then changes it and kills applies until the time is over.
func (m *mortal) run(t *testing.T, random *rand.Rand) {
	t.Helper()
	size, version := 3, 1
	began := time.Now()
	acctest.Apply(t, m.Workspace)
	usual := time.Since(began) // present time of an apply on this machine
	group := m.Cloud.GroupID(t, "RegionOne", "group")
	least, end := 3, time.Now().Add(*killFor)
	for !t.Failed() && (time.Now().Before(end) || m.counts["killed"] < least) {
		change := "rollout"
		switch {
		case random.IntN(2) == 0:
			version++
		case size < 5 && (size == 2 || random.IntN(2) == 0):
			size++
			change = "growth"
		default:
			size--
			change = "shrink"
		}
		require.NoError(t, m.Write(m.config(size, version)))
		m.look(t, "before")
		before := m.inService(t)
		which := []string{"terraform", "the provider", "both"}[random.IntN(3)]
		after := time.Duration(random.Int64N(int64(usual)))
		name := fmt.Sprintf("%s to %d of v%d, %s killed after %s", change, size, version, which, after)
		if !m.kill(t, which, after) {
			m.counts["over before"]++
		} else {
			m.counts["killed"]++
		}
		m.look(t, name)
		usual = m.settle(t, name)
		m.dropTwins(t)
		now := m.inService(t)
		for node, was := range before {
			if is, stays := now[node]; stays && is.Metadata["version"] == was.Metadata["version"] && is.ID != was.ID {
				m.counts["survivors moved"]++
				t.Errorf("%s: %s has another server", name, node)
			}
		}
		assert.Len(t, now, size, "%s: servers in service", name)
		assert.Len(t, m.Cloud.AllServers(t), size, "%s: servers", name)
		for _, g := range m.Cloud.GroupsIn(t, "RegionOne") {
			if g.ID == group && m.Cloud.Groups(t, "RegionOne") == 1 {
				continue
			}
			m.counts["groups lost"]++
			t.Errorf("%s: there are %d groups, one of them is %s", name, m.Cloud.Groups(t, "RegionOne"), g.ID)
		}
	}
}

// inService returns the servers that have a mark, by name.
func (m *mortal) inService(t *testing.T) map[string]servers.Server {
	t.Helper()
	found := m.Cloud.Servers(t)
	maps.DeleteFunc(found, func(_ string, s servers.Server) bool { return s.Metadata[openstack.MarkKey] == "" })
	return found
}

// kill kills an apply, and reports whether it was still running. A provider runs on
// for a moment after its terraform is killed.
func (m *mortal) kill(t *testing.T, which string, after time.Duration) bool {
	t.Helper()
	file := filepath.Join(m.Dir, "terraform.tfstate")
	state, err := os.ReadFile(file)
	require.NoError(t, err)
	cmd := m.Command(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the providers are in the group too
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was killed, or a resource failed
		close(ended)
	}()
	select {
	case <-ended:
		return false
	case <-time.After(after):
	}
	switch which {
	case "terraform":
		_ = cmd.Process.Kill()
	case "the provider":
		for _, pid := range providersIn(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	default:
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	<-ended
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	// Terraform may leave a broken state file. A backend with versions has the file before it.
	if text, err := os.ReadFile(file); err != nil || !json.Valid(text) {
		m.counts["state torn"]++
		require.NoError(t, os.WriteFile(file, state, 0o600))
	}
	return true
}

// providersIn returns our provider's processes in a process group, as Linux lists them.
func providersIn(group int) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		var pid int
		_, err := fmt.Sscanf(file, "/proc/%d/", &pid)
		if of, _ := syscall.Getpgid(pid); err == nil && of == group && strings.Contains(string(text), "terraform-provider-stackpolicy") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// settle applies until nothing is left to do, and returns the time of an apply that
// changed something.
func (m *mortal) settle(t *testing.T, name string) (usual time.Duration) {
	t.Helper()
	for applies := 1; ; applies++ {
		began := time.Now()
		text, err := m.Apply(t.Context())
		require.NoError(t, err, "%s: apply %d", name, applies)
		m.look(t, fmt.Sprintf("%s, apply %d", name, applies))
		if usual = max(usual, time.Since(began)); strings.Contains(text, "0 added, 0 changed, 0 destroyed") {
			m.counts["applies until empty, at most"] = max(m.counts["applies until empty, at most"], applies)
			return usual
		}
		if applies > 8 { // five nodes in batches of two, each of which may have been interrupted
			t.Fatalf("%s: something is left after %d applies:\n%s", name, applies, text)
		}
	}
}

// dropTwins removes the servers whose creation terraform does not remember, as the
// guide says.
func (m *mortal) dropTwins(t *testing.T) {
	t.Helper()
	known := m.ServerIDs(t)
	for _, s := range m.Cloud.AllServers(t) {
		if !slices.Contains(known, s.ID) {
			m.counts["servers that terraform forgot"]++
			m.Cloud.Kill(t, "RegionOne", s.ID)
			delete(m.served, s.ID)
		}
	}
}

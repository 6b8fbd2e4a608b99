package readinesstf_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// The tests in this file need Terraform: the life of a readiness attachment, and the order in
// which an apply makes servers, waits for them, and drains leaving ones. A first test of an order:
//
//	r := startRollout(t)
//	r.roll(t, bothFirst, "a = 1, b = 1") // nodes, with their marks
//	r.slow["c"] = 2                      // its health check fails twice
//	_, events := r.roll(t, bothFirst, "b = 1, c = 2")
//	// events is "ready c; drain a in a:- b:1 c:2", r.marks(t) is "b:1 c:2"
//
// All other tests are in resource_test.go.

// rollout is a cluster whose nodes a real terraform replaces. It records what
// happens to them: the answers of their health check, the messages to the consumer
// that drains them, and the state of the cloud at that moment.
type rollout struct {
	*workspace.Workspace
	c   *acctest.Cloud
	url string

	mu     sync.Mutex
	slow   map[string]int  // number of checks that each node still fails
	events []string        // record: "ready NAME" and "drain NAME in MARKS"
	known  map[string]bool // nodes that have been ready
}

// lifecycle says which kinds of resources have create_before_destroy.
type lifecycle struct{ servers, deletions bool }

var bothFirst = lifecycle{servers: true, deletions: true}

func startRollout(t *testing.T) *rollout {
	t.Helper()
	r := &rollout{c: acctest.New(t, fakecloud.Config{}), slow: map[string]int{}, known: map[string]bool{}}
	handler := http.NewServeMux()
	handler.HandleFunc("GET /health/{name}", r.health)
	handler.HandleFunc("POST /drain", func(w http.ResponseWriter, req *http.Request) { r.drain(t, w, req) })
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *rollout) health(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := req.PathValue("name")
	if r.slow[name] > 0 {
		r.slow[name]--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if !r.known[name] {
		r.known[name] = true
		r.events = append(r.events, "ready "+name)
	}
}

func (r *rollout) drain(t *testing.T, w http.ResponseWriter, req *http.Request) {
	var message map[string]string
	if err := json.NewDecoder(req.Body).Decode(&message); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	seen := r.marks(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf("drain %s in %s", message["node_name"], seen))
}

// marks returns the servers in the cloud with their marks: "a:1 b:-".
func (r *rollout) marks(t *testing.T) string {
	var list []string
	for name, s := range r.c.Servers(t) {
		list = append(list, name+":"+cmp.Or(s.Metadata[openstack.MarkKey], "-"))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// roll applies nodes with their marks, "a = 1, b = 1": servers, a deletion attachment each, and a
// readiness attachment. It returns the output of terraform, and the new events.
func (r *rollout) roll(t *testing.T, l lifecycle, nodes string) (text, events string) {
	t.Helper()
	first := map[bool]string{true: acctest.First}
	config := fmt.Sprintf(`
locals {
  nodes = { %s }
}
resource "openstack_compute_instance_v2" "web" {
  for_each = local.nodes
  name     = "%s${each.key}"
  region   = %q
  %s
  %s
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = { for name, mark in local.nodes : name => { mark = tostring(mark) } }
  servers    = { for name, server in openstack_compute_instance_v2.web : name => merge(server, { name = name }) } # without its prefix
  depends_on = [stackpolicy_deletion_attachment.web]
  http {
    url = "%s/health/{name}"
  }
}
`, nodes, r.c.Prefix, r.c.Regions(t)[0], r.c.Bare(), first[l.servers], r.url) + acctest.Drained(fmt.Sprintf(`node_name       = each.key
  hook {
    type           = "webhook"
    url            = "%s/drain"
    default_result = "ABANDON"
  }
  %s`, r.url, first[l.deletions]))
	if r.Workspace == nil {
		r.Workspace = r.c.Workspace(t, config)
	}
	require.NoError(t, r.Write(config))
	r.record()
	text = acctest.Apply(t, r.Workspace)
	return text, r.record()
}

// record returns the events since its last call.
func (r *rollout) record() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.events = nil }()
	return strings.Join(r.events, "; ")
}

// TestAccReadinessLife: an attachment is made, imported, finds a missing mark, takes
// another mark, and is removed, which leaves the servers as they are.
func TestAccReadinessLife(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	var asked atomic.Int32
	health := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(health.Close)
	const name = "stackpolicy_readiness_attachment.web"
	config := func(mark int) string {
		return fmt.Sprintf(`
resource "openstack_compute_instance_v2" "node" {
  name   = "%s0"
  region = %q
  %s
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = "web"
  nodes     = { "web-0" = { mark = "%d" } }
  servers   = { "web-0" = merge(openstack_compute_instance_v2.node, { name = "web-0" }) }
  addresses = { "web-0" = "127.0.0.1" }
  http {
    url = "http://{address}:%d/{name}"
  }
}
`, c.Prefix, region, c.Bare(), mark, health.Listener.Addr().(*net.TCPAddr).Port)
	}
	does := func(want plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(name, want)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	}
	marked := func(want string, times int32) {
		t.Helper()
		assert.Equal(t, want, c.Servers(t)["0"].Metadata[openstack.MarkKey], "the mark")
		assert.Equal(t, times, asked.Load(), "asked")
	}
	c.Test(t,
		resource.TestStep{Config: config(1), ConfigPlanChecks: does(plancheck.ResourceActionCreate), ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(name, tfjsonpath.New("pending"), knownvalue.ListSizeExact(0))}},
		resource.TestStep{ResourceName: name, ImportState: true, ImportStateId: "web", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "cluster",
			ImportStateVerifyIgnore: []string{"nodes", "servers", "addresses", "http"}},
		resource.TestStep{PreConfig: func() {
			marked("1", 1)
			c.Mark(t, region, c.Servers(t)["0"].ID, openstack.MarkKey, "true")
		}, RefreshState: true, ExpectNonEmptyPlan: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(name, plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue(name, tfjsonpath.New("pending"), knownvalue.ListSizeExact(0))}}},
		resource.TestStep{Config: config(2), ConfigPlanChecks: does(plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: strings.Split(config(2), "resource \"stackpolicy_")[0], Check: func(*terraform.State) error { marked("2", 2); return nil }},
	)
}

// TestAccReadinessOrder: an apply creates the new server, waits until it is in service, drains the old one, and destroys
// it. Without create_before_destroy the order differs: the documentation says so, and the provider warns if it can notice.
func TestAccReadinessOrder(t *testing.T) {
	t.Parallel()
	const warning = "Servers were destroyed before others took their place"
	// Since Terraform 1.16 a leaving resource has the create_before_destroy of the
	// configuration; older versions use the one of its last apply.
	deletionsStay := "drain a in a:- b:1; ready c"
	if acctest.TerraformMinor(t) >= 16 {
		deletionsStay = "ready c; drain a in a:- b:1 c:2"
	}
	for name, c := range map[string]struct {
		lifecycle
		then   lifecycle
		events string
		warns  bool
	}{
		"nowhere": {bothFirst, bothFirst, "ready c; drain a in a:- b:1 c:2", false},
		// Terraform destroys a replaced resource before it makes the new one.
		"anywhere": {lifecycle{}, lifecycle{}, "drain a in a:- b:1; ready c", true},
		// The resources that depend on the servers are destroyed before servers are created.
		"on the deletion attachments": {lifecycle{servers: true}, lifecycle{servers: true}, deletionsStay, acctest.TerraformMinor(t) < 16},
		// The servers inherit create_before_destroy from the deletion attachments, which refer to them.
		"on the servers": {lifecycle{deletions: true}, lifecycle{deletions: true}, "ready c; drain a in a:- b:1 c:2", false},
		// Adding create_before_destroy together with a replacement is too late.
		"before": {lifecycle{}, bothFirst, deletionsStay, acctest.TerraformMinor(t) < 16},
	} {
		t.Run("missing "+name, func(t *testing.T) {
			runs.In(t, runs.Some(name == "nowhere", runs.Short, runs.Night))
			t.Parallel()
			r := startRollout(t)
			r.roll(t, c.lifecycle, "a = 1, b = 1")
			r.slow["c"] = 2
			text, events := r.roll(t, c.then, "b = 1, c = 2")
			assert.Equal(t, c.events, events)
			if strings.Contains(text, warning) != c.warns || (c.warns && !acctest.Says("The servers of a were in service and are gone").MatchString(text)) {
				t.Errorf("warns: want %t\n%s", c.warns, text)
			}
			assert.Equal(t, "b:1 c:2", r.marks(t))
			acctest.Loop{Workspace: r.Workspace}.Settled(t, name)
		})
	}
}

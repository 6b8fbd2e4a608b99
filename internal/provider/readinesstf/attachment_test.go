package readinesstf_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// health answers for servers: 204 for those that are ready, 503 for others. The
// path is the name of the node.
type health struct {
	mu    sync.Mutex
	bad   map[string]bool
	asked map[string]int
	port  int
}

func startHealth(t *testing.T, bad ...string) *health {
	t.Helper()
	h := &health{asked: map[string]int{}}
	h.set(bad...)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.port = server.Listener.Addr().(*net.TCPAddr).Port
	return h
}

func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := strings.Trim(r.URL.Path, "/")
	h.asked[name]++
	if h.bad[name] {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// set says which nodes are not ready, and forgets who was asked.
func (h *health) set(bad ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bad = map[string]bool{}
	clear(h.asked)
	for _, name := range bad {
		h.bad[name] = true
	}
}

func (h *health) requests(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked[name]
}

// check is the block that asks it.
func (h *health) check() string {
	return fmt.Sprintf("http {\n    url = \"http://{address}:%d/{name}\"\n  }", h.port)
}

// ready is a number of servers behind one readiness attachment.
func ready(c *acctest.Cloud, region string, count, mark int, more string) string {
	return fmt.Sprintf(`
resource "openstack_compute_instance_v2" "node" {
  for_each = toset([for i in range(%d) : tostring(i)])
  name     = "%s${each.key}"
  region   = %q
  %s
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = "web"
  servers = { for name, server in openstack_compute_instance_v2.node : name => { id = server.id, region = server.region, address = "127.0.0.1", mark = "%d" } }
  %s
}
`, count, c.Prefix, region, c.Bare(), mark, more)
}

// marks are the marks of the test's servers, by name.
func marks(t *testing.T, c *acctest.Cloud) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, s := range c.Servers(t) {
		found[name] = s.Metadata[openstack.MarkKey]
	}
	return found
}

// times says of each server what its metadata has in addition to the mark: "+" is
// since when it is in service, and "-" when a wait ended without it. Both must be
// times of Nova's clock.
func times(t *testing.T, c *acctest.Cloud) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, s := range c.Servers(t) {
		found[name] = ""
		for key, sign := range map[string]string{openstack.InServiceAtKey: "+", openstack.NotInServiceAtKey: "-"} {
			value, ok := s.Metadata[key]
			if !ok {
				continue
			}
			found[name] += sign
			at := openstack.ParseTime(value)
			if at.IsZero() || c.Fake != nil && at.Sub(fakecloud.Epoch).Abs() > time.Hour {
				t.Errorf("%s: %s is %q", name, key, value)
			}
		}
	}
	return found
}

func TestAccReadinessAttachment_lifecycle(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	h := startHealth(t)
	const name = "stackpolicy_readiness_attachment.web"
	config := func(mark int, more string) string {
		return fmt.Sprintf(`
resource "openstack_compute_instance_v2" "node" {
  name   = "%s0"
  region = %q
  %s
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = "web"
  servers = { "web-0" = { id = openstack_compute_instance_v2.node.id, region = openstack_compute_instance_v2.node.region, address = "127.0.0.1", mark = "%d" } }
  %s
}
`, c.Prefix, region, c.Bare(), mark, more)
	}
	does := func(want plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(name, want)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	}
	pending := func(names ...knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(name, tfjsonpath.New("pending"), knownvalue.ListExact(names))
	}
	marked := func(want string) {
		t.Helper()
		if got := marks(t, c)["0"]; got != want {
			t.Errorf("marked with %q, want %q", got, want)
		}
	}
	tcp := fmt.Sprintf("tcp {\n    port = %d\n  }", h.port)
	c.Test(t,
		resource.TestStep{Config: config(1, ""), ConfigPlanChecks: does(plancheck.ResourceActionCreate), ConfigStateChecks: []statecheck.StateCheck{
			pending(), statecheck.ExpectKnownValue(name, tfjsonpath.New("id"), knownvalue.StringExact("web")),
			statecheck.ExpectKnownValue(name, tfjsonpath.New("timeout"), knownvalue.StringExact("10m"))}},
		resource.TestStep{PreConfig: func() { marked("1") }, ResourceName: name, ImportState: true, ImportStateId: "web", ImportStateVerify: true, ImportStateVerifyIgnore: []string{"servers"}},
		// New checks are for those that come; this one has been found in service.
		resource.TestStep{Config: config(1, h.check()+"\n"+tcp+"\n  stable_for = 1\n  timeout = 60"), ConfigPlanChecks: does(plancheck.ResourceActionUpdate), ConfigStateChecks: []statecheck.StateCheck{pending()}},
		resource.TestStep{PreConfig: func() {
			if n := h.requests("web-0"); n != 0 {
				t.Errorf("asked %d times", n)
			}
			c.Mark(t, region, c.Servers(t)["0"].ID, openstack.MarkKey, "true")
		}, RefreshState: true, ExpectNonEmptyPlan: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(name, plancheck.ResourceActionUpdate), plancheck.ExpectKnownValue(name, tfjsonpath.New("pending"), knownvalue.ListSizeExact(0))}}},
		resource.TestStep{Config: config(1, h.check()), ConfigPlanChecks: does(plancheck.ResourceActionUpdate), ConfigStateChecks: []statecheck.StateCheck{pending()}},
		resource.TestStep{PreConfig: func() {
			marked("1")
			if n := h.requests("web-0"); n != 1 {
				t.Errorf("asked %d times", n)
			}
		}, Config: config(2, h.check()), ConfigPlanChecks: does(plancheck.ResourceActionUpdate)},
		// Taking the attachment away removes nothing.
		resource.TestStep{PreConfig: func() { marked("2") }, Config: strings.Split(config(2, ""), "resource \"stackpolicy_")[0]},
		resource.TestStep{PreConfig: func() { marked("2") }, Config: config(2, h.check())},
	)
	if n := h.requests("web-0"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// givenUp is the timeout of an apply in which some servers get ready and others
// never do. It is the only one that a busy machine could reach, so it is long: a
// real Nova takes its time.
func givenUp() string {
	if acctest.Live() {
		return "\n  timeout = 30\n"
	}
	return "\n  timeout = 10\n"
}

// TestAccReadinessAttachment_resumed: one of three servers does not get ready.
// The error names it, the others are marked, and the next apply looks at it
// alone.
func TestAccReadinessAttachment_resumed(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	h := startHealth(t, "1")
	config := ready(c, region, 3, 1, h.check()+givenUp())
	w := c.Workspace(t, config)
	_, err := w.Apply(t.Context())
	want := fmt.Sprintf("1 of 3 servers that this apply checked are not in service:\n  - 1 (server %s, region %s): GET http://127.0.0.1:%d/1 answered 503 Service Unavailable", c.Servers(t)["1"].ID, region, h.port)
	if err == nil || !strings.Contains(err.Error(), "Servers are not in service") || !acctest.Says(want).MatchString(err.Error()) {
		t.Fatalf("got %v", err)
	}
	if got := fmt.Sprint(marks(t, c), times(t, c)); got != "map[0:1 1: 2:1] map[0:+ 1:- 2:+]" {
		t.Errorf("marks %s", got)
	}
	h.set()
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(marks(t, c), times(t, c)); got != "map[0:1 1:1 2:1] map[0:+ 1:+ 2:+]" || h.requests("0")+h.requests("2") != 0 || h.requests("1") != 1 {
		t.Errorf("marks %s; asked %v", got, h.asked)
	}
	// The same in an update, and what is in the state stays.
	h.set("3")
	if err := w.Write(ready(c, region, 5, 1, h.check()+givenUp())); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err = w.Apply(t.Context()); err == nil || !acctest.Says("1 of ").MatchString(err.Error()) {
			t.Fatalf("got %v", err)
		}
	}
	if got := fmt.Sprint(marks(t, c)); got != "map[0:1 1:1 2:1 3: 4:1]" || h.requests("4") != 1 {
		t.Errorf("marks %s; asked %v", got, h.asked)
	}
	h.set()
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := w.Run(t.Context(), "plan", "-no-color", "-detailed-exitcode"); err != nil {
		t.Errorf("the next plan is not empty: %v\n%s", err, text)
	}
}

// TestAccReadinessAttachment_hook: a consumer is notified of a new server once all
// other checks have passed. A server whose hook does not complete is not in
// service, or counts as ready, as default_result has it.
func TestAccReadinessAttachment_hook(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	h := startHealth(t)
	consumer, url := acctest.StartConsumer(t, 1200*time.Millisecond)
	hooked := func(path, result string) string {
		return ready(c, region, 1, 1, fmt.Sprintf("%s\n  hook {\n    type = \"webhook\"\n    url = \"%s%s\"\n    default_result = %q\n  }", h.check(), url, path, result))
	}
	w := c.Workspace(t, hooked("/?key=hidden", "ABANDON"))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := c.Servers(t)["0"].ID
	if got := fmt.Sprint(marks(t, c)); got != "map[0:1]" || len(consumer.Nodes) != 1 || h.requests("0") != 1 {
		t.Errorf("marks %s; %d nodes; asked %v", got, len(consumer.Nodes), h.asked)
	}
	var first string
	for token, m := range consumer.Nodes {
		if first = token; m["node_id"] != id || m["lifecycle_transition_type"] != "launch" || m["region"] != region || m["node_name"] != "0" || m["cluster"] != "web" || m["address"] != "127.0.0.1" {
			t.Errorf("got %v", m)
		}
	}
	refusing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refusing.Close)
	for result, want := range map[string]string{"ABANDON": "1 of 1 servers that this apply checked are not in service", "CONTINUE": "counts as ready"} {
		c.Mark(t, region, id, openstack.MarkKey, "")
		if err := w.Write(strings.ReplaceAll(hooked("/", result), url, refusing.URL)); err != nil {
			t.Fatal(err)
		}
		text, err := w.Apply(t.Context())
		if err != nil {
			text += err.Error()
		}
		if !acctest.Says(want).MatchString(text) || !acctest.Says("answered 404 Not Found").MatchString(text) || (err != nil) != (result == "ABANDON") {
			t.Errorf("%s: %v\n%s", result, err, text)
		}
	}
	// Told again of the same server, the consumer knows it by the token.
	c.Mark(t, region, id, openstack.MarkKey, "")
	if err := w.Write(hooked("/", "ABANDON")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context()); err != nil || consumer.Posts != 2 || len(consumer.Nodes) != 1 || consumer.Nodes[first] == nil {
		t.Errorf("%v; %d posts, nodes %v", err, consumer.Posts, consumer.Nodes)
	}
}

// TestAccReadinessAttachment_command: a command runs where Terraform does, with
// the facts in its environment, if the provider block allows it.
func TestAccReadinessAttachment_command(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	file := filepath.Join(t.TempDir(), "seen")
	command := fmt.Sprintf(`["sh", "-c", "echo $STACKPOLICY_TRANSITION $STACKPOLICY_NODE_NAME $STACKPOLICY_NODE_ID $STACKPOLICY_ADDRESS > %s"]`, file)
	config := ready(c, region, 1, 1, fmt.Sprintf("hook {\n    type = \"command\"\n    command = %s\n    default_result = \"ABANDON\"\n  }", command))
	w := c.Workspace(t, config)
	if _, err := w.Run(t.Context(), "plan", "-no-color"); err == nil || !acctest.Says("allow_commands").MatchString(err.Error()) {
		t.Errorf("not allowed: %v", err)
	}
	if err := w.Write(c.ProviderBlock("stackpolicy", "allow_commands = true") + config); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(file)
	if want := fmt.Sprintf("launch 0 %s 127.0.0.1\n", c.Servers(t)["0"].ID); err != nil || string(seen) != want {
		t.Errorf("%v: got %q, want %q", err, seen, want)
	}
}

// TestReadinessAttachment_requests: a refresh lists the servers of each region
// once, and asks for none by itself; so does an apply in which none is new.
func TestReadinessAttachment_requests(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	servers := map[string][]string{}
	for _, region := range []string{"RegionOne", "RegionTwo"} {
		var list []fakecloud.Server
		for range 20 {
			list = append(list, fakecloud.Server{Metadata: map[string]string{openstack.MarkKey: "1"}})
		}
		servers[region] = c.Fake.AddServers(region, list...)
	}
	var entries strings.Builder
	for region, ids := range servers {
		for _, id := range ids {
			fmt.Fprintf(&entries, "    %q = { id = %q, region = %q }\n", id, id, region)
		}
	}
	config := func(timeout int) string {
		return fmt.Sprintf("resource \"stackpolicy_readiness_attachment\" \"web\" {\n  cluster = \"web\"\n  timeout = %d\n  servers = {\n%s  }\n}\n", timeout, entries.String())
	}
	asked := func(lists int) func() {
		return func() {
			if all, n := c.Fake.Count("GET compute /servers/*"), c.Fake.Count("GET compute /servers/detail"); n != lists || all != n {
				t.Errorf("servers were listed %d times, want %d, with %d requests in all", n, lists, all)
			}
			c.Fake.ResetRequests()
		}
	}
	c.Test(t,
		resource.TestStep{PreConfig: c.Fake.ResetRequests, Config: config(10)}, // the creation, and the refreshes of the framework's own plans
		resource.TestStep{PreConfig: c.Fake.ResetRequests, RefreshState: true},
		resource.TestStep{PreConfig: asked(2 * 2), Config: config(20)}, // a refresh, and one for the plan after it
	)
}

// TestReadinessAttachment_cellDown: nothing is known of servers in a cell that
// is down, and no apply waits for them.
func TestReadinessAttachment_cellDown(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	ids := c.Fake.AddServers("RegionOne", fakecloud.Server{Name: "a", Zone: "az-1"}, fakecloud.Server{Name: "b", Zone: "az-2"})
	config := fmt.Sprintf("resource \"stackpolicy_readiness_attachment\" \"web\" {\n  cluster = \"web\"\n  servers = { a = { id = %q }, b = { id = %q } }\n}\n", ids[0], ids[1])
	c.Test(t,
		resource.TestStep{Config: config},
		resource.TestStep{PreConfig: func() { c.Fake.SetCellDown("RegionOne", true, "az-1") }, Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{PreConfig: func() {
			c.Fake.SetCellDown("RegionOne", false)
			c.Fake.RemoveServers("RegionOne", ids[1])
		}, Config: config, ExpectError: acctest.Says(fmt.Sprintf("1 of 1 servers that this apply checked are not in service:\n  - b (server %s, region RegionOne): the server is gone", ids[1]))},
	)
}

func TestAccReadinessAttachment_badInput(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	attachment := func(address, more string) string {
		return fmt.Sprintf("resource \"stackpolicy_readiness_attachment\" \"x\" {\n  cluster = \"web\"\n  servers = { \"web-0\" = { id = \"i\", address = %s } }\n  %s\n}\n", address, more)
	}
	const unknown = "resource \"terraform_data\" \"later\" {\n  input = \"x\"\n}\n"
	var steps []resource.TestStep
	for config, want := range map[string]string{
		attachment(`null`, "tcp {\n    port = 22\n  }"):                                             `The node "web-0" cannot be checked over the network: the node has no address.`,
		attachment(`""`, "http {\n    url = \"http://{address}/\"\n  }"):                            `the node has no address`,
		attachment(`"10.0.0.300:1"`, "tcp {\n    port = 22\n  }"):                                   `"10.0.0.300:1" is neither an IP address nor the name of a host`,
		attachment(`"169.254.169.254"`, "tcp {\n    port = 80\n  }"):                                `169.254.169.254 is a link-local address`,
		attachment(`"::"`, "tcp {\n    port = 80\n  }\n  allow_link_local = true"):                  `:: is the address of no host`,
		attachment(`null`, "tcp {\n  }"):                                                            "The block tcp needs the number of a port.",
		attachment(`null`, "tcp {\n    port = 65536\n  }"):                                          "Attribute tcp.port value must be between 1 and 65535, got: 65536",
		attachment(`null`, "http {\n  }"):                                                           "The block http needs a url.",
		attachment(`null`, "http {\n    url = \"ftp://hidden.example/\"\n  }"):                      "An address begins with http:// or https://.",
		attachment(`null`, "http {\n    url = \"http://{ip}/\"\n  }"):                               `"{ip}" is no placeholder`,
		attachment(`null`, "http {\n    url = \"http://x/\"\n    status = \"2xx\"\n  }"):            `"2xx" is neither a status between 100 and 599 nor a range of them`,
		attachment(`null`, "http {\n    url = \"http://x/\"\n    timeout = 5\n  }"):                 `An argument named "timeout" is not expected here`,
		attachment(`null`, "stable_for = 600"):                                                      "No server could be stable for 10m within a timeout of 10m.",
		attachment(`null`, "timeout = 1.5"):                                                         `Attribute timeout: A duration from 1s to 1d is needed, such as "90s", "10m", "36h" or "30d" (a number without a unit is seconds), not "1.5".`,
		attachment(`null`, "hook {\n    type = \"webhook\"\n    default_result = \"ABANDON\"\n  }"): "A hook of type webhook needs url.",
		attachment(`null`, "timeout = 0"):                                                           `Attribute timeout: A duration from 1s to 1d is needed`,
		strings.Replace(attachment(`null`, ""), "{ \"web-0\"", "{ \"web-1\" = null, \"web-0\"", 1):  "This attribute contains a null value.",
		attachment(`null, region = ""`, ""):                                                         "region string length must be at least 1",
		unknown + attachment(`terraform_data.later.output`, "tcp {\n    port = 0\n  }"):             "Attribute tcp.port value must be between 1 and 65535, got: 0",
	} {
		steps = append(steps, resource.TestStep{Config: config, PlanOnly: true, ExpectError: acctest.Says(want)})
	}
	// What is not known yet is no error.
	steps = append(steps, resource.TestStep{Config: unknown + attachment(`terraform_data.later.output`, "tcp {\n    port = 22\n  }\n  http {\n    url = \"http://{address}/${terraform_data.later.id}\"\n  }"),
		PlanOnly: true, ExpectNonEmptyPlan: true})
	for _, config := range []string{
		attachment(`"fe80::1%eth0"`, "tcp {\n    port = 22\n  }\n  allow_link_local = true"),
		attachment(`"169.254.169.254"`, "http {\n    url = \"http://{name}/\"\n  }"), // is not asked
	} {
		steps = append(steps, resource.TestStep{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true})
	}
	c.Test(t, steps...)
}

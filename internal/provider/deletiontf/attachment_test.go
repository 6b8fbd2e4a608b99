package deletiontf_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/messages"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// drained is a server, or several, with a deletion attachment each.
func drained(c *acctest.Cloud, region string, count int, format string, args ...any) string {
	return drainable(c, region, count, "") + drains("node", region, fmt.Sprintf(format, args...))
}

// drainable are servers, with more arguments.
func drainable(c *acctest.Cloud, region string, count int, more string) string {
	return fmt.Sprintf(`
resource "openstack_compute_instance_v2" "node" {
  for_each = toset([for i in range(%d) : tostring(i)])
  name     = "%s${each.key}"
  region   = %q
  %s
  %s
}
`, count, c.Prefix, region, c.Bare(), more)
}

// drains are the deletion attachments of those servers.
func drains(name, region, more string) string {
	return fmt.Sprintf(`
resource "stackpolicy_deletion_attachment" %q {
  for_each  = openstack_compute_instance_v2.node
  server_id = each.value.id
  region    = %q
  cluster   = "web"
  node_name = each.value.name
  %s
}
`, name, region, more)
}

// block is a hook block with these lines.
func block(lines ...string) string { return "hook {\n    " + strings.Join(lines, "\n    ") + "\n  }" }

// hookBlock is a hook block of a type that abandons.
func hookBlock(kind string, lines ...string) string {
	return block(append([]string{fmt.Sprintf("type = %q", kind), `default_result = "ABANDON"`}, lines...)...)
}

// TestAccDeletionAttachment_webhook: a consumer drains the node while its server
// still runs; then comes the grace period, then the server goes.
func TestAccDeletionAttachment_webhook(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	consumer, url := acctest.StartConsumer(t, 1500*time.Millisecond)
	hooked := func(n int) string {
		return drained(c, region, n, "grace_period = 1\n  "+hookBlock("webhook", "url = \"%s/drain\"", "timeout = 60"), url)
	}
	w := c.Workspace(t, hooked(1))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := c.Servers(t)["0"].ID
	start := time.Now()
	if err := w.Write(hooked(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 2500*time.Millisecond {
		t.Errorf("drained and graced in %s", took)
	}
	if len(consumer.Nodes) != 1 || consumer.Posts != 1 || len(c.Servers(t)) != 0 {
		t.Errorf("%d nodes, %d posts, servers %v", len(consumer.Nodes), consumer.Posts, c.Servers(t))
	}
	for token, m := range consumer.Nodes {
		if len(token) < 16 || m["node_id"] != id || m["lifecycle_transition_type"] != "termination" || m["region"] != region || m["node_name"] != c.Prefix+"0" || m["cluster"] != "web" {
			t.Errorf("got %v", m)
		}
	}
}

// TestAccDeletionAttachment_zaqar: the consumer deletes the message.
func TestAccDeletionAttachment_zaqar(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	client := c.Zaqar(t, region)
	queue := c.Prefix + "q"
	hooked := func(n int) string {
		return drained(c, region, n, "shutdown = true\n  "+hookBlock("zaqar", "queue = %q", "timeout = 60"), queue)
	}
	w := c.Workspace(t, hooked(2))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	consumed := make(chan int)
	go func() { // the consumer: takes what is there, one after the other
		n := 0
		for ctx.Err() == nil {
			list, err := messages.PopMessages(ctx, client, queue, messages.PopMessagesOpts{Pop: 1}).Extract()
			if err == nil {
				n += len(list)
			}
			time.Sleep(100 * time.Millisecond)
		}
		consumed <- n
	}()
	if err := w.Write(hooked(0)); err != nil {
		t.Fatal(err)
	}
	_, err := w.Apply(t.Context())
	cancel()
	if n := <-consumed; err != nil || n != 2 || len(c.Servers(t)) != 0 {
		t.Errorf("%d messages were consumed, %d servers are left, %v", n, len(c.Servers(t)), err)
	}
}

// TestAccDeletionAttachment_abandon: a hook that is not completed keeps the
// node; the next attempt does not notify the consumer again, and goes on once it
// is done.
func TestAccDeletionAttachment_abandon(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	client := c.Zaqar(t, region)
	queue := c.Prefix + "q"
	hooked := func(n int) string {
		return drained(c, region, n, hookBlock("zaqar", "queue = %q", "timeout = 1"), queue)
	}
	w := c.Workspace(t, hooked(1))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(hooked(0)); err != nil {
		t.Fatal(err)
	}
	inQueue := func() (list []messages.Message) {
		err := messages.List(client, queue, messages.ListOpts{Echo: true}).EachPage(t.Context(), func(_ context.Context, page pagination.Page) (bool, error) {
			var err error
			list, err = messages.ExtractMessages(page)
			return false, err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for range 2 {
		_, err := w.Apply(t.Context())
		if err == nil || !acctest.Says("A lifecycle hook did not complete").MatchString(err.Error()) || !acctest.Says("the message is still in the queue").MatchString(strings.ReplaceAll(err.Error(), "│", "")) {
			t.Fatalf("got %v", err)
		}
		if len(inQueue()) != 1 || len(c.Servers(t)) != 1 {
			t.Fatalf("messages %+v, servers %v", inQueue(), c.Servers(t))
		}
	}
	if err := messages.DeleteMessages(t.Context(), client, queue, messages.DeleteMessagesOpts{IDs: []string{inQueue()[0].ID}}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context()); err != nil || len(inQueue()) != 0 || len(c.Servers(t)) != 0 {
		t.Errorf("completed meanwhile: %v, messages %+v, servers %v", err, inQueue(), c.Servers(t))
	}
}

// TestAccDeletionAttachment_continue: a hook that fails is warned of, and the
// node goes.
func TestAccDeletionAttachment_continue(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	w := c.Workspace(t, drained(c, region, 1, block(`type = "webhook"`, `default_result = "CONTINUE"`, `url = "%s/?key=concealed"`), refusing.URL))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := w.Destroy(t.Context())
	plain := strings.ReplaceAll(text, "│", "")
	if err != nil || !acctest.Says("although its hook did not complete: the webhook at").MatchString(plain) || !acctest.Says("Warning: 1 server will be drained").MatchString(plain) || !acctest.Says("answered 404 Not Found").MatchString(plain) || strings.Contains(text, "concealed") {
		t.Errorf("got %v\n%s", err, text)
	}
	if len(c.Servers(t)) != 0 {
		t.Errorf("servers %v", c.Servers(t))
	}
}

// gathering is a consumer that lets no node go before so many drain at once.
type gathering struct {
	mu    sync.Mutex
	posts int
	until int
}

func (g *gathering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Method == http.MethodPost {
		g.posts++
	}
	if g.posts < g.until {
		w.WriteHeader(http.StatusAccepted)
	}
}

// TestDeletionAttachments_parallel: many nodes drain at once, as many as
// Terraform itself handles. Otherwise the hooks time out.
func TestDeletionAttachments_parallel(t *testing.T) {
	c := acctest.NewFake(t, fakecloud.Config{})
	consumer := &gathering{until: 50}
	server := httptest.NewServer(consumer)
	t.Cleanup(server.Close)
	hooked := func(n int) string {
		return drained(c, "RegionOne", n, hookBlock("webhook", "url = %q"), server.URL)
	}
	w := c.Workspace(t, hooked(50))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(hooked(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(t.Context(), "apply", "-auto-approve", "-no-color", "-parallelism=50"); err != nil || consumer.posts != 50 {
		t.Fatalf("%d posts: %v", consumer.posts, err)
	}
}

// TestDeletionAttachment_requests: refreshing fifty attachments lists servers
// once, and asks for none by itself.
func TestDeletionAttachment_requests(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	w := c.Workspace(t, drained(c, "RegionOne", 50, ""))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Fake.ResetRequests()
	if _, err := w.Run(t.Context(), "plan", "-no-color", "-detailed-exitcode"); err != nil {
		t.Fatal(err)
	}
	if lists := c.Fake.Count("GET compute /servers"); lists != 1 {
		t.Errorf("servers were listed %d times", lists)
	}
	if shows := c.Fake.Count("GET compute /servers/*"); shows != 50 { // those of the servers themselves
		t.Errorf("%d servers were asked for", shows)
	}
}

func TestAccDeletionAttachment_lifecycle(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	const name = "stackpolicy_deletion_attachment.node"
	config := func(server, more string) string {
		return fmt.Sprintf(`
resource "openstack_compute_instance_v2" "node" {
  name      = "%s%s"
  region    = %q
  user_data = %[2]q # another one is another server
  %[4]s
}
resource "stackpolicy_deletion_attachment" "node" {
  server_id = openstack_compute_instance_v2.node.id
  region    = %q
  %s
}
`, c.Prefix, server, region, c.Bare(), region, more)
	}
	is := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(name, tfjsonpath.New(attribute), check)
	}
	does := func(want plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(name, want)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	}
	c.Test(t,
		resource.TestStep{Config: config("a", ""), ConfigPlanChecks: does(plancheck.ResourceActionCreate), ConfigStateChecks: []statecheck.StateCheck{
			is("grace_period", knownvalue.StringExact("0s")), is("shutdown", knownvalue.Bool(false)), is("lifecycle_action_token", knownvalue.NotNull())}},
		resource.TestStep{Config: config("a", "shutdown = true\n  grace_period = 1\n  timeouts {\n    delete = \"2m\"\n  }"), ConfigPlanChecks: does(plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: config("a", ""), ConfigPlanChecks: does(plancheck.ResourceActionUpdate)},
		resource.TestStep{ResourceName: name, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"lifecycle_action_token"},
			ImportStateIdFunc: func(s *terraform.State) (string, error) { return s.RootModule().Resources[name].Primary.ID, nil }},
		// Another server is another attachment.
		resource.TestStep{Config: config("b", "grace_period = 1"), ConfigPlanChecks: does(plancheck.ResourceActionDestroyBeforeCreate)},
		// A server that is killed outside takes its attachment along.
		resource.TestStep{PreConfig: func() { c.Kill(t, region, c.Servers(t)["b"].ID) }, Config: config("b", "grace_period = 1"), ConfigPlanChecks: does(plancheck.ResourceActionCreate)},
	)
}

// TestAccDeletionAttachment_kept: a node that leaves the cluster and is kept, as
// destroy_after_deletion = false has it: the configuration forgets the server.
func TestAccDeletionAttachment_kept(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	w := c.Workspace(t, drained(c, region, 1, "grace_period = 0"))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := c.Servers(t)["0"].ID
	t.Cleanup(func() { c.Kill(t, region, id) })
	if err := w.Write("removed {\n  from = openstack_compute_instance_v2.node\n  lifecycle {\n    destroy = false\n  }\n}\n"); err != nil {
		t.Fatal(err)
	}
	text, err := w.Apply(t.Context())
	if err != nil || c.Servers(t)["0"].ID != id {
		t.Errorf("got %v\n%s", err, text)
	}
	if !strings.Contains(text, "stackpolicy_deletion_attachment.node[\"0\"]: Destruction complete") {
		t.Errorf("the attachment was not destroyed, and the node not drained:\n%s", text)
	}
}

func TestAccDeletionAttachment_badInput(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	attachment := func(more string) string {
		if !strings.Contains(more, "region") {
			more = fmt.Sprintf("region = %q\n  %s", region, more)
		}
		return "resource \"stackpolicy_deletion_attachment\" \"x\" {\n  server_id = \"00000000-0000-0000-0000-000000000000\"\n  " + more + "\n}\n"
	}
	var steps []resource.TestStep
	for config, want := range map[string]string{
		attachment(block(`type = "carrier-pigeon"`, `default_result = "ABANDON"`)): "Attribute hook.type value must be one of",
		attachment(block("")):            "Attribute \"hook.type\" must be specified when \"hook\" is specified",
		attachment(hookBlock("webhook")): "A hook of type webhook needs url.",
		attachment(hookBlock("webhook", `url = "ftp://hidden.example/"`)):              "The address of a webhook begins with https://",
		attachment(hookBlock("webhook", `url = "https://a.example/"`, `queue = "q"`)):  "queue belongs to a hook of type zaqar. One of type webhook takes url, proxy_from_environment.",
		attachment(hookBlock("zaqar")):                                                 "A hook of type zaqar needs queue.",
		attachment(hookBlock("zaqar", `queue = ""`)):                                   "The name of a queue has 1 to 64 characters, not 0.",
		attachment(hookBlock("zaqar", `queue = null`)):                                 "A hook of type zaqar needs queue.",
		attachment(hookBlock("zaqar", `queue = "q"`, `url = "https://a.example/"`)):    "url belongs to a hook of type webhook.",
		attachment(hookBlock("zaqar", `queue = "q"`, "timeout = -1")):                  `Attribute hook.timeout: A duration from 1s to 1d is needed`,
		attachment(hookBlock("zaqar", `queue = "q"`, `timeout = "2 m"`)):               `not "2 m".`,
		attachment(hookBlock("zaqar", `queue = "q"`, `default_results = "ABANDON"`)):   "An argument named \"default_results\" is not expected here.",
		attachment(hookBlock("command")):                                               "A hook of type command needs command.",
		attachment(hookBlock("command", `environment = [""]`)):                         "environment lists names of variables, such as KUBECONFIG.",
		attachment(hookBlock("command", "command = []")):                               "A command begins with the name or path of a program.",
		attachment(hookBlock("command", `command = ["true", null]`)):                   "This attribute contains a null value.",
		attachment(hookBlock("command", `command = ["true"]`)):                         "commands are not allowed: a hook of type command needs allow_commands = true",
		attachment(block(`type = "zaqar"`, `queue = "q"`)):                             "Attribute \"hook.default_result\" must be specified when \"hook\" is",
		attachment(block(`type = "zaqar"`, `queue = "q"`, `default_result = "SHRUG"`)): "Attribute hook.default_result value must be one of",
		attachment(`hook = { type = "zaqar" }`):                                        "An argument named \"hook\" is not expected here. Did you mean to define a block",
		attachment(`region = ""`):                                                      "Attribute region string length must be at least 1",
		attachment(`grace_period = 0.5`):                                               `Attribute grace_period: A duration from 0s to 1d is needed, such as "90s", "10m", "36h" or "30d" (a number without a unit is seconds), not "0.5".`,
		attachment("timeouts {\n    delete = \"0s\"\n  }"):                             `Attribute timeouts.delete: A duration from 1s to 30d is needed`,
		attachment("timeouts {\n    delete = \"-1m\"\n  }"):                            `not "-1m".`,
		attachment(`grace_period = -1`):                                                `not "-1".`,
	} {
		steps = append(steps, resource.TestStep{Config: config, PlanOnly: true, ExpectError: acctest.Says(want)})
	}
	steps = append(steps,
		resource.TestStep{Config: attachment(""), ExpectError: acctest.Says(fmt.Sprintf("The region %q has no server \"00000000-0000-0000-0000-000000000000\".", region))},
		resource.TestStep{Config: attachment(""), ResourceName: "stackpolicy_deletion_attachment.x", ImportState: true, ImportStateId: "nothing", ExpectError: acctest.Says(`"nothing" is not <region>/<server id>.`)},
	)
	c.Test(t, steps...)

	one, two := c.TwoRegions(t)
	id := c.Boot(t, acctest.Server{Name: "far", Region: two})[0]
	c.Test(t, resource.TestStep{
		Config:      fmt.Sprintf("resource \"stackpolicy_deletion_attachment\" \"x\" {\n  server_id = %q\n  region = %q\n}\n", id, one),
		ExpectError: acctest.Says(fmt.Sprintf("The region %q has no server %q. It is in the region %q: give that.", one, id, two)),
	})
}

// TestDeletionAttachment_plainHTTP: credentials over plain HTTP are warned of,
// and not notified.
func TestDeletionAttachment_plainHTTP(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	w := c.Workspace(t, "resource \"stackpolicy_deletion_attachment\" \"x\" {\n  server_id = \"7\"\n  "+hookBlock("webhook", `url = "http://ann:hidden@consumer.example/drain"`)+"\n}\n")
	text, err := w.Run(t.Context(), "validate", "-no-color")
	if err != nil || !acctest.Says("The URL of the webhook at consumer.example has credentials or a query in it").MatchString(strings.ReplaceAll(text, "│", "")) || strings.Contains(text, "concealed") {
		t.Errorf("got %v\n%s", err, text)
	}
}

package deletiontf_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// drained is a server, or several, with a deletion attachment each. What a test here is about
// needs Terraform: that a server is destroyed after its drain and not before, how often and in
// which order. A test writes drained(c, region, 1, ARGUMENTS), applies it, and then
// drained(c, region, 0, ARGUMENTS). All else is in attachment_resource_test.go.
func drained(c *acctest.Cloud, region string, count int, format string, args ...any) string {
	return fmt.Sprintf(`
resource "openstack_compute_instance_v2" "node" {
  for_each = toset([for i in range(%d) : tostring(i)])
  name     = "%s${each.key}"
  region   = %q
  %s
}
resource "stackpolicy_deletion_attachment" "node" {
  for_each  = openstack_compute_instance_v2.node
  server_id = each.value.id
  region    = %q
  cluster   = "web"
  node_name = each.value.name
  %s
}
`, count, c.Prefix, region, c.Bare(), region, fmt.Sprintf(format, args...))
}

// block is a hook block with these lines.
func block(lines ...string) string { return "hook {\n    " + strings.Join(lines, "\n    ") + "\n  }" }

// hookBlock is a hook block of a type that abandons.
func hookBlock(kind string, lines ...string) string {
	return block(append([]string{fmt.Sprintf("type = %q", kind), `default_result = "ABANDON"`}, lines...)...)
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
	consumer := &gathering{until: 12}
	server := httptest.NewServer(consumer)
	t.Cleanup(server.Close)
	hooked := func(n int) string {
		return drained(c, "RegionOne", n, hookBlock("webhook", "url = %q"), server.URL)
	}
	w := c.Workspace(t, hooked(12))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, w.Write(hooked(0)))
	if _, err := w.Run(t.Context(), "apply", "-auto-approve", "-no-color", "-parallelism=12"); err != nil || consumer.posts != 12 {
		t.Fatalf("%d posts: %v", consumer.posts, err)
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

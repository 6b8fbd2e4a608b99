package readinesstf_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
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
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// The test in this file needs Terraform. TestHangsOnCluster has the order in which an apply makes servers, waits for them, and drains
// leaving ones. All other tests are in resource_test.go.

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

package deletiontf_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
	"github.com/stretchr/testify/assert"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// The tests in this file need Terraform: the life of an attachment, and how many nodes drain at once.
// All other tests are in resource_test.go.

// gathering is a consumer that completes no drain until a number of nodes drain at once.
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

// TestDeletionAttachments_parallel: as many nodes drain at once as Terraform
// handles resources. Otherwise the hooks time out.
func TestDeletionAttachments_parallel(t *testing.T) {
	c := acctest.NewFake(t, fakecloud.Config{})
	consumer := &gathering{until: 12}
	server := httptest.NewServer(consumer)
	t.Cleanup(server.Close)
	hook := fmt.Sprintf("hook {\n    type = \"webhook\"\n    url = %q\n    default_result = \"ABANDON\"\n  }", server.URL)
	w := c.Workspace(t, acctest.Attached(c, 12, acctest.Places("RegionOne: az-1"), "")+acctest.Drained(hook))
	acctest.Apply(t, w)
	acctest.Must(t, w, "destroy", "-auto-approve", "-no-color", "-parallelism=12")
	assert.Equal(t, 12, consumer.posts)
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
			is("grace_period", knownvalue.Null()), is("shutdown", knownvalue.Null())}},
		resource.TestStep{Config: config("a", "shutdown = true\n  grace_period = 1\n  timeouts {\n    delete = \"2m\"\n  }"),
			ConfigPlanChecks: does(plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: config("a", ""), ConfigPlanChecks: does(plancheck.ResourceActionUpdate)},
		resource.TestStep{ResourceName: name, ImportState: true, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "server_id",
			ImportStateIdFunc: func(s *terraform.State) (string, error) {
				attributes := s.RootModule().Resources[name].Primary.Attributes
				return attributes["region"] + "/" + attributes["server_id"], nil
			}},
		// Another server is another attachment.
		resource.TestStep{Config: config("b", "grace_period = 1"), ConfigPlanChecks: does(plancheck.ResourceActionDestroyBeforeCreate)},
		// The attachment of a server that was deleted outside Terraform is removed.
		resource.TestStep{PreConfig: func() { c.Kill(t, region, c.Servers(t)["b"].ID) }, Config: config("b", "grace_period = 1"),
			ConfigPlanChecks: does(plancheck.ResourceActionCreate)},
	)
}

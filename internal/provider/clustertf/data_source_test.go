package clustertf_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func TestAccCluster_twoRegions(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	zones := c.Zones(t, one)
	ids := c.Boot(t,
		acctest.Server{Name: "web-0", Region: two},
		acctest.Server{Name: "web-1", Region: one, Zone: zones[0],
			Metadata: map[string]string{"stackpolicy_tainted": "true", "stackpolicy_in_service": "3-0f3a9c21"}},
		acctest.Server{Name: "web-2", Region: one, Zone: zones[0], Metadata: map[string]string{"stackpolicy_protected": "yes"}},
		acctest.Server{Name: "db-0", Region: one, Zone: zones[0]},
	)
	config := fmt.Sprintf(`
data "stackpolicy_cluster" "web" {
  regions    = [%q, %q]
  name_regex = "^%sweb-"
}
locals { order = tolist([for n in data.stackpolicy_cluster.web.nodes : "${n.region} ${n.created_at} ${n.id}"]) }
output "by_id" { value = { for n in data.stackpolicy_cluster.web.nodes : n.id => n } }
output "sorted" { value = local.order == sort(local.order) }
`, two, one, c.Prefix)
	const web = "data.stackpolicy_cluster.web"
	node := func(i int, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownOutputValueAtPath("by_id", tfjsonpath.New(ids[i]).AtMapKey(attribute), check)
	}
	c.Test(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(web, tfjsonpath.New("size"), knownvalue.Int64Exact(3)),
			statecheck.ExpectKnownValue(web, tfjsonpath.New("distribution").AtMapKey(one).AtMapKey(zones[0]), knownvalue.Int64Exact(2)),
			statecheck.ExpectKnownOutputValue("sorted", knownvalue.Bool(true)),
			node(0, "region", knownvalue.StringExact(two)),
			node(1, "region", knownvalue.StringExact(one)),
			node(1, "name", knownvalue.StringExact(c.Prefix+"web-1")),
			node(1, "zone", knownvalue.StringExact(zones[0])),
			node(1, "status", knownvalue.StringExact("ACTIVE")),
			node(1, "profile", knownvalue.StringExact(c.Image)),
			node(1, "profile_created_at", knownvalue.NotNull()),
			node(1, "created_at", knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`))),
			node(1, "host_id", knownvalue.NotNull()),
			node(1, "tainted", knownvalue.Bool(true)),
			node(1, "protected", knownvalue.Bool(false)),
			node(1, "in_service", knownvalue.StringExact("3-0f3a9c21")),
			node(2, "in_service", knownvalue.Null()),
			node(2, "protected", knownvalue.Bool(true)),
		}},
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

// TestRead: a query without regions reads the provider's, and a region without nodes is in the distribution. An
// error points at the argument that names what cannot be read. All servers of a project are not a cluster.
func TestRead(t *testing.T) {
	t.Parallel()
	type attributes = protocol.Attributes
	down := fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionOne", Path: "/servers/detail", Status: http.StatusInternalServerError,
		Times: fakecloud.Forever}
	both := []any{"RegionOne", "RegionTwo"}
	for name, c := range map[string]struct {
		region       any
		broken       bool
		config       attributes
		distribution string
		at, says     string
	}{
		"the provider's region": {region: "RegionTwo", config: attributes{"name_regex": "."}, distribution: "{RegionTwo={az-2=1}}"},
		"regions, one without nodes": {region: "RegionTwo", config: attributes{"name_regex": "^web", "regions": both},
			distribution: "{RegionOne={az-1=2} RegionTwo={}}"},
		"no region anywhere, of two": {config: attributes{"name_regex": "web"}, at: "regions: Unable to determine the region", says: "RegionOne"},
		"a group that is gone": {region: "RegionTwo", config: attributes{"servergroup_id": "gone"}, at: "servergroup_id: Unknown server group",
			says: `"gone"`},
		"a region that fails": {region: "RegionTwo", broken: true, config: attributes{"name_regex": "web", "regions": both},
			at: ": Unable to read the cluster", says: "To go on without a region that does not answer, leave it out of regions."},
		"servers that nothing selects": {region: "RegionTwo", config: attributes{"regions": both}, at: ": Unable to read the cluster",
			says: "the selector is empty: give at least one of"},
	} {
		fake := acctest.NewFake(t, fakecloud.Config{}).Fake
		fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Zone: "az-1"}, fakecloud.Server{Name: "web-1", Zone: "az-1"})
		fake.AddServers("RegionTwo", fakecloud.Server{Name: "db-0", Zone: "az-2"})
		if c.broken {
			fake.Inject(down)
		}
		p := protocol.Start(t, fake, fakecloud.MemberUser, c.region)
		if err := p.ValidateData(t.Context(), "stackpolicy_cluster", c.config); err == nil {
			if read, err := p.ReadData(t.Context(), "stackpolicy_cluster", c.config); err == nil {
				assert.Equal(t, c.distribution, protocol.Shown(protocol.Object(read)["distribution"]), name)
			}
		}
		assert.Equal(t, c.at, p.At(), name)
		assert.Contains(t, p.Said(), c.says, name)
	}
}

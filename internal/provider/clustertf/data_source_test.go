package clustertf_test

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

func TestAccCluster_twoRegions(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	zones := c.Zones(t, one)
	ids := c.Boot(t,
		acctest.Server{Name: "web-0", Region: two},
		acctest.Server{Name: "web-1", Region: one, Zone: zones[0], Metadata: map[string]string{"stackpolicy_tainted": "true", "stackpolicy_in_service": "3-0f3a9c21"}},
		acctest.Server{Name: "web-2", Region: one, Zone: zones[0], Metadata: map[string]string{"stackpolicy_protected": "yes"}},
		acctest.Server{Name: "db-0", Region: one, Zone: zones[0]},
	)
	config := fmt.Sprintf(`
data "stackpolicy_cluster" "web" {
  regions    = [%q, %q]
  name_regex = "^%sweb-"
}
output "by_id" { value = { for n in data.stackpolicy_cluster.web.nodes : n.id => n } }
output "order" { value = [for n in data.stackpolicy_cluster.web.nodes : "${n.region} ${n.created_at} ${n.id}"] }
output "sorted" { value = sort([for n in data.stackpolicy_cluster.web.nodes : "${n.region} ${n.created_at} ${n.id}"]) }
`, two, one, c.Prefix)
	const web = "data.stackpolicy_cluster.web"
	node := func(i int, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownOutputValueAtPath("by_id", tfjsonpath.New(ids[i]).AtMapKey(attribute), check)
	}
	c.Test(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(web, tfjsonpath.New("size"), knownvalue.Int64Exact(3)),
			statecheck.ExpectKnownValue(web, tfjsonpath.New("distribution").AtMapKey(one).AtMapKey(zones[0]), knownvalue.Int64Exact(2)),
			sameOutputs{"order", "sorted"},
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

// sameOutputs checks that two outputs are equal.
type sameOutputs [2]string

func (s sameOutputs) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	a, b := req.State.Values.Outputs[s[0]].Value, req.State.Values.Outputs[s[1]].Value
	if !reflect.DeepEqual(a, b) {
		resp.Error = fmt.Errorf("output %s is %v, and %s is %v", s[0], a, s[1], b)
	}
}

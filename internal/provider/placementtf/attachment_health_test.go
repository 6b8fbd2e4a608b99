package placementtf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
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

func TestPlacementHealthInput(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	for block, want := range map[string]string{
		"health {}": "The block health needs one of http, tcp and octavia.",
		"health {\n http {\n url = \"ftp://x\"\n }\n}":                                   "An address begins with http:// or https://",
		"health {\n http {\n url = \"http://{address}/\"\n status = \"ok\"\n }\n}":       "is neither a status between 100 and 599",
		"health {\n tcp {\n port = 80\n }\n http {\n url = \"http://{address}/\"\n }\n}": "cannot be specified when",
	} {
		c.Test(t, resource.TestStep{PlanOnly: true, ExpectError: acctest.Says(want),
			Config: "resource \"stackpolicy_placement_attachment\" \"web\" {\n cluster = \"web\"\n desired_capacity = 1\n zones = [{ name = \"az-1\" }]\n" + block + "\n}\n"})
	}
}

package placementtf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccPlacementInModule: a module hands on arguments that its caller leaves
// out. They are unknown in validate, and then count as neither given nor missing.
func TestAccPlacementInModule(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	zone := c.Zones(t, c.Regions(t)[0])[0]
	config := fmt.Sprintf(`
variable "regions" {
  type    = list(object({ name = string }))
  default = null
}
variable "zones" {
  type    = list(object({ name = string }))
  default = [{ name = %q }]
}
variable "region" {
  type    = string
  default = null
}
`, zone) + web(c, "desired_capacity = 1", "regions = var.regions", "zones = var.zones", "region = var.region")
	w := c.Workspace(t, config)
	if _, err := w.Run(t.Context(), "validate", "-no-color"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestPlacementTakenBack: taking back a growth that failed takes back what
// failed, and no healthy server, whatever the criterion says.
func TestPlacementTakenBack(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	zones := `zones = [{ name = "az-1" }, { name = "az-2" }]`
	size := func(n int, more ...string) string {
		return web(c, append([]string{fmt.Sprintf("desired_capacity = %d", n), zones, `deletion { criteria = "OLDEST_FIRST" }`}, more...)...)
	}
	boot := func(names ...string) func() {
		return func() {
			for i, name := range names {
				c.Fake.AddServers("RegionOne", fakecloud.Server{Name: c.Prefix + "web-" + name, Zone: fmt.Sprintf("az-%d", i%2+1)})
			}
		}
	}
	left := func(names ...string) []plancheck.PlanCheck {
		exact := map[string]knownvalue.Check{}
		for _, name := range names {
			exact[c.Prefix+"web-"+name] = knownvalue.NotNull()
		}
		return []plancheck.PlanCheck{plancheck.ExpectKnownValue(webAddress, tfjsonpath.New("nodes"), knownvalue.MapExact(exact))}
	}
	c.Test(t,
		resource.TestStep{Config: size(2)},
		resource.TestStep{PreConfig: boot("0", "1"), Config: size(5)}, // of the three new ones
		resource.TestStep{PreConfig: boot("2"), Config: size(3), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: left("0", "1", "2")}}, // one was made
	)
}

// TestPlacementShelved: a server that is shelved and offloaded is in no zone. Its
// node shows none while that lasts, or Terraform would replace the server, and
// keeps its place in the count.
func TestPlacementShelved(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	var id string
	boot := func() { id = c.Boot(t, acctest.Server{Name: "web-0", Region: "RegionOne", Zone: "az-1"})[0] }
	become := func(status, zone string) func() {
		return func() {
			c.Fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status, s.Zone = status, zone })
		}
	}
	config := web(c, "desired_capacity = 1", `zones = [{ name = "az-1" }, { name = "az-2" }]`)
	shows := func(zone knownvalue.Check) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan(),
			plancheck.ExpectKnownValue(webAddress, tfjsonpath.New("nodes").AtMapKey(c.Prefix+"web-0").AtMapKey("zone"), zone),
			plancheck.ExpectKnownValue(webAddress, tfjsonpath.New("distribution").AtMapKey("RegionOne").AtMapKey("az-1"), knownvalue.Int64Exact(1))}}
	}
	c.Test(t,
		resource.TestStep{Config: config},
		resource.TestStep{PreConfig: boot, Config: config, ConfigPlanChecks: shows(knownvalue.StringExact("az-1"))},
		resource.TestStep{PreConfig: become("SHELVED_OFFLOADED", ""), Config: config, ConfigPlanChecks: shows(knownvalue.Null())},
		resource.TestStep{PreConfig: become("ACTIVE", "az-1"), Config: config, ConfigPlanChecks: shows(knownvalue.StringExact("az-1"))},
	)
}

// TestPlacementShrinksWhereAZoneIsDown: it gives up its share like any other, and
// the warning does not say that it keeps its nodes.
func TestPlacementShrinksWhereAZoneIsDown(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), `zones = [{ name = "az-1" }, { name = "az-2" }]`)
	}
	w := c.Workspace(t, config(4)+`output "spread" { value = stackpolicy_placement_attachment.web.distribution["RegionOne"] }`)
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Fake.SetZoneAvailable("RegionOne", "az-2", false)
	if err := w.Write(config(2) + `output "spread" { value = stackpolicy_placement_attachment.web.distribution["RegionOne"] }`); err != nil {
		t.Fatal(err)
	}
	text, err := w.Apply(t.Context())
	var spread map[string]int
	if err := w.Output(t.Context(), "spread", &spread); err != nil || spread["az-1"] != 1 || spread["az-2"] != 1 {
		t.Errorf("got %v, %v", spread, err)
	}
	if err != nil || !acctest.Says("It takes no nodes, and loses 1 node: Nova still deletes servers there.").MatchString(text) || acctest.Says("It keeps the nodes").MatchString(text) {
		t.Errorf("got %v:\n%s", err, text)
	}
}

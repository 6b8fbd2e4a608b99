package placementtf_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

const webAddress = "stackpolicy_placement_attachment.web"

// place is a node as the attachment hands it out.
func place(index int64, region, zone string) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"index": knownvalue.Int64Exact(index), "region": knownvalue.StringExact(region), "zone": knownvalue.StringExact(zone),
		"template": knownvalue.MapSizeExact(0), "generation": knownvalue.Int64Exact(1), "mark": knownvalue.StringExact("1"),
		"closed": knownvalue.Bool(false)})
}

// TestAccPlacementImport: a cluster that runs is adopted as it is, whatever
// spread it has, and grows on from its greatest index.
func TestAccPlacementImport(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two, a, b := c.FiveZones(t)
	name := func(n string) string { return c.Prefix + "web-" + n }
	c.Boot(t, acctest.Server{Name: "web-0", Region: one, Zone: a[0]}, acctest.Server{Name: "web-07", Region: one, Zone: a[0]},
		acctest.Server{Name: "web-12", Region: two, Zone: b[1]}, acctest.Server{Name: "web-12-backup", Region: two, Zone: b[1]})
	config := func(size int) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), "regions = "+acctest.Places(fmt.Sprintf("%s: %s %s; %s: %s %s", one, a[0], a[1], two, b[0], b[1])))
	}
	adopted := map[string]knownvalue.Check{name("0"): place(0, one, a[0]), name("07"): place(7, one, a[0]), name("12"): place(12, two, b[1])}
	grown := map[string]knownvalue.Check{name("13"): place(13, two, b[0])}
	maps.Copy(grown, adopted)
	c.Test(t,
		resource.TestStep{Config: config(3), ResourceName: webAddress, ImportState: true, ImportStateId: name("")[:len(name(""))-1], ImportStatePersist: true},
		resource.TestStep{Config: config(3), ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(webAddress, tfjsonpath.New("nodes"), knownvalue.MapExact(adopted))}},
		resource.TestStep{Config: config(4), ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(webAddress, tfjsonpath.New("nodes"), knownvalue.MapExact(grown))}},
	)
}

// TestAccPlacementImportRefuses: an empty cluster, and one in which two servers
// have one index, are not adopted.
func TestAccPlacementImportRefuses(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	c.Boot(t, acctest.Server{Name: "web-3", Region: one}, acctest.Server{Name: "web-03", Region: two})
	config := web(c, "desired_capacity = 1", fmt.Sprintf("regions = [{ name = %q }]", one))
	c.Test(t,
		resource.TestStep{Config: config, ResourceName: webAddress, ImportState: true, ImportStateId: c.Prefix + "db",
			ExpectError: acctest.Says(fmt.Sprintf("no server is named %[1]sdb-0, %[1]sdb-1 and so on.", c.Prefix))},
		resource.TestStep{Config: config, ResourceName: webAddress, ImportState: true, ImportStateId: c.Prefix + "web",
			ExpectError: acctest.Says("have the same index; rename or remove one of them.")},
	)
}

// TestPlacementMigrated: a server that an operator moved to another zone keeps
// its name, and its place follows it, so that nothing is done to undo the move.
// While it is moving, nothing is concluded.
func TestPlacementMigrated(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	var id string
	boot := func() { id = c.Boot(t, acctest.Server{Name: "web-0", Region: "RegionOne", Zone: "az-1"})[0] }
	become := func(status string) func() {
		return func() {
			c.Fake.MoveServer("RegionOne", id, "r1-cmp-3") // in az-2
			c.Fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status, s.TaskState = status, "" })
		}
	}
	at := func(zone string) []plancheck.PlanCheck {
		return []plancheck.PlanCheck{plancheck.ExpectKnownValue(webAddress, tfjsonpath.New("nodes"), knownvalue.MapExact(map[string]knownvalue.Check{c.Prefix + "web-0": place(0, "RegionOne", zone)}))}
	}
	config := web(c, "desired_capacity = 1", `zones = [{ name = "az-1" }, { name = "az-2" }]`)
	check := func(zone string) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PostApplyPostRefresh: append(at(zone), plancheck.ExpectEmptyPlan())}
	}
	c.Test(t,
		resource.TestStep{Config: config},
		resource.TestStep{PreConfig: boot, Config: config, ConfigPlanChecks: check("az-1")},
		resource.TestStep{PreConfig: become("MIGRATING"), Config: config, ConfigPlanChecks: check("az-1")},
		resource.TestStep{PreConfig: become("ACTIVE"), Config: config, ConfigPlanChecks: check("az-2")},
	)
}

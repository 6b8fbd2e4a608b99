package affinitytf_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

func affinityPlan(region, group, more string) string {
	return fmt.Sprintf("data \"stackpolicy_affinity_plan\" \"p\" {\n  region = %q\n  servergroup_id = %q\n  %s\n}\n", region, group, more)
}

func affinityPlanIs(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data.stackpolicy_affinity_plan.p", tfjsonpath.New(attribute), check)
}

// placements are n entries of a group and a zone, null for "".
func placements(n int, group, zone string) knownvalue.Check {
	var at knownvalue.Check = knownvalue.StringExact(zone)
	if zone == "" {
		at = knownvalue.Null()
	}
	list := make([]knownvalue.Check, n)
	for i := range list {
		list[i] = knownvalue.ObjectExact(map[string]knownvalue.Check{"servergroup": knownvalue.StringExact(group), "zone": at})
	}
	return knownvalue.ObjectExact(map[string]knownvalue.Check{"count": knownvalue.Int64Exact(int64(n)), "placements": knownvalue.ListExact(list)})
}

func compute(t *testing.T, c *acctest.Cloud, region string) *openstack.Compute {
	t.Helper()
	compute, err := c.API.Compute(t.Context(), region)
	if err != nil {
		t.Fatal(err)
	}
	return compute
}

func TestAccAffinityPlan(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	group := c.Group(t, region, "g", "soft-anti-affinity")
	c.Boot(t, acctest.Server{Name: "a", Region: region, Group: group}, acctest.Server{Name: "b", Region: region, Group: group})
	zone := c.Zones(t, region)[0]
	step := func(request string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{Config: affinityPlan(region, group, request), ConfigStateChecks: checks}
	}
	c.Test(t,
		step("scale_out { count = 2 }", affinityPlanIs("placement", placements(2, group, "")),
			affinityPlanIs("status", knownvalue.StringExact("OK")), affinityPlanIs("violations", knownvalue.ListSizeExact(0))),
		step("scale_out {}\n  availability_zone = \""+zone+"\"", affinityPlanIs("placement", placements(1, group, zone))),
		step("decision = { creation = { count = 3 } }", affinityPlanIs("placement", placements(3, group, ""))),
		step(`resize {
    adjustment_type = "EXACT_CAPACITY"
    number = 5
  }`, affinityPlanIs("placement", placements(3, group, ""))),
		step("node_create { zone = \""+zone+"\" }\n  availability_zone = \"cloud-nine\"", affinityPlanIs("placement", placements(1, group, zone))),
		resource.TestStep{Config: affinityPlan(region, group, "scale_out {}\n  availability_zone = \"cloud-nine\""), PlanOnly: true, ExpectError: acctest.Says(`does not list the availability zone "cloud-nine"`)},
		step("scale_in {}", affinityPlanIs("placement", knownvalue.Null()), affinityPlanIs("reason", knownvalue.StringExact("Nothing to create or to delete."))),
		resource.TestStep{Config: affinityPlan(region, "00000000-0000-0000-0000-000000000000", "scale_out {}"), PlanOnly: true, ExpectError: acctest.Says("get the server group 00000000-0000-0000-0000-000000000000")},
		resource.TestStep{Config: affinityPlan(region, group, ""), PlanOnly: true, ExpectError: acctest.Says("Nothing is requested")},
		resource.TestStep{Config: affinityPlan(region, group, "scale_out { count = 1000000 }"), PlanOnly: true, ExpectError: acctest.Says("a placement for each of 1000000 nodes is more than can be listed")},
	)
}

// TestAffinityPlanShare: a plan takes its own region's and zone's share of a
// decision, and leaves a node of another region alone.
func TestAffinityPlanShare(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	one, two := c.Group(t, "RegionOne", "g", "anti-affinity"), c.Group(t, "RegionTwo", "g", "anti-affinity")
	plan := func(name, region, group, more string) string {
		return strings.Replace(affinityPlan(region, group, more), `"p"`, fmt.Sprintf("%q", name), 1)
	}
	is := func(name, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.stackpolicy_affinity_plan."+name, tfjsonpath.New(attribute), check)
	}
	const regions = `
data "stackpolicy_region_plan" "r" {
  nodes   = []
  regions = [{ name = "RegionOne" }, { name = "RegionTwo", weight = 200 }]
  scale_out { count = 6 }
}
data "stackpolicy_zone_plan" "z" {
  nodes    = []
  region   = "RegionTwo"
  zones    = [{ name = "az-1", weight = 300 }, { name = "az-2" }]
  decision = { creation = data.stackpolicy_region_plan.r.creation }
}
`
	const (
		decided = "decision = { creation = data.stackpolicy_region_plan.r.creation }"
		zoned   = "decision = { creation = data.stackpolicy_zone_plan.z.creation }"
	)
	entry := func(zone string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"servergroup": knownvalue.StringExact(two), "zone": knownvalue.StringExact(zone)})
	}
	step := func(request string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{Config: affinityPlan("RegionOne", one, request), ConfigStateChecks: checks}
	}
	c.Test(t,
		resource.TestStep{
			Config: regions + plan("one", "RegionOne", one, decided) + plan("two", "RegionTwo", two, decided) +
				plan("none", "RegionOne", one, zoned) + plan("zoned", "RegionTwo", two, zoned) +
				plan("zone", "RegionTwo", two, zoned+"\n  availability_zone = \"az-2\""),
			ConfigStateChecks: []statecheck.StateCheck{
				is("one", "placement", placements(2, one, "")),
				is("one", "reason", knownvalue.StringExact("2 nodes to create. The decision has 6 nodes, of which other regions get 4.")),
				is("two", "placement", placements(4, two, "")),
				is("none", "placement", knownvalue.Null()),
				is("zoned", "placement", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"count":      knownvalue.Int64Exact(4),
					"placements": knownvalue.ListExact([]knownvalue.Check{entry("az-1"), entry("az-1"), entry("az-1"), entry("az-2")}),
				})),
				is("zone", "placement", placements(1, two, "az-2")),
				is("zone", "reason", knownvalue.StringExact("1 node to create. The decision has 4 nodes in RegionTwo, of which other zones get 3.")),
			},
		},
		step("decision = { creation = { count = 5, regions = { RegionTwo = 5 } } }", affinityPlanIs("placement", knownvalue.Null()),
			affinityPlanIs("reason", knownvalue.StringExact("Nothing to create or to delete. The decision has 5 nodes, of which other regions get 5."))),
		step(`node_create { region = "RegionTwo" }`, affinityPlanIs("placement", knownvalue.Null()),
			affinityPlanIs("reason", knownvalue.StringExact("The node is for the region RegionTwo: nothing is planned in RegionOne."))),
		step(`node_create { region = "RegionOne" }`, affinityPlanIs("placement", placements(1, one, ""))),
		resource.TestStep{PlanOnly: true, Config: affinityPlan("RegionOne", one, `node_create { zone = "cloud-nine" }`),
			ExpectError: acctest.Says(`does not list the availability zone "cloud-nine"`)},
		resource.TestStep{PlanOnly: true, Config: affinityPlan("RegionOne", one, "decision = { creation = { zones = { cloud-nine = 1 } } }"),
			ExpectError: acctest.Says(`does not list the availability zone "cloud-nine"`)},
	)
}

// TestAffinityPlanViolations: members of an anti-affinity group that share a
// host, after an operator moved one.
func TestAffinityPlanViolations(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	group := c.Group(t, "RegionOne", "g", "anti-affinity")
	ids := c.Boot(t, acctest.Server{Name: "a", Region: "RegionOne", Group: group}, acctest.Server{Name: "b", Region: "RegionOne", Group: group}, acctest.Server{Name: "c", Region: "RegionOne", Group: group})
	for _, id := range ids[:2] {
		c.Fake.MoveServer("RegionOne", id, "r1-cmp-4")
	}
	c.Fake.MoveServer("RegionOne", ids[2], "r1-cmp-1")
	c.Test(t, resource.TestStep{Config: affinityPlan("RegionOne", group, "scale_out {}"), ConfigStateChecks: []statecheck.StateCheck{
		affinityPlanIs("violations", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
			"host_id": knownvalue.NotNull(), "members": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(min(ids[0], ids[1])), knownvalue.StringExact(max(ids[0], ids[1]))})})})),
	}})
}

// TestAccAffinityDRS: an admin gets the host of the vSphere cluster with DRS.
func TestAccAffinityDRS(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	region, host := c.DRS(t)
	group := c.Group(t, region, "g", "anti-affinity")
	zones, err := compute(t, c, region).HostZones(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := zones[host]
	other := slices.DeleteFunc(c.Zones(t, region), func(zone string) bool { return zone == own })[0]
	zone := own + ":" + host // the zone that Nova reports of servers there
	drs := "region = %q\n enable_drs_extension = true\n"
	c.Test(t,
		resource.TestStep{Config: affinityPlan(region, group, "scale_out { count = 2 }\n  enable_drs_extension = true"),
			ConfigStateChecks: []statecheck.StateCheck{affinityPlanIs("placement", placements(2, group, zone))}},
		resource.TestStep{Config: affinityPlan(region, group, "scale_out {}\n  enable_drs_extension = true\n  availability_zone = \""+own+"\""),
			ConfigStateChecks: []statecheck.StateCheck{affinityPlanIs("placement", placements(1, group, zone))}},
		resource.TestStep{Config: affinityPlan(region, group, "scale_out {}\n  enable_drs_extension = true\n  availability_zone = \""+other+"\""), PlanOnly: true,
			ExpectError: acctest.Says(fmt.Sprintf("The host %q of the vSphere cluster with DRS is in the availability zone %q, not in %q.", host, own, other))},
		resource.TestStep{Config: affinityPlan(region, group, "scale_out {}\n  enable_drs_extension = true\n  availability_zone = \"cloud-nine\""), PlanOnly: true,
			ExpectError: acctest.Says(`does not list the availability zone "cloud-nine"`)},
		// Nobody is asked for hypervisors where nothing will be created.
		resource.TestStep{Config: affinityPlan(region, group, "scale_in {}\n  enable_drs_extension = true"),
			ConfigStateChecks: []statecheck.StateCheck{affinityPlanIs("placement", knownvalue.Null())}},
		resource.TestStep{Config: affinityAttachment(drs, region), ConfigPlanChecks: empty(),
			ConfigStateChecks: []statecheck.StateCheck{attachmentIs("zone", knownvalue.StringExact(zone))}},
		resource.TestStep{Config: affinityAttachment(drs+" availability_zone = %q", region, own), ConfigPlanChecks: empty(),
			ConfigStateChecks: []statecheck.StateCheck{attachmentIs("zone", knownvalue.StringExact(zone))}},
		resource.TestStep{Config: affinityAttachment(drs+" availability_zone = %q", region, other), PlanOnly: true, ExpectError: acctest.Says("The vSphere host is in another zone")},
		resource.TestStep{Config: affinityAttachment("region = %q\n availability_zone = %q", region, other), ConfigPlanChecks: empty(),
			ConfigStateChecks: []statecheck.StateCheck{attachmentIs("zone", knownvalue.StringExact(other))}},
	)
}

// TestDRSHostsThatDoNot: a host that is down or disabled is none, and a host
// that fails after it was chosen moves nobody.
func TestDRSHostsThatDoNot(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	if c.Fake == nil {
		t.Skip("needs the fake cloud: no real one can be made to do this")
	}
	group := c.Group(t, "RegionTwo", "g", "anti-affinity")
	plan := affinityPlan("RegionTwo", group, "scale_out {}\n  enable_drs_extension = true")
	attached := affinityAttachment("region = \"RegionTwo\"\n enable_drs_extension = true")
	none := acctest.Says("No suitable vSphere host is available.")
	c.Test(t,
		resource.TestStep{Config: attached},
		resource.TestStep{PreConfig: func() { c.Fake.SetHostDown("RegionTwo", "vsphere_drs_1", true) }, Config: attached, PlanOnly: true},
		resource.TestStep{Config: attached + plan, PlanOnly: true, ExpectError: none},
		resource.TestStep{PreConfig: func() {
			c.Fake.SetHostDown("RegionTwo", "vsphere_drs_1", false)
			c.Fake.SetHostDisabled("RegionTwo", "vsphere_drs_1", true)
		}, Config: attached + plan, PlanOnly: true, ExpectError: none},
		resource.TestStep{Config: affinityAttachment("region = \"RegionOne\"\n enable_drs_extension = true"), PlanOnly: true, ExpectError: none},
	)
}

// TestAccAffinityDRS_member: an ordinary user gets an error that says why.
func TestAccAffinityDRS_member(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	c.NeedsMember(t)
	region := c.Regions(t)[0]
	group := c.Group(t, region, "g", "anti-affinity")
	want := acctest.Says("looks for a host among all hypervisors, and Nova shows these to admins only")
	c.Test(t,
		resource.TestStep{Config: affinityPlan(region, group, "scale_out {}\n  enable_drs_extension = true"), PlanOnly: true, ExpectError: want},
		resource.TestStep{Config: affinityAttachment("region = %q\n enable_drs_extension = true", region), PlanOnly: true, ExpectError: want},
	)
}

// TestAffinityPlanWarnings: the quota of members, and hosts that are too few for
// the group's rule where hosts can be seen.
func TestAffinityPlanWarnings(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	if c.Fake == nil {
		t.Skip("needs the fake cloud: quotas of a real one are left alone")
	}
	c.Fake.SetQuota("RegionOne", fakecloud.AdminProjectID, "server_group_members", 4)
	group := c.Group(t, "RegionOne", "g", "anti-affinity")
	c.Boot(t, acctest.Server{Name: "a", Region: "RegionOne", Group: group})
	w := c.Workspace(t, affinityPlan("RegionOne", group, "scale_out { count = 3 }"))
	if text, err := w.Run(t.Context(), "plan", "-no-color"); err != nil || strings.Contains(text, "Warning") {
		t.Errorf("four members on four hosts are all right: %v\n%s", err, text)
	}
	if err := w.Write(affinityPlan("RegionOne", group, "scale_out { count = 4 }")); err != nil {
		t.Fatal(err)
	}
	text, err := w.Run(t.Context(), "plan", "-no-color")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*regexp.Regexp{
		acctest.Says(fmt.Sprintf("The server group %q has 1 members and would have 5; Nova's quota server_group_members allows 4", c.Prefix+"g")),
		acctest.Says(fmt.Sprintf("The server group %q would have 5 members in region RegionOne, and its rule (1 a host) places 4 on the hosts there that are up and enabled", c.Prefix+"g")),
	} {
		if !want.MatchString(text) {
			t.Errorf("no warning %s in\n%s", want, text)
		}
	}
}

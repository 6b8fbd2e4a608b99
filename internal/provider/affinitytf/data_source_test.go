package affinitytf_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlanned: the placements of a plan, its warnings, and the paths of its errors.
func TestPlanned(t *testing.T) {
	t.Parallel()
	out := func(n int) attributes { return attributes{"scale_out": attributes{"count": n}} }
	at := func(zone string, request attributes) attributes {
		request = maps.Clone(request)
		request["availability_zone"] = zone
		return request
	}
	decided := func(zones attributes) attributes { // a decision to create a node in each zone
		return attributes{"decision": attributes{"creation": attributes{"count": len(zones), "region": "RegionTwo", "zones": zones}}}
	}
	size := attributes{"resize": attributes{"adjustment_type": "EXACT_CAPACITY", "number": 4}}
	fails := func(path string, status int) *fakecloud.Fault {
		return &fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: path, Status: status, Times: fakecloud.Forever}
	}
	const room, quota = "servergroup_id: Too few hosts for the group", "servergroup_id: The group gets more members than its quota"
	for name, c := range map[string]struct {
		policy  string
		perHost int
		quota   int // 0: no limit
		member  bool
		home    string // region of the provider, the default of the plan
		fault   *fakecloud.Fault
		request attributes
		zones   string // zones of the placements; "-": no placements
		at      string // paths and titles of the diagnostics
		says    string
	}{
		"two, with one there": {policy: "anti-affinity", request: out(2), zones: "any any"},
		"three, with one there": {policy: "anti-affinity", request: out(3), zones: "any any any", at: room,
			says: "would have 4 members in region RegionTwo, and its rule (1 a host) places 3"},
		"in the provider's region":    {policy: "affinity", home: "RegionTwo", request: out(2), zones: "any any"},
		"to a size":                   {policy: "affinity", request: size, zones: "any any any"},
		"the same, of another policy": {policy: "soft-anti-affinity", request: out(3), zones: "any any any"},
		"two a host": {policy: "anti-affinity", perHost: 2, request: out(6), zones: "any any any any any any", at: room,
			says: "would have 7 members in region RegionTwo, and its rule (2 a host) places 6"},
		"where hosts are not shown": {policy: "anti-affinity", member: true, request: out(3), zones: "any any any"},
		"in a zone, with one there": {policy: "anti-affinity", request: at("az-1", out(2)), zones: "az-1 az-1", at: room,
			says: `would have 3 members in "az-1" in region RegionTwo, and its rule (1 a host) places 2`},
		"in another zone": {policy: "anti-affinity", request: at("az-2", out(1)), zones: "az-2"},
		"on a host, with one in its zone": {policy: "anti-affinity", request: at("az-1:r2-cmp-2", out(1)), zones: "az-1:r2-cmp-2", at: room,
			says: `would have 2 members in "az-1:r2-cmp-2"`},
		"within the quota": {policy: "affinity", quota: 3, request: out(2), zones: "any any"},
		"above the quota": {policy: "affinity", quota: 2, request: out(2), zones: "any any", at: quota,
			says: "has 1 members and would have 3; Nova's quota server_group_members allows 2"},
		"none":                  {policy: "anti-affinity", quota: 1, request: attributes{"scale_in": attributes{}}, zones: "-"},
		"none, above the quota": {policy: "affinity", fault: fails("/limits", 501), request: attributes{"scale_in": attributes{}}, zones: "-"},

		"a zone that is not there": {policy: "affinity", request: at("cloud-nine", out(1)), at: "availability_zone: Unknown availability zone"},
		"a zone that is down": {policy: "affinity", request: at("az-3", out(1)), zones: "az-3", at: "availability_zone: The availability zone is down",
			says: "Nova finds no host for new servers there"},
		"a host that its zone does not have": {policy: "anti-affinity", request: at("az-1:nohost", out(1)), at: "availability_zone: Unknown host"},
		"a node's zone": {policy: "affinity", request: attributes{"node_create": attributes{"zone": "cloud-nine"}},
			at: "node_create.zone: Unknown availability zone"},
		"a node's zone and host": {policy: "affinity", request: attributes{"node_create": attributes{"zone": "az-1:r2-cmp-2"}}, zones: "az-1:r2-cmp-2"},
		"a node's host that its zone does not have": {policy: "affinity", request: attributes{"node_create": attributes{"zone": "az-1:nohost"}},
			at: "node_create.zone: Unknown host"},
		"a decision's region, misspelled": {policy: "affinity", at: "decision: Unknown region",
			request: attributes{"decision": attributes{"creation": attributes{"count": 2, "region": "RegionTow"}}}},
		"a decision's zone":          {policy: "affinity", request: decided(attributes{"cloud-nine": 1}), at: "decision: Unknown availability zone"},
		"too many":                   {policy: "affinity", request: out(200_000), at: ": Invalid request"},
		"a group that is not there":  {request: out(1), at: "servergroup_id: Unable to read the server group"},
		"quotas that cannot be read": {policy: "affinity", fault: fails("/limits", 501), request: out(1), at: ": Unable to look up quotas"},
		"hypervisors that cannot be": {policy: "anti-affinity", fault: fails("/os-hypervisors/detail", 501), request: out(1),
			at: ": Unable to look up hypervisors"},
		"members that cannot be": {policy: "anti-affinity", fault: fails("/servers/*", 501), request: at("az-1", out(1)),
			at: ": Unable to read the members of the server group"},
		"zones that are hidden": {policy: "affinity", fault: fails("/os-availability-zone/detail", 403),
			request: attributes{"enable_drs_extension": true, "scale_out": attributes{}}, at: "enable_drs_extension: Only an admin sees hypervisors",
			says: "os_compute_api:os-availability-zone:detail"},
		"DRS, for a member": {policy: "affinity", member: true, request: attributes{"enable_drs_extension": true, "scale_out": attributes{}},
			at: "enable_drs_extension: Only an admin sees hypervisors", says: "Nova shows these to admins only"},
		"members that do not matter": {policy: "soft-anti-affinity", fault: fails("/servers/*", 501), request: at("az-1", out(1)), zones: "az-1"},
		"two zones on one host": {policy: "affinity", request: decided(attributes{"az-1": 1, "az-2": 1}), zones: "az-1 az-2",
			at: "decision: Too few hosts for the group", says: "would be in az-1 and az-2."},
		"two zones on one host with DRS": {policy: "affinity",
			request: attributes{"enable_drs_extension": true, "decision": attributes{"creation": attributes{"count": 3}}},
			zones:   "az-2:vsphere_drs_1 az-2:vsphere_drs_1 az-2:vsphere_drs_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := fakecloud.AdminUser
			if c.member {
				user = fakecloud.MemberUser
			}
			h := hold(t, user)
			h.Fake.AddZone("RegionTwo", fakecloud.Zone{Name: "az-3", Hosts: []string{"h"}})
			h.Fake.SetZoneAvailable("RegionTwo", "az-3", false)
			project := map[string]string{fakecloud.AdminUser: fakecloud.AdminProjectID, fakecloud.MemberUser: fakecloud.MemberProjectID}[user]
			id := "00000000-0000-0000-0000-000000000000"
			if c.policy != "" {
				id = h.Fake.AddServerGroup("RegionTwo", fakecloud.ServerGroup{Name: "g", Policy: c.policy, MaxServerPerHost: c.perHost, ProjectID: project})
				h.Fake.AddServers("RegionTwo", fakecloud.Server{Name: "a", Zone: "az-1", Group: id, ProjectID: project})
			}
			h.Fake.SetQuota("RegionTwo", project, "server_group_members", cmp.Or(c.quota, -1))
			if c.fault != nil {
				h.Fake.Inject(*c.fault)
			}
			request := maps.Clone(c.request)
			request["servergroup_id"] = id
			if h.Home = c.home; c.home == "" {
				h.Home, request["region"] = "RegionOne", "RegionTwo"
			}
			h.Later(t)
			got, err := h.ReadData(t.Context(), "stackpolicy_affinity_plan", request)
			h.Expect(t, c.at, c.says)
			require.Equal(t, c.zones == "", err != nil, "got %v", err)
			if err != nil {
				return
			}
			assert.Equal(t, c.zones, placed(t, got, id), "placed in")
			reason := text.Count(int64(len(strings.Fields(c.zones))), "node") + " to create."
			if c.zones == "-" {
				reason = "Nothing to create or to delete."
			}
			for name, want := range map[string]string{"status": "OK", "reason": reason, "region": "RegionTwo"} {
				assert.Equal(t, want, protocol.Shown(protocol.Object(got)[name]), name)
			}
		})
	}
}

// placed returns the zones of the placements, which must all name the group.
func placed(t *testing.T, plan tftypes.Value, group string) string {
	t.Helper()
	placement := protocol.Object(plan)["placement"]
	if placement.IsNull() {
		return "-"
	}
	var zones []string
	for _, p := range protocol.Elements(protocol.Object(placement)["placements"]) {
		entry := protocol.Object(p)
		assert.Equal(t, group, protocol.Shown(entry["servergroup"]))
		zones = append(zones, cmp.Or(protocol.Shown(entry["zone"]), "any"))
	}
	assert.Equal(t, fmt.Sprint(len(zones)), protocol.Shown(protocol.Object(placement)["count"]), "the count")
	return strings.Join(zones, " ")
}

// TestPlanValidated: a fault of a request is reported before the group is known, and
// unknown values are not reported.
func TestPlanValidated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config attributes
		at     string
	}{
		"nothing":              {attributes{}, ": Invalid request"},
		"two requests":         {attributes{"scale_out": attributes{}, "node_create": attributes{"zone": "az-1"}}, "node_create: Invalid request"},
		"the group, later":     {attributes{"scale_out": attributes{}}, ""},
		"the decision, later":  {attributes{"decision": tftypes.UnknownValue}, ""},
		"a decision, in words": {attributes{"decision": "all"}, "decision: Invalid decision"},
	} {
		h := hold(t, fakecloud.MemberUser)
		c.config["servergroup_id"] = tftypes.UnknownValue
		_ = h.ValidateData(t.Context(), "stackpolicy_affinity_plan", c.config) // its diagnostics are checked below
		assert.Equal(t, c.at, h.At(), "%s: said", name)
	}
}

// TestViolations: members of a group that share a host, against its rule, are listed with the host.
func TestViolations(t *testing.T) {
	t.Parallel()
	h := hold(t, fakecloud.AdminUser)
	id := h.Fake.AddServerGroup("RegionTwo", fakecloud.ServerGroup{Name: "g", Policy: "anti-affinity", ProjectID: fakecloud.AdminProjectID})
	var servers []string
	for _, host := range []string{"r2-cmp-1", "r2-cmp-1", "r2-cmp-2"} {
		servers = append(servers, h.Fake.AddServers("RegionTwo", fakecloud.Server{Zone: "az-1", Host: host, Group: id, ProjectID: fakecloud.AdminProjectID})...)
	}
	plan, err := h.ReadData(t.Context(), "stackpolicy_affinity_plan", attributes{"region": "RegionTwo", "servergroup_id": id, "scale_in": attributes{}})
	require.NoError(t, err)
	found := protocol.Elements(protocol.Object(plan)["violations"])
	require.Len(t, found, 1)
	violation := protocol.Object(found[0])
	assert.ElementsMatch(t, servers[:2], strings.Fields(protocol.Shown(violation["members"])))
	assert.NotEmpty(t, protocol.Shown(violation["host_id"]))
}

func affinityPlan(region, group, more string) string {
	return fmt.Sprintf("data \"stackpolicy_affinity_plan\" \"p\" {\n  region = %q\n  servergroup_id = %q\n  %s\n}\n", region, group, more)
}

func affinityPlanIs(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data.stackpolicy_affinity_plan.p", tfjsonpath.New(attribute), check)
}

// placements returns n entries of a group and a zone.
func placements(n int, group, zone string) knownvalue.Check {
	one := knownvalue.ObjectExact(map[string]knownvalue.Check{"servergroup": knownvalue.StringExact(group), "zone": knownvalue.StringExact(zone)})
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"count": knownvalue.Int64Exact(int64(n)), "placements": knownvalue.ListExact(slices.Repeat([]knownvalue.Check{one}, n))})
}

func TestAccAffinityPlan(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	group, zone := c.Group(t, region, "g", "soft-anti-affinity"), c.Zones(t, region)[0]
	c.Boot(t, acctest.Server{Name: "a", Region: region, Group: group}, acctest.Server{Name: "b", Region: region, Group: group})
	c.Test(t, resource.TestStep{Config: affinityPlan(region, group, fmt.Sprintf("scale_out { count = 2 }\n  availability_zone = %q", zone)),
		ConfigStateChecks: []statecheck.StateCheck{affinityPlanIs("placement", placements(2, group, zone)),
			affinityPlanIs("status", knownvalue.StringExact("OK")), affinityPlanIs("violations", knownvalue.ListSizeExact(0))}})
}

// TestAccAffinityDRS: an admin gets the host of the vSphere cluster with DRS.
func TestAccAffinityDRS(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	region, host := c.DRS(t)
	group := c.Group(t, region, "g", "anti-affinity")
	compute, err := c.API.Compute(t.Context(), region)
	require.NoError(t, err)
	zones, err := compute.HostZones(t.Context())
	require.NoError(t, err)
	zone := zones[host] + ":" + host // the zone that Nova reports for servers on the host
	c.Test(t, resource.TestStep{
		Config: affinityPlan(region, group, "scale_out { count = 2 }\n  enable_drs_extension = true") +
			affinityAttachment(fmt.Sprintf("region = %q\n enable_drs_extension = true", region)),
		ConfigPlanChecks: action(plancheck.ResourceActionCreate),
		ConfigStateChecks: []statecheck.StateCheck{affinityPlanIs("placement", placements(2, group, zone)),
			attachmentIs("zone", knownvalue.StringExact(zone))},
	})
}

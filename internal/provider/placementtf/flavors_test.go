package placementtf_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAccPlacementFlavors: servers get the first flavor that their zone has a host, and their project a quota for, through a
// rollout too. A flavor that was full is tried again, and with FLAVOR the nodes get it back.
func TestAccPlacementFlavors(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	const big, small = "m1.small", "m1.tiny"
	config := func(size int, causes, image, more string) string {
		return acctest.Placement(c, size, acctest.Places("RegionOne: az-1 az-2"), fmt.Sprintf(`flavors = [%q, %q]
  template = { version = %q }
  deletion {
    criteria = "OLDEST_FIRST"
  }
  update {
    causes         = [%s]
    max_batch_size = 2
    require_in_service = false
    stop_above     = "100%%"
  }
  %s`, big, small, image, causes, more)) + acctest.Servers(fmt.Sprintf(`image_id = %q
  flavor_id = each.value.flavor
  network_mode = "none"
  metadata = { version = each.value.template.version }
  `+acctest.First, c.Image))
	}
	w := c.Workspace(t, config(0, `"UNHEALTHY"`, "a", ""))
	step := func(name, config, want string) {
		t.Helper()
		require.NoError(t, w.Write(config))
		repeat(t, w)
		var got []string
		for _, s := range c.AllServers(t) {
			assert.Equal(t, "ACTIVE", s.Status, "%s: %s", name, s.Name)
			got = append(got, fmt.Sprintf("%s %s", s.AvailabilityZone, s.Flavor["original_name"]))
		}
		slices.Sort(got)
		assert.Equal(t, want, strings.Join(got, ", "), name)
	}
	both := `"UNHEALTHY", "TEMPLATE"`
	step("all is free", config(2, both, "a", ""), "az-1 m1.small, az-2 m1.small")
	c.Fake.SellOut("RegionOne", "az-1", big, true)
	step("full in one zone", config(4, both, "a", ""), "az-1 m1.small, az-1 m1.tiny, az-2 m1.small, az-2 m1.small")
	step("a rollout meanwhile", config(4, both, "b", ""), "az-1 m1.tiny, az-1 m1.tiny, az-2 m1.small, az-2 m1.small")
	c.Fake.SellOut("RegionOne", "az-2", big, true)
	step("full in all zones", config(6, both, "b", ""), "az-1 m1.tiny, az-1 m1.tiny, az-1 m1.tiny, az-2 m1.small, az-2 m1.small, az-2 m1.tiny")
	c.Fake.SellOut("RegionOne", "az-1", big, false)
	c.Fake.SellOut("RegionOne", "az-2", big, false)
	c.Fake.Advance(time.Hour)
	step("there is room again, which changes no node", config(6, both, "b", ""),
		"az-1 m1.tiny, az-1 m1.tiny, az-1 m1.tiny, az-2 m1.small, az-2 m1.small, az-2 m1.tiny")
	step("unless that is asked for", config(6, both+`, "FLAVOR"`, "b", ""),
		"az-1 m1.small, az-1 m1.small, az-1 m1.small, az-2 m1.small, az-2 m1.small, az-2 m1.small")
	c.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "cores", 15)
	step("a quota of cores has room for one, and for one of the next", config(8, both, "b", "respect_quotas = true"),
		"az-1 m1.small, az-1 m1.small, az-1 m1.small, az-1 m1.small, az-2 m1.small, az-2 m1.small, az-2 m1.small, az-2 m1.tiny")
	c.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "cores", -1)
}

// TestPlacementFlavorsOfPlaces: a zone has its own flavors, else the flavors of its region, else of the attachment.
func TestPlacementFlavorsOfPlaces(t *testing.T) {
	t.Parallel()
	a := begin(t)
	a.Fake.AddFlavor(fakecloud.Flavor{ID: "m1.medium", Name: "m1.medium"})
	zones := []any{attributes{"name": "az-1"}, attributes{"name": "az-2", "flavors": []any{"m1.medium"}}}
	a.Must(t, attributes{"cluster": "web", "desired_capacity": 4, "flavors": []any{"m1.tiny"}, "regions": []any{
		attributes{"name": "RegionOne", "flavors": []any{"m1.small"}, "zones": zones}, attributes{"name": "RegionTwo"}}})
	got := map[string]string{}
	for _, node := range protocol.Object(protocol.Object(a.I.State)["nodes"]) {
		n := protocol.Object(node)
		got[protocol.Shown(n["region"])+protocol.Shown(n["zone"])] = protocol.Shown(n["flavor"])
	}
	assert.Equal(t, map[string]string{"RegionOneaz-1": "m1.small", "RegionOneaz-2": "m1.medium", "RegionTwo": "m1.tiny"}, got)
}

// repeat applies until nothing is left to do; servers for which Nova finds no host make applies fail.
func repeat(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	acctest.Finish(t, func() string { text, _ := w.Apply(t.Context()); return text })
}

// TestAccPlacementSoldOut: if no host has room for the first flavor, all servers get the next one.
func TestAccPlacementSoldOut(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zones := c.Zones(t, region)
	flavors := [2]string{c.SoldOut(t, region, zones...), c.Flavor}
	if c.Fake != nil {
		flavors[1] = "m1.tiny"
	}
	config := acctest.Placement(c, 2, acctest.Places(region+": "+strings.Join(zones, " ")), fmt.Sprintf(`flavors = [%q, %q]
  update {
    causes         = ["UNHEALTHY"]
    max_batch_size = 2
    require_in_service = false
    stop_above     = "100%%"
  }`, flavors[0], flavors[1])) + acctest.Servers(fmt.Sprintf(`image_id = %q
  flavor_id = each.value.flavor
  network_mode = "none"
  `+acctest.First, c.Image))
	w := c.Workspace(t, config)
	repeat(t, w)
	servers := acctest.Resources(t, w, "openstack_compute_instance_v2")
	assert.Len(t, servers, 2)
	for _, server := range servers {
		assert.Equal(t, flavors[1], server["flavor_id"], server["name"])
	}
}

package placementtf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

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

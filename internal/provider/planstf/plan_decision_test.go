package planstf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eightNodes are eight nodes: six in RegionOne, two in RegionTwo, two a zone.
func eightNodes() (list []any) {
	for i := range 8 {
		region := "RegionOne"
		if i >= 6 {
			region = "RegionTwo"
		}
		list = append(list, attributes{"id": fmt.Sprint("n", i), "name": fmt.Sprint("web-", i), "region": region, "zone": fmt.Sprint("az-", i%3+1),
			"status": "ACTIVE", "created_at": fmt.Sprintf("2026-11-0%dT00:00:00Z", i+1)})
	}
	return list
}

// TestDecisionPlaces: a decision carries its places along, from plan to plan: a region plan's has zones to choose by, and
// a zone plan's its region. TestAccZonePlan does it through Terraform.
func TestDecisionPlaces(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	const two = "RegionOne RegionTwo"
	for name, c := range map[string]struct {
		request attributes
		want    map[string]string // of the plans: of regions, of zones of either region, of deletion by zones and by regions
	}{
		"four and four, not eight and eight": {attributes{"scale_out": attributes{"count": 8}, "regions": protocol.Listing(two)}, map[string]string{
			"regions": "{count=8 regions={RegionOne=2 RegionTwo=6} zones=} / ",
			"one":     "{count=2 region=RegionOne zones={az-1=1 az-2=1}} /  / 2 nodes to create. The decision has 8 nodes, of which other regions get 6.",
			"two":     "{count=6 region=RegionTwo zones={az-1=3 az-2=3}} /  / 6 nodes to create. The decision has 8 nodes, of which other regions get 2.",
		}},
		"the oldest of each zone of RegionOne, and none of RegionTwo": {attributes{"scale_in": attributes{"count": 4}, "regions": protocol.Listing(two)}, map[string]string{
			"regions":  " / {count=4 regions={RegionOne=4} zones=}",
			"one":      " / {count=4 region=RegionOne zones={az-1=1 az-2=1 az-3=2}} / 4 nodes to delete.",
			"two":      " /  / Nothing to create or to delete. The decision has 4 nodes, of which other regions get 4.",
			"by zone":  "n3 n4 n6 n7",
			"by place": "n4 n5 n6 n7",
		}},
	} {
		p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
		read := func(kind string, config attributes) map[string]tftypes.Value {
			config["nodes"] = eightNodes()
			value, err := p.ReadData(t.Context(), kind, config)
			require.NoError(t, err, name)
			return protocol.Object(value)
		}
		decided := func(by map[string]tftypes.Value) tftypes.Value {
			return object(map[string]tftypes.Value{"creation": by["creation"], "deletion": by["deletion"]})
		}
		both := func(plan map[string]tftypes.Value) string {
			return protocol.Shown(plan["creation"]) + " / " + protocol.Shown(plan["deletion"])
		}
		regions := read("stackpolicy_region_plan", c.request)
		assert.Equal(t, c.want["regions"], both(regions), name)
		one := read("stackpolicy_zone_plan", attributes{"zones": protocol.Listing("az-1 az-2 az-3"), "decision": decided(regions)})
		assert.Equal(t, c.want["one"], both(one)+" / "+protocol.Shown(one["reason"]), name)
		other := read("stackpolicy_zone_plan", attributes{"region": "RegionTwo", "zones": protocol.Listing("az-1 az-2"), "decision": decided(regions)})
		assert.Equal(t, c.want["two"], both(other)+" / "+protocol.Shown(other["reason"]), name)
		for way, plan := range map[string]map[string]tftypes.Value{"by zone": one, "by place": regions} {
			if c.want[way] == "" {
				continue
			}
			chosen := read("stackpolicy_deletion_plan", attributes{"criteria": "OLDEST_FIRST", "decision": object(map[string]tftypes.Value{"deletion": plan["deletion"]})})
			assert.Equal(t, c.want[way], protocol.Shown(chosen["survivors"]), "%s: %s", name, way)
		}
	}
}

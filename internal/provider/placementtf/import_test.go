package placementtf_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
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

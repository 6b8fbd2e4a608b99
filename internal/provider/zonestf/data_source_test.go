package zonestf_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func TestAccZones(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	config := fmt.Sprintf("data \"stackpolicy_zones\" \"all\" {\n  regions = [%q, %q, %q]\n}\n", two, one, two)
	var want []knownvalue.Check
	for _, region := range []string{min(one, two), max(one, two)} {
		for _, zone := range c.Zones(t, region) {
			want = append(want, knownvalue.ObjectExact(map[string]knownvalue.Check{
				"region": knownvalue.StringExact(region), "name": knownvalue.StringExact(zone), "available": knownvalue.Bool(true)}))
		}
	}
	c.Test(t, resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
		statecheck.ExpectKnownValue("data.stackpolicy_zones.all", tfjsonpath.New("zones"), knownvalue.ListExact(want))}})
}

// TestZonesRead: a zone that is down stays in the list, so that a cluster whose zones are that list keeps its nodes there.
// A region that cannot be read is an error, never a region without zones.
func TestZonesRead(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	fake.SetZoneAvailable("RegionOne", "az-2", false)
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionTwo", Path: "/os-availability-zone", Status: http.StatusInternalServerError,
		Times: fakecloud.Forever})
	p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
	read, err := p.ReadData(t.Context(), "stackpolicy_zones", protocol.Attributes{})
	require.NoError(t, err)
	const zones = "{available=true name=az-1 region=RegionOne} {available=false name=az-2 region=RegionOne} {available=true name=az-3 region=RegionOne}"
	assert.Equal(t, zones, protocol.Shown(protocol.Object(read)["zones"]))
	for region, want := range map[string]string{"Nowhere": `region "Nowhere" has no compute endpoint`, "RegionTwo": "Unable to list availability zones"} {
		_, err := p.ReadData(t.Context(), "stackpolicy_zones", protocol.Attributes{"regions": []any{"RegionOne", region}})
		assert.ErrorContains(t, err, want)
	}
}

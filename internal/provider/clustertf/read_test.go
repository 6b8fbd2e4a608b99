package clustertf_test

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const kind = "stackpolicy_cluster"

// connected is a provider for the two regions of a fake cloud.
func connected(t *testing.T, region any) (*fakecloud.Cloud, *protocol.Provider) {
	t.Helper()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	return fake, protocol.Start(t, fake, fakecloud.MemberUser, region)
}

// distribution is how many nodes each zone of each region has.
func distribution(t *testing.T, p *protocol.Provider, config protocol.Attributes) map[string]map[string]int64 {
	t.Helper()
	read, err := p.ReadData(t.Context(), kind, config)
	require.NoError(t, err)
	regions := map[string]map[string]int64{}
	for region, zones := range protocol.Object(protocol.Object(read)["distribution"]) {
		regions[region] = map[string]int64{}
		for zone, v := range protocol.Object(zones) {
			var n big.Float
			require.NoError(t, v.As(&n))
			regions[region][zone], _ = n.Int64()
		}
	}
	return regions
}

// TestRegions: the provider's region is read where none is named, and a region without
// nodes is in the distribution.
func TestRegions(t *testing.T) {
	t.Parallel()
	fake, p := connected(t, "RegionTwo")
	fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Zone: "az-1"}, fakecloud.Server{Name: "web-1", Zone: "az-1"})
	fake.AddServers("RegionTwo", fakecloud.Server{Name: "db-0", Zone: "az-2"})
	for _, c := range []struct {
		name   string
		config protocol.Attributes
		want   map[string]map[string]int64
	}{
		{"of the provider", protocol.Attributes{"name_regex": "."}, map[string]map[string]int64{"RegionTwo": {"az-2": 1}}},
		{
			"named, one without nodes",
			protocol.Attributes{"name_regex": "^web", "regions": []any{"RegionOne", "RegionTwo"}},
			map[string]map[string]int64{"RegionOne": {"az-1": 2}, "RegionTwo": {}},
		},
	} {
		assert.Equal(t, c.want, distribution(t, p, c.config), c.name)
	}
}

// TestRefusals: what cannot be read is said where it is written.
func TestRefusals(t *testing.T) {
	t.Parallel()
	down := fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionTwo", Path: "/servers/detail", Status: http.StatusInternalServerError, Times: fakecloud.Forever}
	for _, c := range []struct {
		name     string
		region   any
		config   protocol.Attributes
		at, says string
	}{
		{"no region is named anywhere, and there are two", nil, protocol.Attributes{"name_regex": "web"}, "regions: Unable to determine the region", "RegionOne"},
		{"a group that is gone", "RegionOne", protocol.Attributes{"servergroup_id": "gone"}, "servergroup_id: ", `"gone"`},
		{"a region that fails", "RegionOne", protocol.Attributes{"name_regex": "web", "regions": []any{"RegionOne", "RegionTwo"}}, ": Unable to read the cluster",
			"To go on without a region that does not answer, leave it out of regions."},
	} {
		fake, p := connected(t, c.region)
		fake.Inject(down)
		_, err := p.ReadData(t.Context(), kind, c.config)
		if err == nil || !strings.HasPrefix(p.At(), c.at) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: at %q: %v", c.name, p.At(), err)
		}
	}
}

// TestEmptySelector: all servers of a project are no cluster.
func TestEmptySelector(t *testing.T) {
	t.Parallel()
	_, p := connected(t, "RegionOne")
	assert.NoError(t, p.ValidateData(t.Context(), kind, protocol.Attributes{"tags": []any{"web"}}), "a tag")
	err := p.ValidateData(t.Context(), kind, protocol.Attributes{"regions": []any{"RegionOne"}})
	if err == nil || !acctest.Says("Empty selector").MatchString(err.Error()) {
		t.Errorf("a region alone: %v", err)
	}
}

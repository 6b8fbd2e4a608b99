package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func region(name string, zones ...string) placement.Region {
	r := placement.Region{Bin: placement.Bin{Name: name, Weight: 100, Cap: placement.Unlimited}}
	for _, z := range zones {
		r.Zones = append(r.Zones, placement.Bin{Name: z, Weight: 100, Cap: placement.Unlimited})
	}
	return r
}

// maintained closes a region, or a zone in it, for maintenance.
func maintained(r placement.Region, zone string) placement.Region {
	r.Maintenance = zone == ""
	for i := range r.Zones {
		r.Zones[i].Maintenance = r.Zones[i].Name == zone
	}
	return r
}

// TestLookUp: a place that takes no nodes now is closed, and its finding has the names that are known.
func TestLookUp(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.AddRegion("Dark")
	fake.SetZoneAvailable("RegionOne", "az-2", false)
	fake.AddZone("RegionTwo", fakecloud.Zone{Name: "Zu\u0308rich", Hosts: []string{"zurich-1"}}) // as macOS writes it
	cloud := login(t, fake)
	zones := []string{"az-1", "az-2", "az-3"}
	const dark = `Region "Dark" has no compute endpoint in the catalogue of this user; there is one in RegionOne, RegionTwo.`
	for name, c := range map[string]struct {
		regions  []placement.Region
		closed   string // closed places with their reasons; with ! for maintenance
		findings []cluster.Finding
	}{
		"all is well": {[]placement.Region{region("RegionOne", "az-1"), region("RegionTwo")}, "", nil},
		"a region that Keystone does not know": {[]placement.Region{region("Regionone", "az-9")}, "Regionone is not known to Keystone",
			[]cluster.Finding{{Kind: cluster.UnknownRegion, Region: "Regionone", Known: []string{"Dark", "RegionOne", "RegionTwo"}}}},
		"a region without Nova": {[]placement.Region{region("Dark", "az-9"), region("RegionTwo")}, "Dark has no compute endpoint",
			[]cluster.Finding{{Kind: cluster.NoCompute, Region: "Dark", Why: dark}}},
		"another form of Unicode": {[]placement.Region{region("RegionTwo", "Z\u00fcrich")}, "", nil}, // as Terraform writes it
		"zones": {[]placement.Region{region("RegionOne", "az-1", "az-2", "az-9")}, "az-2 is not available, az-9 is not listed by Nova",
			[]cluster.Finding{{Kind: cluster.ZoneUnavailable, Region: "RegionOne", Zone: "az-2"},
				{Kind: cluster.UnknownZone, Region: "RegionOne", Zone: "az-9", Known: zones}}},
		"places that nobody lists": {[]placement.Region{{Bin: placement.Bin{Name: "Gone"}}, {Bin: placement.Bin{Name: "Dark"}},
			{Bin: placement.Bin{Name: "RegionTwo"}},
			{Bin: region("RegionOne").Bin, Zones: []placement.Bin{{Name: "az-1"}, {Name: "az-2"}, {Name: ""}, {Name: "az-3", Weight: 1}}}},
			"Gone has no compute endpoint, Dark has no compute endpoint",
			[]cluster.Finding{{Kind: cluster.NoCompute, Region: "Gone"}, {Kind: cluster.NoCompute, Region: "Dark",
				Why: dark}}},
		"a region in maintenance is not asked": {[]placement.Region{maintained(region("RegionOne", "az-2", "az-9"), ""),
			maintained(region("Dark", "az-9"), "")},
			"Dark has no compute endpoint!", []cluster.Finding{{Kind: cluster.NoCompute, Closed: true, Region: "Dark", Why: dark}}},
		"but must be known": {[]placement.Region{maintained(region("Regionone"), "")}, "Regionone is not known to Keystone!",
			[]cluster.Finding{{Kind: cluster.UnknownRegion, Closed: true, Region: "Regionone", Known: []string{"Dark", "RegionOne", "RegionTwo"}}}},
		"so must a zone in maintenance, which may be down": {[]placement.Region{maintained(region("RegionOne", "az-2"), "az-2"),
			maintained(region("RegionOne", "az-9"), "az-9")},
			"az-2 is not available!, az-9 is not listed by Nova!",
			[]cluster.Finding{{Kind: cluster.ZoneUnavailable, Closed: true, Region: "RegionOne", Zone: "az-2"},
				{Kind: cluster.UnknownZone, Closed: true, Region: "RegionOne", Zone: "az-9", Known: zones}}},
		"zones with nodes, listed by somebody and by nobody": {[]placement.Region{{Bin: region("RegionOne").Bin,
			Zones: []placement.Bin{{Name: "cell-1", Weight: 1}, {Name: "cell-2"}, {Name: "az-1", Weight: 1}}}},
			"cell-1 is not listed by Nova!, cell-2 is not listed by Nova!",
			[]cluster.Finding{{Kind: cluster.ZoneHidden, Region: "RegionOne", Zone: "cell-1"}, {Kind: cluster.ZoneHidden, Region: "RegionOne",
				Zone: "cell-2"}}},
		"a region with nodes": {[]placement.Region{region("Regiontwo", "az-1")}, "Regiontwo has no compute endpoint",
			[]cluster.Finding{{Kind: cluster.NoCompute, Region: "Regiontwo"}}},
	} {
		before := slices.Clone(c.regions)
		looked, findings, err := cluster.LookUp(t.Context(), cloud, c.regions, placement.Counts{
			{Region: "RegionOne", Zone: "cell-1"}: 1, {Region: "RegionOne", Zone: "cell-2"}: 2, {Region: "RegionOne"}: 1, {Region: "Regiontwo",
				Zone: "az-1"}: 1})
		require.NoError(t, err, name)
		assert.Equal(t, c.findings, findings, name)
		var closed []string
		for i, r := range looked {
			for _, b := range append([]placement.Bin{r.Bin}, r.Zones...) {
				if b.Closed {
					closed = append(closed, b.Name+" "+b.Why+map[bool]string{true: "!"}[b.Maintenance])
				}
			}
			assert.Equal(t, c.regions[i].Name, r.Name, name)
		}
		assert.Equal(t, c.closed, strings.Join(closed, ", "), "%s: closed", name)
		assert.Equal(t, c.regions, before, "%s: the regions that were given", name)
	}
	// A request that fails is an error, and closes nothing.
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/os-availability-zone", Status: 503})
	if _, findings, err := cluster.LookUp(t.Context(), login(t, fake), []placement.Region{region("RegionOne", "az-1")}, nil); err == nil || findings != nil {
		t.Errorf("got %v, %v after a failure", findings, err)
	}
}

// TestLookUpAtOnce: no region waits for another.
func TestLookUpAtOnce(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionOne", Path: "/os-availability-zone", Effect: fakecloud.Hang})
	two := fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionTwo", Path: "/os-availability-zone", Status: 503})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		patient := login(t, fake, func(c *openstack.Config) { c.RequestTimeout = time.Hour })
		_, _, err := cluster.LookUp(ctx, patient, []placement.Region{region("RegionOne", "az-1"), region("RegionTwo", "az-1")}, nil)
		done <- err
	}()
	select {
	case <-two.Hit():
	case <-time.After(time.Minute):
		t.Error("the second region waits for the first")
	}
	cancel()
	assert.Error(t, <-done)
}

// all returns the same flavors for all regions.
func all(flavors string) func(placement.Region) []string {
	return func(placement.Region) []string { return strings.Split(flavors, " ") }
}

// TestQuotaRoom: the quota that allows the fewest servers counts.
func TestQuotaRoom(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.AddServers("RegionOne", fakecloud.Server{Name: "a"}, fakecloud.Server{Name: "b"})
	for _, c := range []struct {
		quotas map[string]int
		flavor string
		rooms  string
		limit  string
	}{
		{nil, "", "-1 map[]", ""},
		{map[string]int{"instances": 10}, "", "8 map[:8]", "2 of 10 instances in use"},
		{map[string]int{"instances": 10, "cores": 6}, "", "8 map[:8]", "2 of 10 instances in use"},
		{map[string]int{"instances": 10, "cores": 6}, "m1.small", "2 map[m1.small:2]", "2 of 6 cores in use"},
		{map[string]int{"instances": 10, "ram": 256}, "m1.small", "1 map[m1.small:1]", "128 of 256 MiB of RAM in use"},
		{map[string]int{"instances": 1}, "", "0 map[:0]", "2 of 1 instances in use"},
		{map[string]int{"instances": 10, "cores": 7}, "m1.small m1.tiny", "3 map[m1.small:2 m1.tiny:1]", "2 of 7 cores in use"}, // next to those before it
		{map[string]int{"instances": 3, "cores": 7}, "m1.small m1.tiny", "1 map[m1.small:1 m1.tiny:0]", "2 of 3 instances in use"},
		{map[string]int{"cores": 7}, " m1.small", "-1 map[]", ""},
	} {
		for _, resource := range []string{"instances", "cores", "ram"} {
			fake.SetQuota("RegionOne", fakecloud.MemberProjectID, resource, -1)
		}
		for resource, limit := range c.quotas {
			fake.SetQuota("RegionOne", fakecloud.MemberProjectID, resource, limit)
		}
		got, err := cluster.ReadQuotas(t.Context(), login(t, fake), all(c.flavor), []placement.Region{region("RegionOne")})
		q := got["RegionOne"]
		if rooms := fmt.Sprint(q.Servers, " ", q.Flavors); err != nil || rooms != c.rooms || q.Limit != c.limit {
			t.Errorf("%v: got %+v, %v, want %s, %s", c.quotas, q, err, c.rooms, c.limit)
		}
	}
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "GET", Path: "/flavors/m1.small", Status: 404}) // it is a name, and no id
	got, err := cluster.ReadQuotas(t.Context(), login(t, fake), all("m1.small"), []placement.Region{region("RegionOne")})
	assert.NoError(t, err)
	assert.Contains(t, got["RegionOne"].Flavors, "m1.small")
	closed := region("Dark")
	closed.Closed = true
	left := placement.Region{Bin: placement.Bin{Name: "Old", Current: 2}}
	if got, err := cluster.ReadQuotas(t.Context(), login(t, fake), all(""), []placement.Region{closed, left}); err != nil || len(got) > 0 {
		t.Errorf("got %v, %v for regions that take no nodes", got, err)
	}
	_, err = cluster.ReadQuotas(t.Context(), login(t, fake), all("m1.none"), []placement.Region{region("RegionOne")})
	assert.ErrorContains(t, err, `region RegionOne: get the flavor "m1.none"`)
}

// TestQuotaCap: the quota already includes servers that exist, and a node without a server still needs room.
func TestQuotaCap(t *testing.T) {
	quotas := cluster.Quotas{"One": {Servers: 2, Limit: "8 of 10 instances in use"}, "Two": {Servers: -1}}
	for name, c := range map[string]struct {
		region  placement.Region
		servers int64
		cap     int64
		why     string
	}{
		"no cap":                      {region("One"), 3, 5, "quota: 8 of 10 instances in use"},
		"nodes without servers":       {withCap(region("One"), placement.Unlimited, 7), 3, 5, "quota: 8 of 10 instances in use"},
		"a higher cap":                {withCap(region("One"), 6, 3), 3, 5, "quota: 8 of 10 instances in use"},
		"a lower cap":                 {withCap(region("One"), 4, 3), 3, 4, ""},
		"the same cap":                {withCap(region("One"), 5, 3), 3, 5, ""},
		"no limit":                    {region("Two"), 3, placement.Unlimited, ""},
		"a region that was not asked": {region("Three"), 3, placement.Unlimited, ""},
	} {
		given := []placement.Region{c.region}
		got := quotas.Cap(given, map[string]int64{c.region.Name: c.servers})
		assert.Equal(t, c.cap, got[0].Cap, name)
		assert.Equal(t, c.why, got[0].Why, name)
		assert.Equal(t, c.region.Cap, given[0].Cap, "%s: the region that was given", name)
		assert.Empty(t, given[0].Why, "%s: the region that was given", name)
		for nodes, want := range map[int64]bool{c.cap - 1: false, c.cap: c.why != ""} {
			before, after := map[string]int64{c.region.Name: 1}, map[string]int64{c.region.Name: nodes}
			binding := quotas.Binding(given, got, before, after)
			if binds := len(binding) > 0; binds != want || binds && binding[0].Nodes != nodes-1 {
				t.Errorf("%s: with %d nodes the quota binds: %v", name, nodes, binding)
			}
		}
	}
}

func withCap(r placement.Region, most, current int64) placement.Region {
	r.Cap, r.Current = most, current
	return r
}

// TestQuotaShort: servers that are needed in addition to all existing ones must fit into the quota of each region
// that has one.
func TestQuotaShort(t *testing.T) {
	quotas := cluster.Quotas{"One": {Servers: 2, Limit: "8 of 10 instances in use"}, "Two": {Servers: -1}, "Zero": {Servers: 0, Limit: "4 of 4 cores in use"}}
	got := quotas.Short(map[string]int64{"Zero": 1, "Two": 1_000, "One": 3, "Unasked": 7})
	want := []cluster.Binding{{"One", 3, 2, "8 of 10 instances in use"}, {"Zero", 1, 0, "4 of 4 cores in use"}}
	assert.Equal(t, want, got)
	assert.Empty(t, quotas.Short(map[string]int64{"One": 2, "Zero": 0}), "what fits is short")
}

package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// odd is an unusual cloud, and a provider for it.
func odd(t *testing.T, config fakecloud.Config, region any) (*fakecloud.Cloud, *protocol.Provider) {
	t.Helper()
	fake := fakecloud.Start(t, config)
	return fake, protocol.Start(t, fake, fakecloud.MemberUser, region)
}

// attribute returns a value in a state as text.
func attribute(v tftypes.Value, path ...string) string {
	for _, name := range path {
		v = protocol.Object(v)[name]
	}
	return protocol.Shown(v)
}

// seenServers returns the servers that the last refresh of a placement attachment saw,
// from its private state.
func seenServers(t *testing.T, attached instance) map[string]struct{ ID string } {
	t.Helper()
	var private struct{ Seen []byte }
	err := json.Unmarshal(attached.Private, &private)
	var kept struct {
		Seen struct {
			Servers map[string]struct{ ID string }
		}
	}
	if err == nil && len(private.Seen) > 0 {
		err = json.Unmarshal(private.Seen, &kept)
	}
	require.NoError(t, err)
	return kept.Seen.Servers
}

// life takes a cluster of two nodes through all operations.
func life(t *testing.T, fake *fakecloud.Cloud, p *protocol.Provider, cluster, region, zone string) {
	t.Helper()
	const placement, affinity, deletion = "stackpolicy_placement_attachment", "stackpolicy_affinity_attachment", "stackpolicy_deletion_attachment"
	attached, err := p.Apply(t.Context(), instance{Kind: placement},
		attributes{"cluster": cluster, "desired_capacity": 2, "regions": protocol.Zones([]any{attributes{"name": zone}})})
	require.NoError(t, err, cluster)
	var ids []string
	for name := range protocol.Object(protocol.Object(attached.State)["nodes"]) {
		ids = append(ids, fake.AddServers(region, fakecloud.Server{Name: name, Zone: zone, Metadata: map[string]string{"cluster": cluster}})...)
	}
	attached, err = p.Refresh(t.Context(), attached)
	require.NoError(t, err, cluster)
	assert.Len(t, seenServers(t, attached), 2, cluster)
	assert.Equal(t, zone, attribute(attached.State, "nodes", cluster+"-1", "zone"))
	adopted, err := p.Adopt(t.Context(), placement, cluster)
	require.NoError(t, err, cluster)
	assert.Len(t, protocol.Object(protocol.Object(adopted.State)["nodes"]), 2, cluster)
	read, err := p.ReadData(t.Context(), "stackpolicy_cluster", attributes{"metadata": attributes{"cluster": cluster}})
	require.NoError(t, err, cluster)
	assert.Equal(t, "2", attribute(read, "size"), cluster)
	group, err := p.Apply(t.Context(), instance{Kind: affinity}, attributes{"servergroup": attributes{"name": cluster}})
	require.NoError(t, err, cluster)
	group, err = p.Refresh(t.Context(), group)
	require.NoError(t, err, cluster)
	assert.Equal(t, cluster, attribute(group.State, "servergroup_name"))
	drained, err := p.Apply(t.Context(), instance{Kind: deletion}, attributes{"server_id": ids[0]})
	require.NoError(t, err, cluster)
	if region == attribute(drained.State, "region") {
		_, err = p.Adopt(t.Context(), deletion, region+"/"+ids[0])
		assert.NoError(t, err, cluster)
	}
}

// TestOddNames: names have all characters that OpenStack allows. Only a zone has no
// colon, which Nova refuses.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one two", `a "quoted" one`, "naïve/région", "日本:1", "a{index}$", "-", "%41"} {
		zone := strings.ReplaceAll(name, ":", "") + " zone"
		fake, p := odd(t, fakecloud.Config{Regions: []fakecloud.Region{{Name: name, Zones: []fakecloud.Zone{{Name: zone, Hosts: []string{"host"}}}}}}, nil)
		life(t, fake, p, strings.ReplaceAll(name, "/", "-"), name, zone) // a cluster has no slash
	}
}

// TestNamelessRegion: some clouds have a single region, whose catalogue does not name
// it.
func TestNamelessRegion(t *testing.T) {
	t.Parallel()
	for _, region := range []any{nil, "RegionOne"} {
		fake, p := odd(t, fakecloud.Config{Regions: fakecloud.DefaultRegions()[:1]}, region)
		fake.HideRegionNames(true)
		if region == nil {
			life(t, fake, p, "web", "RegionOne", "az-1")
			continue
		}
		_, err := p.ReadData(t.Context(), "stackpolicy_cluster", attributes{"name_regex": "web"})
		assert.ErrorContains(t, err, "the catalogue names no regions: name none either")
	}
}

// TestNoZones: a region without zones takes nodes that ask for no zone.
func TestNoZones(t *testing.T) {
	t.Parallel()
	_, p := odd(t, fakecloud.Config{Regions: []fakecloud.Region{{Name: "Bare"}}}, nil)
	_, err := p.ReadData(t.Context(), "stackpolicy_zone_plan",
		attributes{"nodes": []any{}, "zones": []any{attributes{"name": "az-1"}}, "scale_out": attributes{}})
	assert.ErrorContains(t, err, `does not list the availability zone "az-1". It lists none.`)
	placed, err := p.Apply(t.Context(), instance{Kind: "stackpolicy_placement_attachment"},
		attributes{"cluster": "web", "desired_capacity": 2, "regions": []any{attributes{"name": "Bare"}}})
	require.NoError(t, err)
	assert.Len(t, protocol.Object(protocol.Object(placed.State)["nodes"]), 2)
	assert.Empty(t, attribute(placed.State, "nodes", "web-0", "zone"))
}

// TestOddServers: servers in all of Nova's states, with equal names, from the past and
// the future: each counts once, in its place.
func TestOddServers(t *testing.T) {
	t.Parallel()
	now := time.Date(1999, time.December, 31, 23, 59, 59, 0, time.UTC) // a cloud whose clock stands still
	fake, p := odd(t, fakecloud.Config{Now: func() time.Time { return now }}, "RegionOne")
	states := []string{"ACTIVE", "BUILD", "ERROR", "SHUTOFF", "PAUSED", "SUSPENDED", "SHELVED_OFFLOADED", "RESCUE", "VERIFY_RESIZE", "DELETED", "SOFT_DELETED"}
	for i, status := range states {
		fake.AddServers("RegionOne", fakecloud.Server{Name: "web", Status: status, Zone: "az-2", Created: now.AddDate(60*(i%2), 0, 0)})
	}
	v, err := p.ReadData(t.Context(), "stackpolicy_cluster", attributes{"name_regex": "^web$"})
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(len(states)-2), attribute(v, "size"))
	assert.Equal(t, fmt.Sprint(len(states)-3), attribute(v, "distribution", "RegionOne", "az-2"))
	// A shelved and offloaded server is in no zone.
	// A node gets the newest of the servers with its name and generation, and each look finds the same.
	placed, err := p.Apply(t.Context(), instance{Kind: "stackpolicy_placement_attachment"},
		attributes{"cluster": "web", "desired_capacity": 1, "node_name_pattern": "{cluster}{index}",
			"regions": protocol.Zones([]any{attributes{"name": "az-2"}})})
	require.NoError(t, err)
	ids := fake.AddServers("RegionOne", fakecloud.Server{Name: "web0", Zone: "az-1", Created: now}, fakecloud.Server{Name: "web0", Zone: "az-2"},
		fakecloud.Server{Name: "web0", Zone: "az-2"})
	for range 2 {
		placed, err = p.Refresh(t.Context(), placed)
		require.NoError(t, err)
		assert.Equal(t, ids[0], seenServers(t, placed)["web0"].ID)
		assert.Equal(t, "az-2", attribute(placed.State, "nodes", "web0", "zone"))
	}
}

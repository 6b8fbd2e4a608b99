package provider_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
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

// attribute returns a string or a number in a state as text.
func attribute(v tftypes.Value, path ...string) string {
	for _, name := range path {
		v = protocol.Object(v)[name]
	}
	var text string
	var number *big.Float
	if v.As(&text) != nil && v.As(&number) == nil {
		text = number.String()
	}
	return text
}

// count returns the number of elements of a map in a state.
func count(v tftypes.Value, name string) int { return len(protocol.Object(protocol.Object(v)[name])) }

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
		attributes{"cluster": cluster, "desired_capacity": 2, "zones": []any{attributes{"name": zone}}})
	require.NoError(t, err, cluster)
	var ids []string
	for name := range protocol.Object(protocol.Object(attached.State)["nodes"]) {
		ids = append(ids, fake.AddServers(region, fakecloud.Server{Name: name, Zone: zone, Metadata: map[string]string{"cluster": cluster}})...)
	}
	attached, err = p.Refresh(t.Context(), attached)
	if err != nil || len(seenServers(t, attached)) != 2 || attribute(attached.State, "nodes", cluster+"-1", "zone") != zone {
		t.Errorf("%q: refreshed to %s, %v", cluster, protocol.Object(attached.State)["nodes"], err)
	}
	if adopted, err := p.Adopt(t.Context(), placement, cluster); err != nil || count(adopted.State, "nodes") != 2 {
		t.Errorf("%q: imported: %v", cluster, err)
	}
	read, err := p.ReadData(t.Context(), "stackpolicy_cluster", attributes{"metadata": attributes{"cluster": cluster}})
	if err != nil || attribute(read, "size") != "2" {
		t.Errorf("%q: read: %v", cluster, err)
	}
	group, err := p.Apply(t.Context(), instance{Kind: affinity}, attributes{"servergroup": attributes{"name": cluster}})
	if err == nil {
		group, err = p.Refresh(t.Context(), group)
	}
	if err != nil || attribute(group.State, "servergroup_name") != cluster {
		t.Errorf("%q: attached to a group: %v", cluster, err)
	}
	drained, err := p.Apply(t.Context(), instance{Kind: deletion}, attributes{"server_id": ids[0]})
	if err == nil && region == attribute(drained.State, "region") {
		_, err = p.Adopt(t.Context(), deletion, attribute(drained.State, "id"))
	}
	assert.NoError(t, err, "%q: attached to a deletion", cluster)
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
		if _, err := p.ReadData(t.Context(), "stackpolicy_cluster", attributes{"name_regex": "web"}); err == nil ||
			!acctest.Says("the catalogue names no regions: name none either").MatchString(err.Error()) {
			t.Errorf("got %v", err)
		}
	}
}

// TestNoZones: a region without zones takes nodes that ask for no zone.
func TestNoZones(t *testing.T) {
	t.Parallel()
	_, p := odd(t, fakecloud.Config{Regions: []fakecloud.Region{{Name: "Bare"}}}, nil)
	_, err := p.ReadData(t.Context(), "stackpolicy_zone_plan",
		attributes{"nodes": []any{}, "zones": []any{attributes{"name": "az-1"}}, "scale_out": attributes{}})
	if err == nil || !acctest.Says(`does not list the availability zone "az-1". It lists none.`).MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
	placed, err := p.Apply(t.Context(), instance{Kind: "stackpolicy_placement_attachment"},
		attributes{"cluster": "web", "desired_capacity": 2, "regions": []any{attributes{"name": "Bare"}}})
	if err != nil || count(placed.State, "nodes") != 2 || !protocol.Object(protocol.Object(protocol.Object(placed.State)["nodes"])["web-0"])["zone"].IsNull() {
		t.Errorf("got %v, %v", placed.State, err)
	}
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
	if err != nil || attribute(v, "size") != fmt.Sprint(len(states)-2) || attribute(v, "distribution", "RegionOne", "az-2") != fmt.Sprint(len(states)-3) {
		t.Errorf("got %v, %v", v, err)
	}
	// A shelved and offloaded server is in no zone.
	// A node gets the first server of its name in its zone.
	placed, err := p.Apply(t.Context(), instance{Kind: "stackpolicy_placement_attachment"},
		attributes{"cluster": "web", "desired_capacity": 1, "node_name_pattern": "{cluster}{index}", "zones": []any{attributes{"name": "az-2"}}})
	require.NoError(t, err)
	ids := fake.AddServers("RegionOne", fakecloud.Server{Name: "web0", Zone: "az-1", Created: now}, fakecloud.Server{Name: "web0", Zone: "az-2"},
		fakecloud.Server{Name: "web0", Zone: "az-2"})
	for range 2 {
		if placed, err = p.Refresh(t.Context(), placed); err != nil || seenServers(t, placed)["web0"].ID != ids[1] ||
			attribute(placed.State, "nodes", "web0", "zone") != "az-2" {
			t.Errorf("got %v, %v", seenServers(t, placed), err)
		}
	}
}

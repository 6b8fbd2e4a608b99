package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFromSenlin: policies that were written for Senlin place, group, drain and choose nodes.
func TestFromSenlin(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	group := c.Fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "web", Policy: "soft-anti-affinity", ProjectID: fakecloud.MemberProjectID})
	c.Fake.AddServers("RegionOne", fakecloud.Server{Name: "old", Group: group, ProjectID: fakecloud.MemberProjectID}) // made by Senlin
	w := c.Example(t, "guides/from-senlin")
	for range 2 { // the plans see the servers of the first apply
		acctest.Apply(t, w)
	}
	var spread map[string]map[string]int
	var removed []string
	var deletion struct {
		Grace  int  `json:"grace_period"`
		Reduce bool `json:"reduce_desired_capacity"`
	}
	for name, into := range map[string]any{"distribution": &spread, "removed": &removed, "deletion": &deletion} {
		require.NoError(t, w.Output(t.Context(), name, into))
	}
	want := map[string]map[string]int{"RegionOne": {"az-1": 1, "az-2": 1}, "RegionTwo": {"az-1": 1, "az-2": 3}}
	assert.Equal(t, want, spread, "the nodes are spread")
	if len(removed) != 2 || deletion.Grace != 60 || deletion.Reduce {
		t.Errorf("removed are %v, with %+v", removed, deletion)
	}
	drained := acctest.Resources(t, w, "stackpolicy_deletion_attachment")
	assert.Len(t, drained, 6, "drained before they are removed")
	for _, r := range drained {
		assert.Equal(t, "60", fmt.Sprint(r["grace_period"]), "seconds that it waits")
	}
	for region, members := range map[string]int{"RegionOne": 3, "RegionTwo": 4} { // the old one stays apart from the new ones
		groups := c.GroupsIn(t, region)
		if len(groups) != 1 || groups[0].Name != "web" || groups[0].Policy != "soft-anti-affinity" || len(groups[0].Members) != members {
			t.Errorf("the server groups of %s are %+v", region, groups)
		}
	}
}

// TestFromSenlin_properties: every property of the policies is transferred, and the others are named.
func TestFromSenlin_properties(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{}) // only an admin sees the hosts of DRS
	drs, _ := c.DRS(t)
	w := c.Example(t, "guides/from-senlin")
	const (
		regions  = "regions: [{name: RegionOne, weight: 50, cap: 9}]"
		zones    = "zones: [{name: az-1}, {name: az-2, weight: 200}]"
		affinity = "servergroup: {policies: soft-anti-affinity}\n  availability_zone: az-2"
		deletion = "hooks: {type: webhook, timeout: 90, params: {url: 'https://example.com/drain'}}"
	)
	for _, s := range []struct {
		name                             string
		region, zone, affinity, deletion string
		want                             []string // text in the plan, or in its error
		fails                            bool
	}{
		{"a group without a name, a zone for all, and hooks", regions, "zones: []", affinity, deletion, []string{
			`policies = "soft-anti-affinity"`, `availability_zone = "az-2"`, `hook {`, `type = "webhook"`, `timeout = "90"`, `default_result = "CONTINUE"`,
		}, false},
		{"nothing but a region", regions, "zones: []", "{}", "{}", []string{`policies = "anti-affinity"`, "Plan: 14 to add"}, false},
		{"misspelled keys", regions, zones, "servergroup: {policy: affinity}",
			"hooks: {params: {url: 'https://example.com/drain', retries: 3}, type: webhook}",
			[]string{"misspelled, or not carried over: affinity: servergroup.policy, deletion: hooks.params.retries."}, true},
		{"a misspelled key of a region", "regions: [{name: RegionOne, wieght: 50}]", zones, "{}", "{}",
			[]string{`regions[0] has "wieght", and a region has no such key.`}, true},
		{"spread over zones, and in one", regions, zones, affinity, "{}",
			[]string{"The zone policy spreads nodes over zones, and the affinity policy puts all of them into one"}, true},
		{"a zone that one region does not have", "regions: [{name: RegionOne}, {name: RegionTwo}]", "zones: [{name: az-3}]", "{}", "{}",
			[]string{`Nova in region "RegionTwo" does not list the availability zone "az-3".`}, true},
		{"the extension for vSphere", "regions: [{name: " + drs + "}]", "zones: []", "enable_drs_extension: true", "{}",
			[]string{"enable_drs_extension = true", `availability_zone = (known after apply)`}, false},
		{"a hook by a queue", regions, zones, "{}", "hooks: {timeout: 90, params: {queue: leaving}}",
			[]string{"A hook of type zaqar is not carried over"}, true},
		{"a hook with Senlin's defaults", regions, "zones: []", "{}", "hooks: {type: zaqar, timeout: 0, params: {queue: '', url: ''}}",
			[]string{"Plan: 14 to add"}, false},
		{"a hook that waits for nobody", regions, zones, "{}", "hooks: {type: webhook, timeout: 0, params: {queue: '', url: 'https://example.com/drain'}}",
			[]string{`timeout = "1"`}, false},
		{"nothing after the colon", regions, zones, "servergroup:", "hooks:", []string{`policies = "anti-affinity"`, "Plan: 14 to add"}, false},
		{"no properties", regions, "", "", "", []string{`policies = "anti-affinity"`, "Plan: 14 to add"}, false},
		{"nodes that are kept", regions, zones, "{}", "destroy_after_deletion: false", []string{"destroy_after_deletion: false is not carried over"}, true},
	} {
		for file, properties := range map[string]string{"region": s.region, "zone": s.zone, "affinity": s.affinity, "deletion": s.deletion} {
			writePolicy(t, w.Dir, file, properties)
		}
		said, err := w.Run(t.Context(), "plan", "-no-color")
		assert.Equal(t, s.fails, err != nil, "%s: %v", s.name, err)
		for _, want := range s.want {
			assert.Regexp(t, acctest.Says(want), fmt.Sprint(said, err), s.name)
		}
	}
}

// TestFromSenlin_files: a cluster has the policies that have a file, and only an affinity policy gives it a server group:
// with the zone policy alone six nodes fit on three hosts.
func TestFromSenlin_files(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	w := c.Example(t, "guides/from-senlin")
	policies := [][2]string{
		{"region", "regions: [{name: RegionTwo}]"}, {"zone", "zones: [{name: az-1}, {name: az-2}]"}, {"affinity", "{}"}, {"deletion", "grace_period: 90"},
	}
	const affinity, zone = 1 << 2, 1 << 1
	write := func(subset int) (names string) {
		for i, p := range policies {
			if writePolicy(t, w.Dir, p[0], p[1]); subset>>i&1 == 0 {
				require.NoError(t, os.Remove(filepath.Join(w.Dir, "policies", p[0]+".yaml")))
				continue
			}
			names += " " + p[0]
		}
		return names
	}
	for subset := range 1 << len(policies) {
		names := write(subset)
		said, err := w.Run(t.Context(), "plan", "-no-color")
		require.NoError(t, err, names)
		grouped := subset&affinity != 0
		assert.Contains(t, said, fmt.Sprintf("Plan: %d to add", 13+subset&affinity/affinity), names)
		for text, want := range map[string]bool{
			"scheduler_hints {": grouped, `policies = "anti-affinity"`: grouped, `"RegionTwo"`: subset&1 != 0,
			`availability_zone = "az-2"`: subset&zone != 0, `grace_period = "90"`: subset&8 != 0,
		} {
			assert.Equal(t, want, strings.Contains(strings.Join(strings.Fields(said), " "), text), "%s: %s\n%s", names, text, said)
		}
	}
	write(zone)
	acctest.Apply(t, w)
	assert.Empty(t, c.GroupsIn(t, "RegionOne"))
	for _, s := range c.In(t, "RegionOne") {
		assert.Equal(t, "ACTIVE", s.Status, s.Name)
	}
}

// writePolicy writes a policy file of Senlin.
func writePolicy(t *testing.T, dir, file, properties string) {
	t.Helper()
	text := fmt.Sprintf("type: senlin.policy\nversion: 1.0\nproperties:\n  %s\n", properties)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "policies", file+".yaml"), []byte(text), 0o600))
}

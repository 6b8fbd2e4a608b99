package fakecloud

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// placed creates servers in a group and returns their hosts; ERROR for one that
// was not placed.
func placed(t *testing.T, c *Cloud, n int, policy, rules, more string) []string {
	t.Helper()
	k := login(t, c, "member")
	id := k.must(200, "POST compute /os-server-groups 2.64", fmt.Sprintf(`{"server_group": {"name": "g", "policy": %q%s}}`, policy, rules)).
		object(t)["server_group"].(map[string]any)["id"].(string)
	hosts := make([]string, n)
	for i := range hosts {
		server := k.server(fmt.Sprint(policy, i), more+`}, "os:scheduler_hints": {"group": "`+id+`"`)
		k.must(200, "GET compute /servers/"+server, "")
		for _, s := range c.Servers("RegionOne") {
			if s.ID == server {
				if hosts[i] = s.Host; s.Status == "ERROR" {
					hosts[i] = "ERROR " + s.Fault
				}
			}
		}
	}
	return hosts
}

func TestScheduling(t *testing.T) {
	const none = "ERROR No valid host was found. There are not enough hosts available."
	for _, row := range []struct {
		policy, rules, zone string
		want                []string
	}{
		{"anti-affinity", "", "az-1", []string{"r1-cmp-1", "r1-cmp-2", none}},
		{"anti-affinity", `, "rules": {"max_server_per_host": 2}`, "az-1", []string{"r1-cmp-1", "r1-cmp-2", "r1-cmp-1", "r1-cmp-2", none}},
		{"anti-affinity", "", "", []string{"r1-cmp-1", "r1-cmp-2", "r1-cmp-3", "r1-cmp-4", none}},
		{"soft-anti-affinity", "", "az-1", []string{"r1-cmp-1", "r1-cmp-2", "r1-cmp-1"}},
		{"affinity", "", "az-1", []string{"r1-cmp-1", "r1-cmp-1"}},
		{"soft-affinity", "", "az-1", []string{"r1-cmp-1", "r1-cmp-1"}},
	} {
		more := ""
		if row.zone != "" {
			more = `, "availability_zone": "` + row.zone + `"`
		}
		got := placed(t, Start(t, Config{}), len(row.want), row.policy, row.rules, more)
		assert.Equal(t, fmt.Sprint(row.want), fmt.Sprint(got), "%s%s %s", row.policy, row.rules, row.zone)
	}
}

func TestForcedHosts(t *testing.T) {
	c := Start(t, Config{Regions: []Region{{Name: "RegionOne", Zones: DefaultRegions()[0].Zones, Hypervisors: map[string]string{"r1-cmp-2": "node-2"}}}})
	admin := login(t, c, "admin")
	for zone, want := range map[string]string{
		"az-1:r1-cmp-2":         "r1-cmp-2 az-1",
		"az-3:r1-cmp-1":         "r1-cmp-1 az-1", // the host wins
		":r1-cmp-3":             "r1-cmp-3 az-2",
		"az-1::node-2":          "r1-cmp-2 az-1",
		"nova:r1-cmp-1":         "r1-cmp-1 az-1",
		"az-1:nowhere":          " ERROR No valid host was found. No such host - host: nowhere node: None ",
		"az-1:r1-cmp-2:r1-none": " ERROR No valid host was found. No such host - host: r1-cmp-2 node: r1-none ",
	} {
		id := admin.server("x", `, "availability_zone": "`+zone+`"`)
		admin.must(200, "GET compute /servers/"+id, "")
		for _, s := range c.Servers("RegionOne") {
			if s.ID != id {
				continue
			}
			got := s.Host + " " + s.Zone
			if s.Status == "ERROR" {
				got = s.Host + " ERROR " + s.Fault
			}
			assert.Equal(t, want, got, zone)
		}
	}
}

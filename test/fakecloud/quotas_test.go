package fakecloud

import (
	"fmt"
	"strings"
	"testing"
)

func TestQuotas(t *testing.T) {
	c := Start(t, Config{Quotas: map[string]int{"instances": 3, "server_group_members": 2, "server_groups": 1, "metadata_items": 1}})
	k := login(t, c, "member")
	g := c.AddServerGroup("RegionOne", ServerGroup{Name: "g", Policy: "affinity"})
	create := func(more string) answer {
		return k.ask("POST compute /servers 2.37", fmt.Sprintf(`{"server": {"name": "x", "flavorRef": "m1.small", "imageRef": %q, "networks": "none"%s}`,
			c.images[0].ID, more)+"}")
	}
	inGroup := `}, "os:scheduler_hints": {"group": "` + g + `"`
	over := func(text string) string { return `{"forbidden": {"code": 403, "message": "` + text + `"}}` }
	for i, row := range []struct {
		do     func()
		more   string
		status int
		want   string
	}{
		{nil, `, "metadata": {"a": "b", "c": "d"}`, 403, over("Maximum number of metadata items exceeds 1")},
		{nil, strings.TrimSuffix(inGroup, "}"), 202, ""},
		{nil, "", 202, ""},
		{nil, "", 202, ""},
		{nil, "", 403, over("Quota exceeded for instances: Requested 1, but already used 3 of 3 instances")},
		{func() { c.SetQuota("RegionOne", MemberProjectID, "instances", -1) }, inGroup, 202, ""},
		{nil, inGroup, 403, over("Quota exceeded, too many servers in group")},
		{func() {
			c.SetQuota("RegionOne", MemberProjectID, "cores", 2)
			c.SetQuota("RegionOne", MemberProjectID, "ram", 100)
		}, "", 403, over("Quota exceeded for cores, ram: Requested 2, 128, but already used 8, 512 of 2, 100 cores, ram")},
	} {
		if row.do != nil {
			row.do()
		}
		if a := create(row.more); a.status != row.status || row.want != "" && a.body != row.want {
			t.Errorf("row %d, %s: %d %s, want %d %s", i, row.more, a.status, a.body, row.status, row.want)
		}
	}
	if a := k.ask("POST compute /os-server-groups", `{"server_group": {"name": "h", "policies": ["affinity"]}}`); a.body != over("Quota exceeded, too many server groups.") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := k.must(200, "GET compute /limits 2.57", ""); !strings.Contains(a.body, `"totalRAMUsed": 512, "totalCoresUsed": 8, "totalInstancesUsed": 4, "totalServerGroupsUsed": 1`) {
		t.Errorf("%s", a.body)
	}
	if a := k.must(200, "GET two /limits", ""); !strings.Contains(a.body, `"totalInstancesUsed": 0`) {
		t.Errorf("the other region: %s", a.body)
	}
	c.RemoveServers("RegionOne")
	if a := k.must(200, "GET compute /limits", ""); !strings.Contains(a.body, `"totalCoresUsed": 0, "totalInstancesUsed": 0`) {
		t.Errorf("all gone: %s", a.body)
	}
}

func TestQuotaSets(t *testing.T) {
	c := Start(t, Config{})
	c.AddServers("RegionOne", make([]Server, 3)...)
	path := "compute /os-quota-sets/" + MemberProjectID
	facts(t, c, []fact{
		{"member", "GET " + path + "/detail 2.57", "", 200, `"instances": {"limit": -1, "in_use": 3, "reserved": 0}`},
		{"member", "GET compute /os-quota-sets/x/detail", "", 403, ""},
		{"admin", "GET compute /os-quota-sets/x/detail", "", 400, "Project ID x is not a valid project."},
		{"admin", "PUT " + path, `{"quota_set": {"bogus": 1}}`, 400, "is not known"},
		{"admin", "PUT " + path, `{"quota_set": {"instances": "x"}}`, 400, ""},
		{"admin", "PUT " + path, `{"quota_set": {"instances": -2}}`, 400, ""},
		{"admin", "PUT " + path, `{}`, 400, ""},
		{"admin", "PUT " + path, `{"quota_set": {"instances": 1}}`, 400, "Quota limit 1 for instances must be greater than or equal to already used and reserved 3."},
		{"admin", "PUT " + path, `{"quota_set": {"instances": 1, "force": true}}`, 200, `"instances": 1`},
		{"admin", "PUT " + path + " 2.57", `{"quota_set": {"cores": "40"}}`, 200, `{"quota_set": {"cores": 40, "instances": 1`},
		{"member", "GET compute /limits 2.75", "", 200, `{"limits": {"rate": [], "absolute": {"maxTotalCores": 40, "maxTotalInstances": 1`},
		{"member", "GET compute /limits?x=1 2.75", "", 400, "is not known"},
		{"member", "GET compute /limits", "", 200, `"maxImageMeta": 128`},
	})
}

func TestFlavors(t *testing.T) {
	c := Start(t, Config{})
	facts(t, c, []fact{
		{"member", "GET compute /flavors/detail", "", 200, `{"flavors": [{"id": "m1.small", "name": "m1.small"`},
		{"member", "GET compute /flavors/detail", "", 200, `{"id": "m1.tiny", "name": "m1.tiny", "ram": 64, "disk": 1, "swap": "", "OS-FLV-EXT-DATA:ephemeral": 0, "OS-FLV-DISABLED:disabled": false, "vcpus": 1`},
		{"member", "GET compute /flavors/m1.tiny 2.75", "", 200, `"swap": 0`},
		{"member", "GET compute /flavors/m1.tiny 2.61", "", 200, `"description": null, "extra_specs": {}}}`},
		{"member", "GET compute /flavors/x", "", 404, "Flavor x could not be found."},
		{"member", "GET compute /flavors/detail?limit=1", "", 200, `"flavors_links": [{"rel": "next", "href": "` + c.url + `/compute/RegionOne/v2.1/flavors/detail?limit=1&marker=m1.small"}]`},
		{"member", "GET compute /flavors/detail?marker=m1.small", "", 200, `{"flavors": [{"id": "m1.tiny"`},
		{"member", "GET compute /flavors/detail?marker=x", "", 400, "marker [x] not found"},
		{"member", "GET compute /flavors/detail?x=1 2.75", "", 400, "is not known"},
	})
}

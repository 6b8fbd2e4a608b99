package fakecloud

import (
	"fmt"
	"strings"
	"testing"
)

func TestServerGroupsAreRefused(t *testing.T) {
	c := Start(t, Config{})
	var rows []fact
	for _, r := range []struct {
		version, body string
		want          string
	}{
		{"2.14", `"name": "g", "policies": ["soft-affinity"]`, ""},
		{"2.64", `"name": "g", "policies": ["affinity"]`, ""},
		{"2.63", `"name": "g", "policy": "affinity"`, ""},
		{"2.64", `"name": "g", "policy": "affinity", "rules": {"max_server_per_host": 3}`, "Only anti-affinity policy supports rules."},
		{"2.64", `"name": "g", "policy": "bogus"`, ""},
		{"2.64", `"name": "g", "policy": "anti-affinity", "rules": {"max_server_per_host": 0}`, ""},
		{"2.64", `"name": "g", "policy": "anti-affinity", "rules": {"bogus": 1}`, "is not known"},
		{"2.64", `"name": "g", "policy": "anti-affinity", "rules": null`, ""},
		{"2.1", `"name": "g", "policies": []`, ""},
		{"2.1", `"name": "g", "policies": ["affinity", "anti-affinity"]`, ""},
		{"2.1", `"name": "g", "policies": ["affinity", "affinity"]`, ""},
		{"2.1", `"name": "g"`, ""},
		{"2.1", `"policies": ["affinity"]`, ""},
		{"2.1", `"name": "", "policies": ["affinity"]`, ""},
		{"2.1", `"name": " g", "policies": ["affinity"]`, "is no name"},
		{"2.1", `"name": "g", "policies": ["affinity"], "x": 1`, "is not known"},
	} {
		rows = append(rows, fact{"member", "POST compute /os-server-groups " + r.version, `{"server_group": {` + r.body + `}}`, 400, r.want})
	}
	facts(t, c, append(rows,
		fact{"member", "POST compute /os-server-groups", `{}`, 400, ""},
		fact{"member", "GET compute /os-server-groups/x", "", 404, `{"itemNotFound": {"code": 404, "message": "Instance group x could not be found."}}`},
		fact{"member", "DELETE compute /os-server-groups/x", "", 404, ""},
		fact{"member", "GET compute /os-server-groups?offset=x", "", 400, ""},
		fact{"member", "GET compute /os-server-groups?foo=1 2.74", "", 400, ""},
		fact{"member", "GET compute /os-server-groups?foo=1 2.75", "", 400, ""},
	))
	if got := c.ServerGroups("RegionOne"); len(got) != 0 {
		t.Errorf("groups came to be: %v", got)
	}
}

func TestServerGroupForms(t *testing.T) {
	c := Start(t, Config{})
	member, admin := login(t, c, "member"), login(t, c, "admin")
	a := member.must(200, "POST compute /os-server-groups 2.64",
		`{"server_group": {"name": "g", "policy": "anti-affinity", "rules": {"max_server_per_host": "3"}}}`)
	id := a.object(t)["server_group"].(map[string]any)["id"].(string)
	mine := fmt.Sprintf(`"members": [], "project_id": %q, "user_id": %q}`, MemberProjectID, MemberUserID)
	for version, want := range map[string]string{
		"2.1":  `"policies": ["anti-affinity"], "metadata": {}, "members": []}`,
		"2.13": `"policies": ["anti-affinity"], "metadata": {}, ` + mine,
		"2.63": `"policies": ["anti-affinity"], "metadata": {}, ` + mine,
		"2.64": `"policy": "anti-affinity", "rules": {"max_server_per_host": 3}, ` + mine,
	} {
		want := fmt.Sprintf(`{"id": %q, "name": "g", %s`, id, want)
		if a := member.must(200, "GET compute /os-server-groups/"+id+" "+version, ""); a.body != `{"server_group": `+want+`}` {
			t.Errorf("%s: %s", version, a.body)
		}
		if a := member.must(200, "GET compute /os-server-groups "+version, ""); a.body != `{"server_groups": [`+want+`]}` {
			t.Errorf("%s: %s", version, a.body)
		}
	}
	if a := admin.must(200, "GET compute /os-server-groups", ""); a.body != `{"server_groups": []}` {
		t.Errorf("the admin has %s", a.body)
	}
	other := c.AddServerGroup("RegionOne", ServerGroup{Name: "other", Policy: "affinity", ProjectID: AdminProjectID})
	member.must(404, "GET compute /os-server-groups/"+other, "")
	member.must(404, "DELETE compute /os-server-groups/"+other, "")
	member.must(204, "DELETE compute /os-server-groups/"+id, "")
	member.must(404, "DELETE compute /os-server-groups/"+id, "")
	if got := c.ServerGroups("RegionOne"); len(got) != 1 || got[0].ID != other {
		t.Errorf("groups are %v", got)
	}
}

func TestServerGroupPages(t *testing.T) {
	c := Start(t, Config{PageLimit: 3})
	k := login(t, c, "member")
	for i := range 5 {
		c.AddServerGroup("RegionOne", ServerGroup{Name: fmt.Sprint("g", i), Policy: "affinity"})
	}
	for query, want := range map[string]string{
		"": "g0 g1 g2", "?offset=3": "g3 g4", "?offset=9": "",
	} {
		var list []string
		for _, g := range k.must(200, "GET compute /os-server-groups"+query, "").object(t)["server_groups"].([]any) {
			list = append(list, g.(map[string]any)["name"].(string))
		}
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

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
		if fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("%s%s %s: %v, want %v", row.policy, row.rules, row.zone, got, row.want)
		}
	}
}

func TestMembersOfAGroup(t *testing.T) {
	c := Start(t, Config{})
	placed(t, c, 3, "anti-affinity", "", `, "availability_zone": "az-1"`)
	k, admin := login(t, c, "member"), login(t, c, "admin")
	g := c.ServerGroups("RegionOne")[0]
	servers := c.Servers("RegionOne")
	if want := []string{servers[2].ID, servers[1].ID, servers[0].ID}; fmt.Sprint(g.Members) != fmt.Sprint(want) {
		t.Errorf("members are %v, want %v", g.Members, want)
	}
	if a := k.must(200, "GET compute /servers/"+servers[0].ID+" 2.71", ""); !strings.Contains(a.body, `"server_groups": ["`+g.ID+`"]`) {
		t.Errorf("%s", a.body)
	}
	// What could not be scheduled has a fault, no host, and the zone asked for.
	fault := `"fault": {"code": 500, "created": `
	a := k.must(200, "GET compute /servers/"+servers[2].ID+" 2.79", "")
	for _, want := range []string{`"status": "ERROR"`, fault, `"hostId": ""`, `"OS-EXT-AZ:availability_zone": "az-1"`, `"OS-EXT-STS:power_state": 0`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("no %s in %s", want, a.body)
		}
	}
	if a := k.must(200, "GET compute /servers/detail 2.79", ""); strings.Contains(a.body, fault) {
		t.Errorf("a list has the fault: %s", a.body)
	}
	if a := admin.must(200, "GET compute /servers/"+servers[2].ID+" 2.79", ""); !strings.Contains(a.body, `"details": "Traceback`) {
		t.Errorf("no details for the admin: %s", a.body)
	}
	k.must(409, "POST compute /servers/"+servers[2].ID+"/action", `{"os-stop": null}`)
	k.must(204, "DELETE compute /servers/"+servers[2].ID, "")
	k.must(404, "GET compute /servers/"+servers[2].ID, "")
	if g := c.ServerGroups("RegionOne")[0]; len(g.Members) != 2 {
		t.Errorf("members are %v", g.Members)
	}
	k.must(204, "DELETE compute /os-server-groups/"+g.ID, "")
	if a := k.must(200, "GET compute /servers/"+servers[0].ID+" 2.71", ""); !strings.Contains(a.body, `"server_groups": []`) {
		t.Errorf("%s", a.body)
	}
	other := c.AddServerGroup("RegionOne", ServerGroup{Name: "other", Policy: "affinity"})
	c.AddServers("RegionOne", Server{Group: other})
	c.RemoveServerGroup("RegionOne", other)
	k.must(404, "GET compute /os-server-groups/"+other, "")
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
			if got != want {
				t.Errorf("%s: %q, want %q", zone, got, want)
			}
		}
	}
}

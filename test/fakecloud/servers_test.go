package fakecloud

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestServersChangeBehindNovasBack(t *testing.T) {
	c := Start(t, Config{})
	admin := login(t, c, "admin")
	id := c.AddServers("RegionOne", Server{Name: "a", ProjectID: AdminProjectID, Zone: "az-1"})[0]
	show := func(fields ...string) string {
		t.Helper()
		s := admin.must(200, "GET compute /servers/"+id+" 2.93", "").object(t)["server"].(map[string]any)
		var said []string
		for _, f := range fields {
			said = append(said, fmt.Sprint(s[f]))
		}
		return strings.Join(said, " ")
	}
	place := []string{"OS-EXT-AZ:availability_zone", "OS-EXT-SRV-ATTR:host", "hostId"}
	before := show(place...)
	c.MoveServer("RegionOne", id, "r1-cmp-4")
	after := show(place...)
	if !strings.HasPrefix(before, "az-1 r1-cmp-1 ") || !strings.HasPrefix(after, "az-3 r1-cmp-4 ") || strings.Fields(before)[2] == strings.Fields(after)[2] {
		t.Errorf("moved from %s to %s", before, after)
	}
	for i, row := range []struct {
		change func(*Server)
		want   string
	}{
		{func(s *Server) { s.Name, s.Metadata = "b", map[string]string{"x": "y"} }, "b ACTIVE active <nil> false map[x:y] []"},
		{func(s *Server) { s.Status, s.Tags = "SHUTOFF", []string{"t"} }, "b SHUTOFF stopped <nil> false map[x:y] [t]"},
		{func(s *Server) { s.TaskState = "powering-on" }, "b SHUTOFF stopped powering-on false map[x:y] [t]"},
		{func(s *Server) { s.Status, s.TaskState = "PAUSED", "" }, "b PAUSED paused <nil> false map[x:y] [t]"},
		{func(s *Server) { s.LockedBy, s.Tags = "admin", nil }, "b PAUSED paused <nil> true map[x:y] []"},
		{func(s *Server) { s.ID, s.Group, s.Created = "x", "x", time.Time{} }, "b PAUSED paused <nil> true map[x:y] []"},
		{func(s *Server) { s.Metadata["x"] = "z" }, "b PAUSED paused <nil> true map[x:z] []"},
	} {
		c.UpdateServer("RegionOne", id, row.change)
		assert.Equal(t, row.want, show("name", "status", "OS-EXT-STS:vm_state", "OS-EXT-STS:task_state", "locked", "metadata", "tags"), "change %d", i)
	}
	c.UpdateServer("RegionOne", id, func(s *Server) { s.Host, s.Flavor = "r1-cmp-2", "m1.small" })
	assert.Equal(t, "az-3 r1-cmp-2", show(place[:2]...), "only the host was changed")
	c.RemoveServers("RegionOne", id)
	admin.must(404, "GET compute /servers/"+id, "")
	c.AddServers("RegionOne", make([]Server, 5)...)
	c.RemoveServers("RegionOne")
	assert.Empty(t, c.Servers("RegionOne"), "servers are left")
	assert.Contains(t, admin.must(200, "GET compute /limits", "").body, `"totalCoresUsed":0,`)
}

// TestTasks: the states that a server goes through, and its final state.
func TestTasks(t *testing.T) {
	c := Start(t, Config{PowerTime: time.Minute})
	member, admin := login(t, c, "member"), login(t, c, "admin")
	other := c.AddImage(Image{Name: "other"})
	id := c.AddServers("RegionOne", Server{Zone: "az-1", Host: "r1-cmp-1"})[0]
	seen := func() string {
		s := c.Servers("RegionOne")[0]
		return strings.TrimSpace(fmt.Sprint(s.Status, " ", s.Flavor, " ", s.Zone, " ", s.Host))
	}
	for _, row := range []struct {
		who         *client
		action      string
		during, end string
	}{
		{member, `{"rebuild": {"imageRef": "` + other + `"}}`, "REBUILD m1.tiny az-1 r1-cmp-1", "ACTIVE m1.tiny az-1 r1-cmp-1"},
		{member, `{"resize": {"flavorRef": "m1.small"}}`, "RESIZE m1.tiny az-1 r1-cmp-1", "VERIFY_RESIZE m1.small az-1 r1-cmp-2"},
		{member, `{"confirmResize": null}`, "VERIFY_RESIZE m1.small az-1 r1-cmp-2", "ACTIVE m1.small az-1 r1-cmp-2"},
		{member, `{"resize": {"flavorRef": "m1.tiny"}}`, "RESIZE m1.small az-1 r1-cmp-2", "VERIFY_RESIZE m1.tiny az-1 r1-cmp-1"},
		{member, `{"revertResize": null}`, "REVERT_RESIZE m1.tiny az-1 r1-cmp-1", "ACTIVE m1.small az-1 r1-cmp-2"},
		{member, `{"pause": null}`, "ACTIVE m1.small az-1 r1-cmp-2", "PAUSED m1.small az-1 r1-cmp-2"},
		{member, `{"unpause": null}`, "PAUSED m1.small az-1 r1-cmp-2", "ACTIVE m1.small az-1 r1-cmp-2"},
		{member, `{"suspend": null}`, "ACTIVE m1.small az-1 r1-cmp-2", "SUSPENDED m1.small az-1 r1-cmp-2"},
		{member, `{"resume": null}`, "SUSPENDED m1.small az-1 r1-cmp-2", "ACTIVE m1.small az-1 r1-cmp-2"},
		{admin, `{"os-migrateLive": {"host": null, "block_migration": "auto"}}`, "MIGRATING m1.small az-1 r1-cmp-2", "ACTIVE m1.small az-1 r1-cmp-1"},
		{admin, `{"os-migrateLive": {"host": "r1-cmp-4", "block_migration": "auto"}}`, "MIGRATING m1.small az-1 r1-cmp-1", "ACTIVE m1.small az-1 r1-cmp-1"},
		{admin, `{"os-migrateLive": {"host": "r1-cmp-4", "block_migration": "auto", "force": true}}`, "MIGRATING m1.small az-1 r1-cmp-1",
			"ACTIVE m1.small az-3 r1-cmp-4"},
		{member, `{"shelve": null}`, "ACTIVE m1.small az-3 r1-cmp-4", "SHELVED_OFFLOADED m1.small"},
		{member, `{"unshelve": {"availability_zone": "az-2"}}`, "SHELVED_OFFLOADED m1.small", "ACTIVE m1.small az-2 r1-cmp-3"},
	} {
		status, version := 202, "2.60" // the last version with force is 2.67
		if strings.Contains(row.action, "confirm") {
			status = 204
		}
		if strings.Contains(row.action, "availability_zone") {
			version = "2.77" // the first version with a zone
		}
		row.who.must(status, "POST compute /servers/"+id+"/action "+version, row.action)
		assert.Equal(t, row.during, seen(), "during %s", row.action)
		c.Advance(time.Minute)
		assert.Equal(t, row.end, seen(), "after %s", row.action)
	}
	assert.Equal(t, other, c.Servers("RegionOne")[0].ImageID, "the image")

	c.SetQuota("RegionOne", MemberProjectID, "ram", 128)
	c.UpdateServer("RegionOne", id, func(s *Server) { s.Flavor = "m1.tiny" })
	c.AddServers("RegionOne", Server{Flavor: "m1.tiny"})
	refused := member.must(403, "POST compute /servers/"+id+"/action", `{"resize": {"flavorRef": "m1.small"}}`)
	assert.Contains(t, refused.body, "Quota exceeded for ram: Requested 64, but already used 128 of 128 ram")
	c.SetZoneAvailable("RegionOne", "az-2", false)
	c.SetQuota("RegionOne", MemberProjectID, "ram", -1)
	member.must(202, "POST compute /servers/"+id+"/action", `{"resize": {"flavorRef": "m1.small"}}`)
	c.Advance(time.Minute)
	assert.Equal(t, "ACTIVE m1.tiny az-2 r1-cmp-3", seen(), "without a host")
}

func TestNetworks(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	for _, row := range []struct {
		version, networks string
		address           bool
	}{
		{"2.1", "", true},
		{"2.36", `, "networks": [{"uuid": "` + NetworkID + `"}]`, true},
		{"2.37", `, "networks": "auto"`, true},
		{"2.37", `, "networks": "none"`, false},
		{"2.42", `, "networks": [{"uuid": "` + NetworkID + `", "tag": "t"}]`, true},
	} {
		k.must(202, "POST compute /servers "+row.version,
			fmt.Sprintf(`{"server": {"name": "x", "flavorRef": "m1.tiny", "imageRef": %q%s}}`, c.images[0].ID, row.networks))
		a := k.must(200, "GET compute /servers/detail?limit=1", "")
		for _, part := range []string{`"addresses":{"shared":[{"version":4`, "security_groups"} {
			assert.Equal(t, row.address, strings.Contains(a.body, part), "%s%s: %s", row.version, row.networks, a.body)
		}
	}
}

// ended returns the final state, host, zone and fault of a server.
func (k *client) ended(id string) string {
	k.t.Helper()
	k.must(200, "GET compute /servers/"+id, "") // it is built then
	list := k.cloud.Servers("RegionOne")
	s := list[slices.IndexFunc(list, func(s Server) bool { return s.ID == id })]
	return strings.Join(strings.Fields(fmt.Sprint(s.Status, " ", s.Host, " ", s.Zone, " ", s.Fault)), " ")
}

func TestScheduling(t *testing.T) {
	const one, two, none = "ACTIVE r1-cmp-1 az-1", "ACTIVE r1-cmp-2 az-1", "ERROR No valid host was found. There are not enough hosts available."
	const zone = `, "availability_zone": "az-1"`
	for _, row := range []struct {
		policy, rules, zone string
		want                []string
	}{
		{"anti-affinity", "", zone, []string{one, two, none}},
		{"anti-affinity", `, "rules": {"max_server_per_host": 2}`, zone, []string{one, two, one, two, none}},
		{"anti-affinity", "", "", []string{one, two, "ACTIVE r1-cmp-3 az-2", "ACTIVE r1-cmp-4 az-3", none}},
		{"soft-anti-affinity", "", zone, []string{one, two, one}},
		{"affinity", "", zone, []string{one, one}},
		{"soft-affinity", "", zone, []string{one, one}},
	} {
		k := login(t, Start(t, Config{}), "member")
		id := k.must(200, "POST compute /os-server-groups 2.64", fmt.Sprintf(`{"server_group": {"name": "g", "policy": %q%s}}`, row.policy, row.rules)).
			object(t)["server_group"].(map[string]any)["id"].(string)
		for i, want := range row.want {
			server := k.server("x", row.zone+`}, "os:scheduler_hints": {"group": "`+id+`"`)
			assert.Equal(t, want, k.ended(server), "%s%s%s: server %d", row.policy, row.rules, row.zone, i)
		}
	}
}

func TestForcedHosts(t *testing.T) {
	c := Start(t, Config{Regions: []Region{{Name: "RegionOne", Zones: DefaultRegions()[0].Zones, Hypervisors: map[string]string{"r1-cmp-2": "node-2"}}}})
	admin := login(t, c, "admin")
	for zone, want := range map[string]string{
		"az-1:r1-cmp-2": "ACTIVE r1-cmp-2 az-1",
		"az-3:r1-cmp-1": "ACTIVE r1-cmp-1 az-1", // the host decides
		":r1-cmp-3":     "ACTIVE r1-cmp-3 az-2",
		"nova:r1-cmp-1": "ACTIVE r1-cmp-1 az-1",
		"az-1:nowhere":  "ERROR No valid host was found. No such host - host: nowhere node: None",
	} {
		assert.Equal(t, want, admin.ended(admin.server("x", `, "availability_zone": "`+zone+`"`)), zone)
	}
}

// zoneList returns the zones of a region, with a minus before zones that are not available.
func zoneList(t *testing.T, k *client, service string) string {
	t.Helper()
	var list []string
	for _, z := range k.must(200, "GET "+service+" /os-availability-zone", "").object(t)["availabilityZoneInfo"].([]any) {
		zone := z.(map[string]any)
		name := zone["zoneName"].(string)
		if zone["hosts"] != nil {
			name += "?"
		}
		if zone["zoneState"].(map[string]any)["available"] == false {
			name = "-" + name
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// names returns the names of the servers of a list, in its order.
func names(t *testing.T, a answer) string {
	t.Helper()
	var list []string
	for _, s := range a.object(t)["servers"].([]any) {
		name, ok := s.(map[string]any)["name"].(string)
		if !ok {
			name = "?"
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

func TestZones(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	for _, step := range []struct {
		name     string
		do       func()
		one, two string
	}{
		{"at first", func() {}, "az-1 az-2 az-3", "az-1 az-2"},
		{"a zone is disabled", func() { c.SetZoneAvailable("RegionOne", "az-2", false) }, "az-1 az-3 -az-2", "az-1 az-2"},
		{"all hosts are down", func() { c.SetHostDown("RegionOne", "r1-cmp-4", true) }, "az-1 az-3 -az-2", "az-1 az-2"},
		{"a zone is removed", func() { c.RemoveZone("RegionOne", "az-3") }, "az-1 -az-2", "az-1 az-2"},
		{"a zone is added", func() { c.AddZone("RegionTwo", Zone{"az-0", []string{"r2-cmp-9"}}) }, "az-1 -az-2", "az-0 az-1 az-2"},
		{"it is enabled", func() { c.SetZoneAvailable("RegionOne", "az-2", true) }, "az-1 az-2", "az-0 az-1 az-2"},
	} {
		step.do()
		assert.Equal(t, step.one, zoneList(t, k, "compute"), step.name)
		assert.Equal(t, step.two, zoneList(t, k, "two"), step.name)
	}
}

// TestServersFindNoPlace: the result of a request for a server in a zone that is closed, down or gone.
func TestServersFindNoPlace(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	c.SetZoneAvailable("RegionOne", "az-2", false)
	c.SetHostDown("RegionOne", "r1-cmp-4", true)
	c.SetHostDown("RegionOne", "r1-cmp-1", true)
	in := func(zone string) string { return `, "availability_zone": "` + zone + `"` }
	closed := fmt.Sprintf(`{"server": {"name": "x", "flavorRef": "m1.tiny", "imageRef": %q, "networks": "none"%s}}`, c.images[0].ID, in("az-2"))
	k.must(400, "POST compute /servers 2.93", closed)
	for zone, want := range map[string]string{"az-3": "ERROR No valid", "az-1": "ACTIVE r1-cmp-2 az-1", "internal": "ERROR No valid"} {
		assert.Contains(t, k.ended(k.server("x", in(zone))), want, zone)
	}
}

// TestFailedBuilds: what a build that failed does with the ports that it was given, and with its volumes.
func TestFailedBuilds(t *testing.T) {
	fails := func(c *Cloud, _ string) { c.FailBuilds("RegionOne", 1) }
	for name, row := range map[string]struct {
		before, after func(c *Cloud, id string)
		free          bool
	}{
		"its host fails":           {before: fails, free: true},
		"and nova-compute is gone": {before: func(c *Cloud, id string) { fails(c, id); c.KeepPorts("RegionOne", true) }},
		"no host":                  {before: func(c *Cloud, _ string) { c.SellOut("RegionOne", "az-2", "m1.tiny", true) }, free: true},
		"while it is built":        {after: func(c *Cloud, id string) { c.UpdateServer("RegionOne", id, func(s *Server) { s.Status = "ERROR" }) }, free: true},
		"once it was built": {after: func(c *Cloud, id string) {
			c.Advance(time.Hour)
			c.Servers("RegionOne")
			c.UpdateServer("RegionOne", id, func(s *Server) { s.Status = "ERROR" })
		}},
		"it is built, and the answer is lost": {},
	} {
		t.Run(name, func(t *testing.T) {
			c := Start(t, Config{BuildTime: time.Minute})
			k := login(t, c, "member")
			port := k.must(201, "POST network /ports", `{"port": {"network_id": "`+NetworkID+`"}}`).object(t)["port"].(map[string]any)["id"].(string)
			order := fmt.Sprintf(`{"server": {"name": "x", "flavorRef": "m1.tiny", "networks": [{"port": %q}], "availability_zone": "az-2", `+
				`"block_device_mapping_v2": [{"uuid": %q, "source_type": "image", "destination_type": "volume", "boot_index": 0, "volume_size": 1, `+
				`"delete_on_termination": true}]}}`, port, c.images[0].ID)
			if row.before != nil {
				row.before(c, "")
			}
			id := k.must(202, "POST compute /servers 2.79", order).object(t)["server"].(map[string]any)["id"].(string)
			if row.after != nil {
				row.after(c, id)
			}
			c.Advance(time.Hour)
			show := k.must(200, "GET compute /servers/"+id+" 2.79", "").body
			assert.Equal(t, !row.free, strings.Contains(show, `"delete_on_termination":true`), show)
			c.SellOut("RegionOne", "az-2", "m1.tiny", false)
			status := 409
			if row.free {
				status = 202
			}
			k.must(status, "POST compute /servers 2.79", order)
			assert.Empty(t, k.must(204, "DELETE compute /servers/"+id, "").body)
		})
	}
}

// TestZonesOfVolumes: with cross_az_attach = False a server takes the volumes of its zone only.
func TestZonesOfVolumes(t *testing.T) {
	c := Start(t, Config{SameZoneAttach: true})
	k := login(t, c, "member")
	id := c.AddServers("RegionOne", Server{Zone: "az-1"})[0]
	for zone, status := range map[string]int{"az-1": 200, "az-2": 400} {
		volume := k.must(202, "POST block-storage /volumes",
			`{"volume": {"size": 1, "availability_zone": "`+zone+`"}}`).object(t)["volume"].(map[string]any)["id"]
		k.must(200, fmt.Sprint("GET block-storage /volumes/", volume), "")
		a := k.must(status, "POST compute /servers/"+id+"/os-volume_attachments", fmt.Sprintf(`{"volumeAttachment": {"volumeId": %q}}`, volume))
		if status == 400 {
			assert.Contains(t, a.body, "are not in the same availability_zone. Instance is in az-1. Volume is in az-2")
		}
	}
}

// TestMembersInSubnets: a member's subnet is one of Neutron's.
func TestMembersInSubnets(t *testing.T) {
	c := Start(t, Config{})
	k, path := login(t, c, "member"), "POST load-balancer /lbaas/pools/"+c.AddPool("RegionOne")+"/members"
	body := `{"member": {"address": "10.9.0.10", "protocol_port": 80, "subnet_id": "` + SubnetID + `"}}`
	assert.Contains(t, k.must(404, path, strings.ReplaceAll(body, SubnetID, NetworkID)).body, "Subnet "+NetworkID+" not found.")
	assert.Contains(t, k.must(201, path, body).body, `"subnet_id":"`+SubnetID+`"`)
}

// TestCellDown: answers of a real Nova when the database of a cell does not answer.
func TestCellDown(t *testing.T) {
	c := Start(t, Config{})
	g := c.AddServerGroup("RegionOne", ServerGroup{Name: "g", Policy: "soft-affinity"})
	empty := c.AddServerGroup("RegionOne", ServerGroup{Name: "empty", Policy: "affinity"})
	ids := c.AddServers("RegionOne",
		Server{Name: "a", Zone: "az-1", Group: g}, Server{Name: "b", Zone: "az-2"}, Server{Name: "c", Zone: "az-1"}, Server{Name: "d", Host: "-"})
	c.SetCellDown("RegionOne", true, "az-1", "az-3")
	partial := fmt.Sprintf(`{"id":%q,"status":"UNKNOWN","tenant_id":%q,"created":"2026-01-01T00:00:02Z","links":[{"rel":"self"`, ids[0], MemberProjectID)
	internal := func(class string) string {
		return `{"computeFault":{"code":500,"message":"Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API ` +
			`log if possible.\n<class '` + class + `'>"}}`
	}
	exception, dbError := internal("nova.exception.NovaException"), internal("oslo_db.exception.DBConnectionError")
	users := map[string]*client{"member": login(t, c, "member"), "admin": login(t, c, "admin")}
	for _, f := range []struct {
		who, what, body string
		status          int
		want            string // part of the body
	}{
		{"member", "GET compute /servers/" + ids[0] + " 2.68", "", 500, exception},
		{"member", "GET compute /servers/" + ids[0] + " 2.69", "", 200, `{"server":` + partial},
		{"member", "GET compute /servers/" + ids[0] + " 2.71", "", 200,
			`"OS-EXT-AZ:availability_zone":"az-1","OS-EXT-STS:power_state":0,"user_id":"` + MemberUserID + `","server_groups":["` + g + `"]}}`},
		{"member", "GET compute /servers/detail 2.69", "", 200, partial},
		{"member", "DELETE compute /servers/" + ids[0] + " 2.69", "", 500, exception},
		{"member", "POST compute /servers/" + ids[0] + "/action", `{"os-stop": null}`, 500, exception},
		{"member", "GET compute /os-server-groups/" + g, "", 500, dbError},
		{"member", "GET compute /os-server-groups", "", 500, dbError},
		{"member", "GET compute /os-server-groups/" + empty, "", 200, ""},
		{"member", "GET compute /servers?marker=" + ids[0] + " 2.93", "", 500, dbError},
		{"admin", "GET compute /os-hypervisors/detail 2.53", "", 500, dbError},
		{"admin", "GET compute /os-services 2.69", "", 200, `{"services":[{"binary":"nova-compute","host":"r1-cmp-3"`},
		{"admin", "GET compute /os-services 2.68", "", 200, `{"services":[{"binary":"nova-compute","host":"r1-cmp-3"`},
	} {
		assert.Contains(t, users[f.who].must(f.status, f.what, f.body).body, f.want, f.what)
	}
	k := users["member"]
	for what, want := range map[string]string{ // ? is a server without a name
		"/servers 2.68": "d b", "/servers 2.69": "? ? d b", "/servers/detail 2.93": "? ? d b", "/servers?limit=10 2.93": "d b",
		"/servers?name=. 2.93": "d b",
	} {
		assert.Equal(t, want, names(t, k.must(200, "GET compute "+what, "")), what)
	}
	assert.Equal(t, "az-2", zoneList(t, k, "compute"), "zones")
	c.SetCellDown("RegionOne", false)
	assert.Equal(t, "d c b a", names(t, k.must(200, "GET compute /servers 2.69", "")), "up again")
}

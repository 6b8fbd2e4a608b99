package fakecloud

import (
	"fmt"
	"strings"
	"testing"
)

// zoneList is the zones of a region, a minus before those not available.
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
		{"one of two hosts is disabled", func() { c.SetHostDisabled("RegionOne", "r1-cmp-1", true) }, "az-1 az-3 -az-2", "az-1 az-2"},
		{"all hosts are down", func() { c.SetHostDown("RegionOne", "r1-cmp-4", true) }, "az-1 az-3 -az-2", "az-1 az-2"},
		{"a zone is removed", func() { c.RemoveZone("RegionOne", "az-3") }, "az-1 -az-2", "az-1 az-2"},
		{"a zone is added", func() { c.AddZone("RegionTwo", Zone{"az-0", []string{"r2-cmp-9"}}) }, "az-1 -az-2", "az-0 az-1 az-2"},
		{"it is enabled", func() { c.SetZoneAvailable("RegionOne", "az-2", true) }, "az-1 az-2", "az-0 az-1 az-2"},
	} {
		step.do()
		if one, two := zoneList(t, k, "compute"), zoneList(t, k, "two"); one != step.one || two != step.two {
			t.Errorf("%s: %s; %s. want %s; %s", step.name, one, two, step.one, step.two)
		}
	}
}

// TestServersFindNoPlace: what happens to a server that is asked for in a zone
// that is closed, down or gone.
func TestServersFindNoPlace(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	c.SetZoneAvailable("RegionOne", "az-2", false)
	c.SetHostDown("RegionOne", "r1-cmp-4", true)
	c.SetHostDisabled("RegionOne", "r1-cmp-1", true)
	body := func(zone string) string {
		return fmt.Sprintf(`{"server": {"name": "x", "flavorRef": "m1.tiny", "imageRef": %q, "availability_zone": %q}}`, c.images[0].ID, zone)
	}
	k.must(400, "POST compute /servers", body("az-2"))
	for zone, want := range map[string]string{"az-3": "ERROR", "az-1": "ACTIVE r1-cmp-2", "internal": "ERROR"} {
		k.must(202, "POST compute /servers", body(zone))
		k.must(200, "GET compute /servers", "")
		list := c.Servers("RegionOne")
		s := list[len(list)-1]
		if got := strings.TrimSpace(s.Status + " " + s.Host); got != want {
			t.Errorf("%s: %s, want %s", zone, got, want)
		}
	}
}

func TestHostsForAdmins(t *testing.T) {
	c := Start(t, Config{Regions: []Region{{
		Name:        "RegionOne",
		Zones:       []Zone{{"az-1", []string{"a", "b"}}, {"az-2", []string{"c"}}},
		Hypervisors: map[string]string{"c": "vsphere_DRS_1"},
	}}})
	c.SetHostDown("RegionOne", "a", true)
	c.SetHostDisabled("RegionOne", "b", true)
	c.AddServers("RegionOne", Server{Host: "c"}, Server{Host: "c", Flavor: "m1.small"})
	k := login(t, c, "admin")
	uuid := func(i int) string { return c.regions["RegionOne"].hosts[i].uuid }
	service := func(i int) string { return c.regions["RegionOne"].hosts[i].service.uuid }
	facts(t, c, []fact{
		{"admin", "GET compute /os-hypervisors/detail 2.53", "", 200, `{"hypervisors": [{"id": "` + uuid(0) + `", "hypervisor_hostname": "a", "state": "down", "status": "enabled"`},
		{"admin", "GET compute /os-hypervisors/detail 2.53", "", 200, `{"id": "` + uuid(1) + `", "hypervisor_hostname": "b", "state": "up", "status": "disabled"`},
		{"admin", "GET compute /os-hypervisors/detail 2.53", "", 200, `"service": {"id": "` + service(2) + `", "host": "c", "disabled_reason": null}, "vcpus": 1000, "memory_mb": 800000, ` +
			`"local_gb": 600000, "vcpus_used": 3, "memory_mb_used": 704, "local_gb_used": 2`},
		{"admin", "GET compute /os-hypervisors/detail 2.88", "", 200, `"service": {"id": "` + service(2) + `", "host": "c", "disabled_reason": null}, "uptime": null}`},
		{"admin", "GET compute /os-hypervisors/detail?limit=2 2.53", "", 200, `"hypervisors_links": [{"rel": "next", "href": "` + c.url +
			`/compute/RegionOne/v2.1/os-hypervisors/detail?limit=2&marker=` + uuid(1) + `"}]`},
		{"admin", "GET compute /os-hypervisors/detail?limit=2&marker=" + uuid(1) + " 2.53", "", 200, `{"hypervisors": [{"id": "` + uuid(2) + `", "hypervisor_hostname": "vsphere_DRS_1"`},
		{"admin", "GET compute /os-hypervisors/detail?marker=9 2.53", "", 400, "marker [9] not found"},
		{"admin", "GET compute /os-hypervisors/detail?bogus=1 2.53", "", 400, ""},
		{"admin", "GET compute /os-hypervisors/detail 2.52", "", 404, ""},
		{"admin", "GET compute /os-services", "", 200, `{"binary": "nova-compute", "host": "a", "id": 3, "zone": "az-1", "status": "enabled", "state": "down", "updated_at": "2026-01-01T00:00:00.000000", "disabled_reason": null}`},
		{"admin", "GET compute /os-services 2.11", "", 200, `"forced_down": true`},
		{"admin", "GET compute /os-services?binary=nova-compute&host=b 2.53", "", 200, `{"services": [{"binary": "nova-compute", "host": "b", "id": "` + service(1) + `"`},
		{"admin", "GET compute /os-services?x=1 2.75", "", 400, "is not known"},
		{"admin", "GET compute /os-availability-zone/detail", "", 200, `{"zoneName": "az-1", "zoneState": {"available": true}, "hosts": {"a": {"nova-compute": {"available": false, "active": true`},
		{"admin", "GET compute /os-availability-zone/detail", "", 200, `{"zoneName": "internal", "zoneState": {"available": true}, "hosts": {"RegionOne-ctl": {"nova-conductor"`},
		{"admin", "PUT compute /os-services/x 2.53", `{"status": "disabled"}`, 400, "Invalid uuid x"},
		{"member", "PUT compute /os-services/" + service(2) + " 2.53", `{"status": "disabled"}`, 403, ""},
	})
	k.must(200, "PUT compute /os-services/"+service(2)+" 2.53", `{"status": "disabled", "disabled_reason": "why"}`)
	if got := zoneList(t, k, "compute"); got != "az-1 -az-2" {
		t.Errorf("zones are %s", got)
	}
	k.must(200, "PUT compute /os-services/"+service(0)+" 2.53", `{"forced_down": false}`)
	if a := k.must(200, "GET compute /os-hypervisors/detail 2.53", ""); strings.Contains(a.body, `"state": "down"`) {
		t.Errorf("%s", a.body)
	}
}

// TestCellDown: what a real Nova says when the data base of a cell does not
// answer.
func TestCellDown(t *testing.T) {
	c := Start(t, Config{})
	g := c.AddServerGroup("RegionOne", ServerGroup{Name: "g", Policy: "soft-affinity"})
	empty := c.AddServerGroup("RegionOne", ServerGroup{Name: "empty", Policy: "affinity"})
	ids := c.AddServers("RegionOne",
		Server{Name: "a", Zone: "az-1", Group: g}, Server{Name: "b", Zone: "az-2"}, Server{Name: "c", Zone: "az-1"}, Server{Name: "d", Host: "-"})
	c.SetCellDown("RegionOne", true, "az-1", "az-3")
	partial := fmt.Sprintf(`{"id": %q, "status": "UNKNOWN", "tenant_id": %q, "created": "2026-01-01T00:00:02Z", "links": [{"rel": "self"`, ids[0], MemberProjectID)
	internal := func(class string) string {
		return `{"computeFault": {"code": 500, "message": "Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API log if possible.\n<class '` + class + `'>"}}`
	}
	exception, dbError := internal("nova.exception.NovaException"), internal("oslo_db.exception.DBConnectionError")
	facts(t, c, []fact{
		{"member", "GET compute /servers/" + ids[0] + " 2.68", "", 500, exception},
		{"member", "GET compute /servers/" + ids[0] + " 2.69", "", 200, `{"server": ` + partial},
		{"member", "GET compute /servers/" + ids[0] + " 2.71", "", 200, `"OS-EXT-AZ:availability_zone": "az-1", "OS-EXT-STS:power_state": 0, "user_id": "` + MemberUserID + `", "server_groups": ["` + g + `"]}}`},
		{"member", "GET compute /servers/detail 2.69", "", 200, partial},
		{"member", "DELETE compute /servers/" + ids[0] + " 2.69", "", 500, exception},
		{"member", "POST compute /servers/" + ids[0] + "/action", `{"os-stop": null}`, 500, exception},
		{"member", "GET compute /os-server-groups/" + g, "", 500, dbError},
		{"member", "GET compute /os-server-groups", "", 500, dbError},
		{"member", "GET compute /os-server-groups/" + empty, "", 200, ""},
		{"member", "GET compute /servers?marker=" + ids[0] + " 2.93", "", 500, dbError},
		{"admin", "GET compute /os-hypervisors/detail 2.53", "", 500, dbError},
		{"admin", "GET compute /os-services 2.69", "", 200, `{"services": [{"binary": "nova-compute", "host": "r1-cmp-1", "status": "UNKNOWN"}, `},
		{"admin", "GET compute /os-services 2.68", "", 200, `{"services": [{"binary": "nova-compute", "host": "r1-cmp-3"`},
		{"member", "GET compute /limits", "", 200, `"totalInstancesUsed": 2`},
	})
	k := login(t, c, "member")
	for what, want := range map[string]string{ // ? is a server without a name
		"/servers 2.68": "d b", "/servers 2.69": "? ? d b", "/servers/detail 2.93": "? ? d b", "/servers?limit=10 2.93": "d b",
		"/servers?name=. 2.93": "d b",
	} {
		if got := names(t, k.must(200, "GET compute "+what, "")); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	if got := zoneList(t, k, "compute"); got != "az-2" {
		t.Errorf("zones are %s", got)
	}
	c.SetCellDown("RegionOne", false)
	if got := names(t, k.must(200, "GET compute /servers 2.69", "")); got != "d c b a" {
		t.Errorf("up again: %s", got)
	}
}

package fakecloud

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

// names of the servers of a list, in its order.
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
		assert.Equal(t, want, strings.TrimSpace(s.Status+" "+s.Host), zone)
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
	users := map[string]*client{"member": login(t, c, "member"), "admin": login(t, c, "admin")}
	for _, f := range []struct {
		who, what, body string
		status          int
		want            string // is somewhere in the body
	}{
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

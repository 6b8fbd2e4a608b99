package fakecloud

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAddedServers(t *testing.T) {
	c := Start(t, Config{})
	group := c.AddServerGroup("RegionOne", ServerGroup{Name: "g", Policy: "anti-affinity"})
	made := time.Date(2020, time.May, 4, 3, 2, 1, 999, time.FixedZone("", 7200))
	ids := c.AddServers("RegionOne", Server{}, Server{
		ID: "5f3d3e2c-0f4e-4b8a-9d4e-2f6c1f9f7a10", Name: "db", ProjectID: AdminProjectID, UserID: AdminUserID, Status: "ERROR", Zone: "az-1",
		Host: "r1-cmp-4", ImageID: "no-image", Flavor: "m1.small", Metadata: map[string]string{"k": "v"}, Tags: []string{"t"}, Group: group,
		Created: made, Fault: "broken", LockedBy: "owner", LockReason: "r", Description: "d", Network: true,
	}, Server{Zone: "az-1"}, Server{Zone: "az-1"}, Server{Zone: "az-9"}, Server{Host: "-", Status: "ERROR"}, Server{Status: "MIGRATING"})

	got := map[string]Server{}
	for _, s := range c.Servers("RegionOne") {
		got[s.ID] = s
	}
	if s, want := got[ids[0]], (Server{
		ID: ids[0], Name: "server-1", ProjectID: MemberProjectID, UserID: MemberUserID, Status: "ACTIVE", Zone: "az-1", Host: "r1-cmp-1",
		ImageID: c.images[0].ID, Flavor: "m1.tiny", Created: Epoch.Add(2 * time.Second),
	}); !reflect.DeepEqual(s, want) {
		t.Errorf("defaults: %+v", s)
	}
	if s, want := got["5f3d3e2c-0f4e-4b8a-9d4e-2f6c1f9f7a10"], (Server{
		ID: ids[1], Name: "db", ProjectID: AdminProjectID, UserID: AdminUserID, Status: "ERROR", Zone: "az-3", // that of the host
		Host: "r1-cmp-4", ImageID: "no-image", Flavor: "m1.small", Metadata: map[string]string{"k": "v"}, Tags: []string{"t"}, Group: group,
		Created: made.UTC().Truncate(time.Second), Fault: "broken", LockedBy: "owner", LockReason: "r", Description: "d", Network: true,
	}); !reflect.DeepEqual(s, want) {
		t.Errorf("as given: %+v", s)
	}
	for i, want := range []string{2: "az-1 r1-cmp-1", 3: "az-1 r1-cmp-2", 4: "az-9 ", 5: " ", 6: "az-2 r1-cmp-3"} {
		if s := got[ids[i]]; i > 1 && s.Zone+" "+s.Host != want {
			t.Errorf("server %d is in %s on %s, want %s", i, s.Zone, s.Host, want)
		}
	}
	if s := got[ids[6]]; s.Status != "MIGRATING" || s.TaskState != "migrating" {
		t.Errorf("%+v", s)
	}
	if members := c.ServerGroups("RegionOne")[0].Members; len(members) != 1 || members[0] != ids[1] {
		t.Errorf("members are %v", members)
	}
	assert.Empty(t, c.Servers("RegionTwo"), "servers of the other region")
}

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
	if got := show(place[:2]...); got != "az-3 r1-cmp-2" { // only the host was changed
		t.Error(got)
	}
	c.RemoveServers("RegionOne", id)
	admin.must(404, "GET compute /servers/"+id, "")
	c.AddServers("RegionOne", make([]Server, 5)...)
	c.RemoveServers("RegionOne")
	assert.Empty(t, c.Servers("RegionOne"), "servers are left")
	if a := admin.must(200, "GET compute /limits", ""); !strings.Contains(a.body, `"totalCoresUsed": 0, `) {
		t.Errorf("limits: %s", a.body)
	}
}

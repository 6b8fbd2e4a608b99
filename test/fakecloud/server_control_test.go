package fakecloud

import (
	"fmt"
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

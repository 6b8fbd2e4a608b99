package fakecloud

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTasks: the states that a server goes through, and where it ends.
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
		{admin, `{"os-migrateLive": {"host": "r1-cmp-4", "block_migration": "auto", "force": true}}`, "MIGRATING m1.small az-1 r1-cmp-1", "ACTIVE m1.small az-3 r1-cmp-4"},
		{member, `{"shelve": null}`, "ACTIVE m1.small az-3 r1-cmp-4", "SHELVED_OFFLOADED m1.small"},
		{member, `{"unshelve": {"availability_zone": "az-2"}}`, "SHELVED_OFFLOADED m1.small", "ACTIVE m1.small az-2 r1-cmp-3"},
	} {
		status, version := 202, "2.60" // the last one with force is 2.67
		if strings.Contains(row.action, "confirm") {
			status = 204
		}
		if strings.Contains(row.action, "availability_zone") {
			version = "2.77" // the first one with it
		}
		row.who.must(status, "POST compute /servers/"+id+"/action "+version, row.action)
		assert.Equal(t, row.during, seen(), "during %s", row.action)
		c.Advance(time.Minute)
		assert.Equal(t, row.end, seen(), "after %s", row.action)
	}
	if s := c.Servers("RegionOne")[0]; s.ImageID != other {
		t.Errorf("the image is %s", s.ImageID)
	}

	c.SetQuota("RegionOne", MemberProjectID, "ram", 128)
	c.UpdateServer("RegionOne", id, func(s *Server) { s.Flavor = "m1.tiny" })
	c.AddServers("RegionOne", Server{Flavor: "m1.tiny"})
	if a := member.must(403, "POST compute /servers/"+id+"/action", `{"resize": {"flavorRef": "m1.small"}}`); !strings.Contains(a.body, "Quota exceeded for ram: Requested 64, but already used 128 of 128 ram") {
		t.Error(a.body)
	}
	c.SetZoneAvailable("RegionOne", "az-2", false)
	c.SetQuota("RegionOne", MemberProjectID, "ram", -1)
	member.must(202, "POST compute /servers/"+id+"/action", `{"resize": {"flavorRef": "m1.small"}}`)
	c.Advance(time.Minute)
	assert.Equal(t, "ACTIVE m1.tiny az-2 r1-cmp-3", seen(), "without a host")
}

package learn_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
)

// TestNoteTimes: facts change at their times by the clock of the cloud's answer, whatever the local clock says. The
// launch counts and not the creation, and the mark if marks are required.
func TestNoteTimes(t *testing.T) {
	const day = 24 * time.Hour
	born := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name         string
		server       node.Node
		seen         time.Duration // time since its creation
		marks        bool
		aged, baking bool
	}{
		{name: "young", seen: 30 * day},
		{name: "too old", seen: 33*day + 1, aged: true},
		{name: "rebuilt", server: node.Node{LaunchedAt: born.Add(20 * day)}, seen: 40 * day},
		{name: "just launched", seen: 9 * time.Minute, baking: true},
		{name: "served for the pause", seen: 10 * time.Minute},
		{name: "just marked", server: node.Node{InServiceAt: born.Add(day)}, seen: day + time.Minute, marks: true, baking: true},
		{name: "marked before it was noted when", seen: time.Minute, marks: true},
		{name: "marked ahead of the clock: that is no time", server: node.Node{InServiceAt: born.Add(day)}, seen: day - time.Hour, marks: true},
		{name: "not in service", server: node.Node{Status: "SHUTOFF"}, seen: time.Minute},
	} {
		s := c.server
		s.ID, s.CreatedAt, s.SeenAt, s.InService = "id", born, born.Add(c.seen), "1"
		if s.Status == "" {
			s.Status = "ACTIVE"
		}
		seen := roster.NewSeen()
		seen.Servers["web-0"] = s
		learn.NoteTimes(&seen, roster.Roster{Nodes: map[string]roster.Node{"web-0": {Mark: "1"}}},
			roster.Policy{RequireMarks: c.marks, Update: &roster.Update{MaxAge: 30 * day, Pause: 10 * time.Minute}}, time.Time{})
		if _, aged := seen.Aged["web-0"]; aged != c.aged || seen.Baking["web-0"] != c.baking {
			t.Errorf("%s: aged %v, baking %v", c.name, aged, seen.Baking["web-0"])
		}
	}
	now := roster.NewSeen() // without a pause no node bakes, even if an answer is older than a launch
	now.Servers["web-0"] = node.Node{ID: "id", Status: "ACTIVE", LaunchedAt: born, SeenAt: born.Add(-time.Second)}
	if learn.NoteTimes(&now, roster.Roster{Nodes: map[string]roster.Node{"web-0": {}}},
		roster.Policy{Update: &roster.Update{}}, time.Time{}); len(now.Aged)+len(now.Baking) != 0 {
		t.Errorf("without a pause: %+v", now)
	}
	never := roster.NewSeen()
	never.Servers["web-0"] = node.Node{ID: "id", Status: "ACTIVE", CreatedAt: born, SeenAt: born.Add(time.Minute)}
	learn.NoteTimes(&never, roster.Roster{Nodes: map[string]roster.Node{"web-0": {}}}, roster.Policy{}, time.Time{})
	if len(never.Aged)+len(never.Baking) != 0 {
		t.Errorf("without an update: %+v", never)
	}
}

// TestShare: the ages at which 1,000 servers are too old are spread evenly over a tenth, whatever its length.
func TestShare(t *testing.T) {
	counts := map[time.Duration]int{}
	for i := range 1000 {
		s := learn.Share10(fmt.Sprintf("id-%d", i), 1000*time.Hour)
		if s < 0 || s >= 100*time.Hour {
			t.Fatalf("a share of %s", s)
		}
		counts[s/(10*time.Hour)]++
	}
	if s := learn.Share10("id-0", math.MaxInt64); s < 0 || s > math.MaxInt64/10 {
		t.Errorf("a share of %s", s)
	}
	for tenth := range time.Duration(10) {
		if n := counts[tenth]; n < 50 || n > 150 {
			t.Errorf("%d of 1,000 in the %d. part of ten", n, tenth+1)
		}
	}
}

package planner

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
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
			roster.Policy{RequireMarks: c.marks, Update: &roster.Update{MaxAge: 30 * day, Pause: 10 * time.Minute}})
		if _, aged := seen.Aged["web-0"]; aged != c.aged || seen.Baking["web-0"] != c.baking {
			t.Errorf("%s: aged %v, baking %v", c.name, aged, seen.Baking["web-0"])
		}
	}
	windows, _ := roster.ParseWindows([]string{"Thu 00:00-00:10 UTC"})
	for minutes, at := range map[int]string{9: "", 10: "Thu 00:00 UTC"} { // by the latest answer
		seen := roster.NewSeen()
		seen.Servers["web-0"], seen.Servers["web-1"] = node.Node{SeenAt: born.Add(time.Duration(minutes) * time.Minute)}, node.Node{SeenAt: born}
		learn.NoteTimes(&seen, roster.Roster{Nodes: map[string]roster.Node{"web-0": {}, "web-1": {}}}, roster.Policy{Update: &roster.Update{Windows: windows}})
		if want := (roster.Opens{Of: "Thu 00:00-00:10 UTC", At: at}); seen.Opens != want {
			t.Errorf("after %d minutes: %+v, want %+v", minutes, seen.Opens, want)
		}
	}
	now := roster.NewSeen() // without a pause no node bakes, even if an answer is older than a launch
	now.Servers["web-0"] = node.Node{ID: "id", Status: "ACTIVE", LaunchedAt: born, SeenAt: born.Add(-time.Second)}
	if learn.NoteTimes(&now, roster.Roster{Nodes: map[string]roster.Node{"web-0": {}}},
		roster.Policy{Update: &roster.Update{}}); len(now.Aged)+len(now.Baking) != 0 {
		t.Errorf("without a pause: %+v", now)
	}
	never := roster.NewSeen()
	never.Servers["web-0"] = node.Node{ID: "id", Status: "ACTIVE", CreatedAt: born, SeenAt: born.Add(time.Minute)}
	if learn.NoteTimes(&never, roster.Roster{Nodes: map[string]roster.Node{"web-0": {}}}, roster.Policy{}); len(never.Aged)+len(never.Baking) != 0 {
		t.Errorf("without an update: %+v", never)
	}
}

// TestAhead: a mark from the future is named if pause counts from it, and if it is further ahead than the clocks of a
// cloud may differ.
func TestAhead(t *testing.T) {
	now := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	r := roster.Roster{Nodes: map[string]roster.Node{"web-0": {}, "web-1": {Index: 1}, "web-2": {Index: 2}}}
	seen := roster.NewSeen()
	for name, ahead := range map[string]time.Duration{"web-0": time.Hour, "web-1": time.Minute, "web-2": -time.Hour, "web-9": time.Hour} {
		seen.Servers[name] = node.Node{SeenAt: now, InServiceAt: now.Add(ahead)}
	}
	pause := &roster.Update{Pause: time.Hour}
	for want, policy := range map[string]roster.Policy{
		"web-0 (2026-10-01T01:00:00Z)": {Update: pause, RequireMarks: true},
		"no marks":                     {Update: pause},
		"no pause":                     {Update: &roster.Update{}, RequireMarks: true},
		"no update":                    {RequireMarks: true},
	} {
		got := say.Ahead(seen, r, policy)
		if named := len(got) == 1 && strings.Contains(got[0].Text, "nodes: "+want+". "); named != strings.HasPrefix(want, "web") || len(got) > 1 {
			t.Errorf("%s: %+v", want, got)
		}
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

// TestWindow: while its windows are shut an update begins no batch, and repair, candidates and going back do not wait. Only
// a look after the last apply, for these windows, proves that one is open.
func TestWindow(t *testing.T) {
	const saturday = "Sat 02:00-06:00 UTC"
	open, shut := roster.Opens{Of: saturday}, roster.Opens{Of: saturday, At: "Sat 02:00 UTC"}
	causes := update("1", roster.Unhealthy, roster.Misplaced, roster.Outdated, roster.TooOld)
	causes.Windows, _ = roster.ParseWindows([]string{saturday})
	unmarked := func(s roster.Seen) { changeSeen(s, "web-0", func(n *node.Node) { n.InService = "" }) }
	waits, back := []string{"Nodes wait for the window"}, "^web-6"
	for i := int64(7); i < 36; i++ {
		back += " ^" + web(i)
	}
	plans(t, func(p *roster.Policy) { p.Update = causes }, []planned{
		{name: "open", opens: open, image: "b", moves: "+web-6 -web-0", remaining: 5},
		{name: "shut", opens: shut, image: "b", remaining: 6, status: "shut until Sat 02:00 UTC: web-0, web-1, web-2, web-3, web-4 and 1 more",
			told: "6 nodes should be replaced, and no batch begins until Sat 02:00 UTC: web-0..."},
		{name: "for the age too", opens: shut, seen: func(s roster.Seen) {
			s.Aged["web-0"] = roster.Aged{Mark: roster.Mark(s.Servers["web-0"].InService), Launched: time.Unix(1<<30, 0)}
		}, remaining: 1, notices: waits, status: "shut until Sat 02:00 UTC: web-0"},
		{name: "and for the place", opens: shut, policy: func(p *roster.Policy) { p.Regions[0].Zones[0].Cap = 0 }, remaining: 1,
			notices: waits, status: "shut until Sat 02:00 UTC: web-0"},
		{name: "a node that comes back is for the target after one that is older", opens: shut, image: "b", capacity: 36, policy: func(p *roster.Policy) {
			u := *causes
			u.Target, u.Method, u.Causes = amount("1"), roster.Recreate, []roster.Cause{roster.Outdated}
			p.Update, p.Stateful = &u, &roster.Stateful{Retain: true}
		}, roster: func(r *roster.Roster) {
			r.Slots = map[string]roster.Slot{}
			for i := int64(6); i < 36; i++ {
				r.Leaving[web(i)] = roster.Node{Index: i, Place: r.Nodes[web(i%6)].Place, Template: image("a"), Mark: "1", Served: true}
				r.Slots[web(i)] = roster.Slot{Index: i, Place: r.Leaving[web(i)].Place}
			}
		}, seen: func(s roster.Seen) {
			for i := int64(6); i < 36; i++ {
				s.Servers[web(i)] = node.Node{ID: "id-" + web(i), Name: web(i), Status: "ACTIVE", InService: "1"}
			}
		}, moves: back, remaining: 1, told: "1 node should be replaced, and no batch begins until Sat 02:00 UTC: web-0..."},
		{name: "not for repair, which gets the wanted template", opens: shut, image: "b", broken: "web-5", moves: "+web-6 -web-5", remaining: 5,
			notices: waits},
		{name: "nor for a candidate", opens: shut, image: "b", policy: func(p *roster.Policy) { p.Candidates = []string{"web-5"} },
			moves: "+web-6 -web-5", remaining: 5, notices: waits},
		{name: "nor for going back", opens: shut, roster: func(r *roster.Roster) {
			changeRoster(*r, "web-0", func(n *roster.Node) { n.Template = image("b") })
		}, moves: "+web-6 -web-0"},
		{name: "also by itself, while nothing is settled elsewhere", opens: shut, policy: func(p *roster.Policy) {
			u := *causes
			p.Update, u.RevertAfter = &u, time.Hour
			p.Templates = roster.Templates{{Region: "RegionOne"}: image("b"), {Region: "RegionTwo"}: image("c")}
		}, roster: func(r *roster.Roster) {
			r.Settled, r.Failed = roster.Templates{{Region: "RegionOne"}: image("a")}, []roster.Failure{{Template: image("b").Hash(), Node: "web-0"}}
			changeRoster(*r, "web-0", func(n *roster.Node) { n.Template = image("b") })
		}, moves: "+web-6 -web-0", remaining: 3, notices: []string{"The template failed, and the settled one is wanted again", "Nodes wait for the window"}},
		{name: "nor for what never served", opens: shut, image: "b", policy: func(p *roster.Policy) { p.RequireMarks = true },
			roster: func(r *roster.Roster) {
				changeRoster(*r, "web-0", func(n *roster.Node) { n.Served, n.Template, n.Mark = false, image("c"), "2-c" })
			}, seen: func(s roster.Seen) {
				unmarked(s)
				changeSeen(s, "web-0", func(n *node.Node) { n.NotInService = "2-c" })
			}, moves: "~web-0", remaining: 5, notices: waits},
		{name: "what target leaves waits for no window", opens: shut, image: "b", policy: func(p *roster.Policy) {
			u := *causes
			p.Update, u.Target = &u, amount("1")
		}, remaining: 1, notices: waits, status: "shut until Sat 02:00 UTC: web-0"},
		{name: "other windows were looked for", opens: roster.Opens{Of: "Sun 02:00-06:00 UTC"}, image: "b", remaining: 6, notices: waits,
			status: "shut until a refresh finds the window open: web-0, web-1, web-2, web-3, web-4 and 1 more"},
		{name: "an apply came after the look", opens: open, image: "b", policy: func(p *roster.Policy) { p.Blind = true }, remaining: 6, notices: waits},
		{name: "without windows nothing waits", opens: shut, image: "b", update: update("1", roster.Outdated), moves: "+web-6 -web-0", remaining: 5},
	})
}

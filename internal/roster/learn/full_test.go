package learn_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// TestNoteTimesFull: a place is full for an hour, counted from the creation of the server without a host, by
// the clock of the cloud, or of this machine where the cloud says none. It does not stay full for ever, whatever the
// clocks do.
func TestNoteTimesFull(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	az1, az2 := placement.Place{Region: "RegionOne", Zone: "az-1"}, placement.Place{Region: "RegionOne", Zone: "az-2"}
	for _, c := range []struct {
		name   string
		change func(*roster.Roster, roster.Seen, *roster.Policy)
		want   map[roster.Spot]time.Time
	}{
		{name: "a server found no host", change: func(*roster.Roster, roster.Seen, *roster.Policy) {}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "with other words", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Fault = plans.NoRetry })
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "it failed for another reason", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Fault = "broken" })
		}},
		{name: "it runs", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Status = "ACTIVE" })
		}},
		{name: "an hour is over", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { clockSeen(s, noon.Add(time.Hour)) }},
		{name: "almost", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { clockSeen(s, noon.Add(time.Hour-time.Second)) },
			want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "the clock went back a little", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			clockSeen(s,
				noon.Add(time.Second-time.Hour))
		},
			want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "or a lot", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { clockSeen(s, noon.Add(-time.Hour)) }},
		{name: "the cloud has no clock", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { clockSeen(s, time.Time{}) },
			want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "no server is left", change: func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			clear(r.Nodes)
			clear(s.Servers)
			s.Full[roster.Spot{Place: az1}] = noon.Add(-20 * time.Minute)
			s.Full[roster.Spot{Place: az2}] = noon.Add(-30 * time.Minute)
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon.Add(-20 * time.Minute)}},
		{name: "the server is gone, the place stays full", change: func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			delete(r.Nodes, "web-0")
			delete(s.Servers, "web-0")
			s.Full[roster.Spot{Place: az1}] = noon
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "until the time is over", change: func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			delete(r.Nodes, "web-0")
			delete(s.Servers, "web-0")
			s.Full[roster.Spot{Place: az1}] = noon.Add(-50 * time.Minute)
		}},
		{name: "a second server that found none counts", change: func(_ *roster.Roster, s roster.Seen,
			_ *roster.Policy) {
			s.Full[roster.Spot{Place: az1}] = noon.Add(-time.Minute)
		},
			want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "a place more", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			s.Full[roster.Spot{Place: az2}] = noon.Add(time.Minute)
		},
			want: map[roster.Spot]time.Time{{Place: az1}: noon, {Place: az2}: noon.Add(time.Minute)}},
		{name: "of a leaving node too", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			r.Leaving = map[string]roster.Node{"web-0": r.Nodes["web-0"]}
			delete(r.Nodes, "web-0")
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "in a region without zones it is the region", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Regions[0].Zones = nil },
			want: map[roster.Spot]time.Time{{Place: placement.Place{Region: "RegionOne"}}: noon}},
		{name: "a zone that is not known closes no region", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Zone = "" })
		}},
		{name: "so does a cluster without update", change: func(_ *roster.Roster, s roster.Seen, p *roster.Policy) {
			p.Update, s.Full[roster.Spot{Place: az2}] = nil, noon
		}},
		{name: "the clock of the region counts", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			plans.ChangeSeen(s, "web-3", func(n *node.Node) { n.SeenAt = noon.Add(24 * time.Hour) })
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "the clock of another region counts for a region without servers", change: func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			for _, name := range []string{"web-0", "web-1", "web-2"} {
				delete(r.Nodes, name)
				delete(s.Servers, name)
			}
			s.Full[roster.Spot{Place: az1}] = noon.Add(-50 * time.Minute)
			s.Full[roster.Spot{Place: az2}] = noon.Add(-40 * time.Minute)
		}, want: map[roster.Spot]time.Time{{Place: az2}: noon.Add(-40 * time.Minute)}},
	} {
		r := plans.Six(t, plans.Image("a"))
		seen := plans.Running(r)
		clockSeen(seen, noon.Add(15*time.Minute))
		plans.ChangeSeen(seen, "web-0", func(n *node.Node) { n.Status, n.Fault, n.CreatedAt = "ERROR", plans.NoHost, noon })
		p := plans.Policy(6)
		p.Update = plans.Update("1", roster.Unhealthy)
		c.change(&r, seen, &p)
		for range 2 {
			learn.NoteTimes(&seen, r, p, noon.Add(30*time.Minute))
			if !maps.Equal(seen.Full, c.want) {
				t.Errorf("%s: got %v, want %v", c.name, seen.Full, c.want)
			}
		}
	}
}

// clockSeen sets the time of the answers.
func clockSeen(s roster.Seen, at time.Time) {
	for name := range s.Servers {
		plans.ChangeSeen(s, name, func(n *node.Node) { n.SeenAt = at })
	}
}

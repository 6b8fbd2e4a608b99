package roster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// TestTellFull: a place is full from the server that found no host on, for as long as
// retry_full_after says, by the clock of the cloud. Whatever clocks do it ends.
func TestTellFull(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	az1, az2 := placement.Place{Region: "RegionOne", Zone: "az-1"}, placement.Place{Region: "RegionOne", Zone: "az-2"}
	for _, c := range []struct {
		name   string
		change func(*Roster, Seen, *Policy)
		want   map[placement.Place]time.Time
	}{
		{name: "a server found no host", change: func(*Roster, Seen, *Policy) {}, want: map[placement.Place]time.Time{az1: noon}},
		{name: "with other words", change: func(_ *Roster, s Seen, _ *Policy) {
			s.change("web-0", func(n *node.Node) { n.Fault = noRetry })
		}, want: map[placement.Place]time.Time{az1: noon}},
		{name: "it failed for another reason", change: func(_ *Roster, s Seen, _ *Policy) {
			s.change("web-0", func(n *node.Node) { n.Fault = "broken" })
		}},
		{name: "it runs", change: func(_ *Roster, s Seen, _ *Policy) { s.change("web-0", func(n *node.Node) { n.Status = "ACTIVE" }) }},
		{name: "an hour is over", change: func(_ *Roster, s Seen, _ *Policy) { s.clock(noon.Add(time.Hour)) }},
		{name: "almost", change: func(_ *Roster, s Seen, _ *Policy) { s.clock(noon.Add(time.Hour - time.Second)) }, want: map[placement.Place]time.Time{az1: noon}},
		{name: "the clock went back a little", change: func(_ *Roster, s Seen, _ *Policy) { s.clock(noon.Add(time.Second - time.Hour)) }, want: map[placement.Place]time.Time{az1: noon}},
		{name: "or a lot", change: func(_ *Roster, s Seen, _ *Policy) { s.clock(noon.Add(-time.Hour)) }},
		{name: "there is no clock", change: func(_ *Roster, s Seen, _ *Policy) { s.clock(time.Time{}) }},
		{name: "the server is gone, the place stays full", change: func(r *Roster, s Seen, _ *Policy) {
			delete(r.Nodes, "web-0")
			delete(s.Servers, "web-0")
			s.Full[az1] = noon
		}, want: map[placement.Place]time.Time{az1: noon}},
		{name: "until the time is over", change: func(r *Roster, s Seen, _ *Policy) {
			delete(r.Nodes, "web-0")
			delete(s.Servers, "web-0")
			s.Full[az1] = noon.Add(-50 * time.Minute)
		}},
		{name: "a second server that found none counts", change: func(_ *Roster, s Seen, _ *Policy) { s.Full[az1] = noon.Add(-time.Minute) },
			want: map[placement.Place]time.Time{az1: noon}},
		{name: "a place more", change: func(_ *Roster, s Seen, _ *Policy) { s.Full[az2] = noon.Add(time.Minute) },
			want: map[placement.Place]time.Time{az1: noon, az2: noon.Add(time.Minute)}},
		{name: "of a leaving node too", change: func(r *Roster, _ Seen, _ *Policy) {
			r.Leaving = map[string]Node{"web-0": r.Nodes["web-0"]}
			delete(r.Nodes, "web-0")
		}, want: map[placement.Place]time.Time{az1: noon}},
		{name: "in a region without zones it is the region", change: func(_ *Roster, _ Seen, p *Policy) { p.Regions[0].Zones = nil },
			want: map[placement.Place]time.Time{{Region: "RegionOne"}: noon}},
		{name: "a zone that is not known closes no region", change: func(r *Roster, _ Seen, _ *Policy) {
			r.change("web-0", func(n *Node) { n.Zone = "" })
		}},
		{name: "0s forgets at once", change: func(_ *Roster, s Seen, p *Policy) { p.Update.RetryFullAfter, s.Full[az2] = 0, noon }},
		{name: "so does a cluster without update", change: func(_ *Roster, s Seen, p *Policy) { p.Update, s.Full[az2] = nil, noon }},
		{name: "the clock of the region counts", change: func(_ *Roster, s Seen, _ *Policy) {
			s.change("web-3", func(n *node.Node) { n.SeenAt = noon.Add(24 * time.Hour) })
		}, want: map[placement.Place]time.Time{az1: noon}},
		{name: "or that of another where it has none", change: func(r *Roster, s Seen, _ *Policy) {
			for _, name := range []string{"web-0", "web-1", "web-2"} {
				delete(r.Nodes, name)
				delete(s.Servers, name)
			}
			s.Full[az1] = noon.Add(-50 * time.Minute)
			s.Full[az2] = noon.Add(-40 * time.Minute)
		}, want: map[placement.Place]time.Time{az2: noon.Add(-40 * time.Minute)}},
	} {
		r := six(t, image("a"))
		seen := running(r)
		seen.clock(noon.Add(15 * time.Minute))
		seen.change("web-0", func(n *node.Node) { n.Status, n.Fault, n.CreatedAt = "ERROR", noHost, noon })
		p := policy(6)
		p.Update = update("1", Unhealthy)
		p.Update.RetryFullAfter = time.Hour
		c.change(&r, seen, &p)
		for range 2 {
			seen.Tell(r, p)
			if !maps.Equal(seen.Full, c.want) {
				t.Errorf("%s: got %v, want %v", c.name, seen.Full, c.want)
			}
		}
	}
}

// clock sets the time of the answers.
func (s Seen) clock(at time.Time) {
	for name := range s.Servers {
		s.change(name, func(n *node.Node) { n.SeenAt = at })
	}
}

// TestFull: what plans do with a place that is full.
func TestFull(t *testing.T) {
	az1 := placement.Place{Region: "RegionOne", Zone: "az-1"}
	for _, c := range []struct {
		name    string
		change  func(*Roster, Seen, *Policy)
		created string // places
		others  string // names that return, leave, or change
		notices []Title
	}{
		{name: "a growth goes elsewhere", change: func(_ *Roster, _ Seen, p *Policy) { p.Capacity = 7 },
			created: "RegionOne/az-2", notices: []Title{FullPlaces}},
		{name: "0s forgets at once", change: func(_ *Roster, _ Seen, p *Policy) { p.Capacity, p.Update.RetryFullAfter = 7, 0 }, created: "RegionOne/az-1"},
		{name: "no update remembers nothing", change: func(_ *Roster, _ Seen, p *Policy) { p.Capacity, p.Update = 7, nil }, created: "RegionOne/az-1"},
		{name: "where there is no other room it is tried again", change: func(_ *Roster, _ Seen, p *Policy) {
			p.Capacity, p.Regions[1].Cap, p.Regions[0].Zones = 8, 3, p.Regions[0].Zones[:1]
			p.Update.Causes = []Cause{Unhealthy}
		}, created: "RegionOne/az-1 RegionOne/az-1", notices: []Title{FullTried}},
		{name: "and where there is none at all that is an error", change: func(_ *Roster, _ Seen, p *Policy) {
			p.Capacity, p.Regions[0].Cap, p.Regions[1].Cap = 7, 3, 3
		}, created: "There is no feasible plan"},
		{name: "no node is moved there", change: func(r *Roster, _ Seen, _ *Policy) {
			r.change("web-0", func(n *Node) { n.Zone = "az-2" })
		}, notices: []Title{FullPlaces}},
		{name: "when that is over one is", change: func(r *Roster, s Seen, _ *Policy) {
			r.change("web-0", func(n *Node) { n.Zone = "az-2" })
			clear(s.Full)
		}, created: "RegionOne/az-1", others: "-web-0"},
		{name: "a server that is there comes back", change: func(r *Roster, s Seen, p *Policy) {
			p.Capacity = 7
			r.Next, r.Leaving = 7, map[string]Node{"web-6": {Index: 6, Place: az1, Generation: 1, Mark: "1", Served: true}}
			s.Servers["web-6"] = node.Node{ID: "id", Name: "web-6", Status: "ACTIVE", InService: "1"}
		}, others: "^web-6", notices: []Title{FullPlaces}},
		{name: "a node that keeps its place waits", change: func(_ *Roster, s Seen, p *Policy) {
			p.Update.Method = Recreate
			s.change("web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
		}, notices: []Title{FullPlaces, NoHost}},
		{name: "and is made again when that is over", change: func(_ *Roster, s Seen, p *Policy) {
			p.Update.Method = Recreate
			s.change("web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
			clear(s.Full)
		}, others: "~web-0"},
		{name: "an outdated node that serves there waits", change: func(r *Roster, s Seen, p *Policy) {
			p.Update.Causes, p.Templates = []Cause{Outdated}, images("a")
			for name, n := range r.Nodes {
				n.Template, n.Mark = image("a"), mark(image("a"))
				if n.Place == az1 {
					n.Template, n.Mark = image("old"), mark(image("old"))
				}
				r.Nodes[name] = n
				s.change(name, func(s *node.Node) { s.InService = string(n.Mark) })
			}
		}, notices: []Title{FullPlaces, PlacesClosed}},
		{name: "a place that is not listed is not spoken of", change: func(_ *Roster, _ Seen, p *Policy) {
			p.Regions = p.Regions[1:]
			p.Update.Causes = []Cause{Unhealthy}
		}},
	} {
		r := six(t, "")
		seen := running(r)
		seen.Full[az1] = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
		p := policy(6)
		p.Update = update("1", Unhealthy, Misplaced)
		p.Update.RetryFullAfter = time.Hour
		c.change(&r, seen, &p)
		next, change, err := Plan(r, seen, p)
		var created []string
		for _, name := range change.Names(Comes) {
			created = append(created, next.Nodes[name].String())
		}
		if err != nil {
			created = []string{fmt.Sprint(err)}
		}
		others := slices.DeleteFunc(strings.Fields(moves(change)), func(move string) bool { return move[0] == '+' })
		if got := strings.Join(created, " "); !strings.HasPrefix(got, c.created) || (got == "") != (c.created == "") || strings.Join(others, " ") != c.others ||
			!slices.Equal(titles(change.Notices), c.notices) {
			t.Errorf("%s: created in %q, others %q, %q", c.name, got, others, titles(change.Notices))
		}
		for _, n := range change.Notices {
			if n.Title == FullPlaces && !strings.Contains(n.Text, "RegionOne/az-1 (2026-11-01 12:00:00 UTC). For 1h from then on") {
				t.Errorf("%s: %s", c.name, n.Text)
			}
		}
	}
}

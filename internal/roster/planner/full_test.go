package planner

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stretchr/testify/assert"
)

// TestNoteTimesFull: a place is full for retry_full_after, counted from the creation of the server without a host, by
// the clock of the cloud. It does not stay full for ever, whatever the clocks do.
func TestNoteTimesFull(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	az1, az2 := placement.Place{Region: "RegionOne", Zone: "az-1"}, placement.Place{Region: "RegionOne", Zone: "az-2"}
	// web-0 found no host next to web-1 and web-2, and is in a group.
	grouped := func(members, host1, host2 string) func(*roster.Roster, roster.Seen, *roster.Policy) {
		return func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			group := node.Group(strings.Fields(members))
			changeRoster(*r, "web-1 web-2", func(n *roster.Node) { n.Zone = "az-1" })
			changeSeen(s, "web-0", func(n *node.Node) { n.Group = &group })
			changeSeen(s, "web-1", func(n *node.Node) { n.HostID = host1 })
			changeSeen(s, "web-2", func(n *node.Node) { n.HostID = host2 })
		}
	}
	for _, c := range []struct {
		name   string
		change func(*roster.Roster, roster.Seen, *roster.Policy)
		want   map[roster.Spot]time.Time
		apart  string // the nodes of az-1 that wait for their server group
	}{
		{name: "a server found no host", change: func(*roster.Roster, roster.Seen, *roster.Policy) {}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "with other words", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			changeSeen(s, "web-0", func(n *node.Node) { n.Fault = noRetry })
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "it failed for another reason", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			changeSeen(s, "web-0", func(n *node.Node) { n.Fault = "broken" })
		}},
		{name: "it runs", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			changeSeen(s, "web-0", func(n *node.Node) { n.Status = "ACTIVE" })
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
		{name: "there is no clock", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { clockSeen(s, time.Time{}) }},
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
			changeRoster(*r, "web-0", func(n *roster.Node) { n.Zone = "" })
		}},
		{name: "0s forgets at once", change: func(_ *roster.Roster, s roster.Seen, p *roster.Policy) {
			p.Update.RetryFullAfter, s.Full[roster.Spot{Place: az2}] = 0, noon
		}},
		{name: "so does a cluster without update", change: func(_ *roster.Roster, s roster.Seen, p *roster.Policy) {
			p.Update, s.Full[roster.Spot{Place: az2}] = nil, noon
		}},
		{name: "the clock of the region counts", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			changeSeen(s, "web-3", func(n *node.Node) { n.SeenAt = noon.Add(24 * time.Hour) })
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "or that of another where it has none", change: func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			for _, name := range []string{"web-0", "web-1", "web-2"} {
				delete(r.Nodes, name)
				delete(s.Servers, name)
			}
			s.Full[roster.Spot{Place: az1}] = noon.Add(-50 * time.Minute)
			s.Full[roster.Spot{Place: az2}] = noon.Add(-40 * time.Minute)
		}, want: map[roster.Spot]time.Time{{Place: az2}: noon.Add(-40 * time.Minute)}},
		{name: "the hosts there have servers of its group", change: grouped("id-web-0 id-web-2", "a", "a"), want: map[roster.Spot]time.Time{{Place: az1}: noon},
			apart: "web-0 web-2"},
		{name: "one of them has none", change: grouped("id-web-0 id-web-2", "a", "b"), want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "no host is known", change: grouped("id-web-0 id-web-2", "", ""), want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "another found none without the group", change: func(r *roster.Roster, s roster.Seen, p *roster.Policy) {
			grouped("id-web-0 id-web-2", "a", "a")(r, s, p)
			changeSeen(s, "web-1", func(n *node.Node) { n.Status, n.Fault, n.CreatedAt = "ERROR", noHost, noon })
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
		{name: "nor did one before", change: func(r *roster.Roster, s roster.Seen, p *roster.Policy) {
			grouped("id-web-0 id-web-2", "a", "a")(r, s, p)
			s.Full[roster.Spot{Place: az1}] = noon.Add(-time.Minute)
		}, want: map[roster.Spot]time.Time{{Place: az1}: noon}},
	} {
		r := six(t, image("a"))
		seen := running(r)
		clockSeen(seen, noon.Add(15*time.Minute))
		changeSeen(seen, "web-0", func(n *node.Node) { n.Status, n.Fault, n.CreatedAt = "ERROR", noHost, noon })
		p := policy(6)
		p.Update = update("1", roster.Unhealthy)
		p.Update.RetryFullAfter = time.Hour
		c.change(&r, seen, &p)
		for range 2 {
			learn.NoteTimes(&seen, r, p)
			if !maps.Equal(seen.Full, c.want) {
				t.Errorf("%s: got %v, want %v", c.name, seen.Full, c.want)
			}
			assert.Equal(t, c.apart, strings.Join(seen.Apart[az1], " "), c.name)
		}
	}
}

// clockSeen sets the time of the answers.
func clockSeen(s roster.Seen, at time.Time) {
	for name := range s.Servers {
		changeSeen(s, name, func(n *node.Node) { n.SeenAt = at })
	}
}

// TestFull has plans with a full place.
func TestFull(t *testing.T) {
	az1 := placement.Place{Region: "RegionOne", Zone: "az-1"}
	full := func(s roster.Seen) { s.Full[roster.Spot{Place: az1}] = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }
	noHostToo := func(s roster.Seen) {
		full(s)
		changeSeen(s, "web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
	}
	grouped := func(s roster.Seen) { // by the server of a node that has left
		full(s)
		s.Apart[az1] = []string{"web-9"}
	}
	shared := func(s roster.Seen) {
		full(s)
		s.Apart[az1] = []string{"web-0"}
	}
	beside := func(r *roster.Roster) { changeRoster(*r, "web-1", func(n *roster.Node) { n.Zone = "az-1" }) }
	outdated := func(p *roster.Policy) { p.Update.Causes = []roster.Cause{roster.Outdated} }
	old := func(r *roster.Roster, names string) {
		changeRoster(*r, names, func(n *roster.Node) { n.Template, n.Mark = image("old"), roster.FirstMark(image("old")) })
	}
	moved := func(r *roster.Roster) { changeRoster(*r, "web-0", func(n *roster.Node) { n.Zone = "az-2" }) }
	plans(t, func(p *roster.Policy) {
		p.Update = update("1", roster.Unhealthy, roster.Misplaced)
		p.Update.RetryFullAfter = time.Hour
	}, []planned{
		{name: "a growth goes elsewhere", seen: full, policy: func(p *roster.Policy) { p.Capacity = 7 },
			moves: "+web-6", to: "RegionOne/az-2", notices: []string{"Places are full"}, told: "...are tried again after retry_full_after: " +
				"RegionOne/az-1 (until 2026-11-01 13:00:00 UTC). Until then..."},
		{name: "a shrink does not speak of it", seen: full, policy: func(p *roster.Policy) { p.Capacity, p.Criteria = 5, "HIGHEST_INDEX_FIRST" },
			moves: "-web-4"},
		{name: "0s forgets at once", seen: full, policy: func(p *roster.Policy) { p.Capacity, p.Update.RetryFullAfter = 7, 0 },
			moves: "+web-6", to: "RegionOne/az-1"},
		{name: "no update remembers nothing", seen: full, policy: func(p *roster.Policy) { p.Capacity, p.Update = 7, nil },
			moves: "+web-6", to: "RegionOne/az-1"},
		{name: "where there is no other room nodes wait until it is tried again", seen: full, policy: func(p *roster.Policy) {
			p.Capacity, p.Regions[1].Cap, p.Regions[0].Zones = 8, 3, p.Regions[0].Zones[:1]
			p.Update.Causes = []roster.Cause{roster.Unhealthy}
		}, notices: []string{"Nodes are not made"}, status: "held: Nova found no host for 2 of 8 nodes"},
		{name: "no node is moved there", roster: moved, seen: full, notices: []string{"Places are full"}},
		{name: "when that is over one is", roster: moved, moves: "+web-6 -web-0", to: "RegionOne/az-1"},
		{name: "a server that is there comes back", roster: func(r *roster.Roster) {
			r.Next, r.Leaving = 7, map[string]roster.Node{"web-6": {Index: 6, Place: az1, Template: image("a"), Generation: 1, Mark: "1", Served: true}}
		}, seen: func(s roster.Seen) {
			full(s)
			s.Servers["web-6"] = node.Node{ID: "id", Name: "web-6", Status: "ACTIVE", InService: "1"}
		}, policy: func(p *roster.Policy) { p.Capacity = 7 }, moves: "^web-6", notices: []string{"Places are full"}},
		{name: "a node that keeps its place waits", seen: noHostToo, policy: func(p *roster.Policy) { p.Update.Method = roster.Recreate },
			remaining: 1, notices: []string{"Places are full", "Nodes wait for a host"}, status: "held: Nova found no host for web-0 (RegionOne/az-1)"},
		{name: "and is made again when that is over", seen: func(s roster.Seen) { noHostToo(s); clear(s.Full) },
			policy: func(p *roster.Policy) { p.Update.Method = roster.Recreate },
			moves:  "~web-0"},
		{name: "an outdated node that serves there waits", roster: func(r *roster.Roster) { old(r, "web-0") }, seen: full, policy: outdated, remaining: 1,
			notices: []string{"Places are full", "Nodes wait for their places"}},
		{name: "a growth goes where only a group found none", seen: grouped, policy: func(p *roster.Policy) { p.Capacity = 7 },
			moves: "+web-6", to: "RegionOne/az-1", notices: []string{"Places are full"},
			told: "...RegionOne/az-1 (until 2026-11-01 13:00:00 UTC, for a server group: only its nodes wait)..."},
		{name: "no node is moved there either", seen: grouped, policy: func(p *roster.Policy) { p.Regions[0].Zones[0].Weight = 1000 },
			notices: []string{"Places are full"}},
		{name: "a node of the group waits", roster: func(r *roster.Roster) { beside(r); old(r, "web-0") }, seen: shared,
			policy: outdated, remaining: 1, notices: []string{"Places are full", "Nodes wait for their places"},
			told: "...web-0 (RegionOne/az-1 has no host for its server group)..."},
		{name: "another one does not", roster: func(r *roster.Roster) { beside(r); old(r, "web-1") }, seen: shared,
			policy: outdated, moves: "+web-6 -web-1", to: "RegionOne/az-2", notices: []string{"Places are full"}},
		{name: "a place that is not listed is not spoken of", seen: full, policy: func(p *roster.Policy) {
			p.Regions = p.Regions[1:]
			p.Update.Causes = []roster.Cause{roster.Unhealthy}
		}},
	})
}

// TestFlavors: new nodes get the first flavor of their place that is not full, and no node that serves changes for that, unless
// FLAVOR is a cause. A place is full where all its flavors are.
func TestFlavors(t *testing.T) {
	az1 := placement.Place{Region: "R", Zone: "1"}
	zones := []placement.Region{{Bin: bin("R", 100), Zones: []placement.Bin{bin("1", 100), bin("2", 100)}}}
	full := func(s roster.Seen, at placement.Place, flavors ...string) {
		for _, f := range flavors {
			s.Full[roster.Spot{Place: at, Flavor: f}] = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
		}
	}
	has := func(flavors string) func(*roster.Roster) {
		return func(r *roster.Roster) {
			for i, f := range strings.Fields(flavors) {
				changeRoster(*r, web(int64(i)), func(n *roster.Node) { n.Flavor = f })
			}
		}
	}
	homeless := func(s roster.Seen) {
		changeSeen(s, "web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
	}
	lists := func(p *roster.Policy) { p.Flavors = roster.Flavors{{}: {"big", "small"}} }
	alone := func(p *roster.Policy) { p.Update.RetryFullAfter = 0 }
	recreate := func(p *roster.Policy) { p.Update.Method = roster.Recreate }
	elsewhere := func(p *roster.Policy) { p.Elsewhere = true }
	told := []string{"Places are full"}
	for _, c := range []struct {
		planned
		flavors string // flavors of the nodes after the plan, by index
	}{
		{planned{name: "the reason names the flavor", seen: homeless, reasons: []string{"web-0: replaced (UNHEALTHY) in R/1: its server is in ERROR (" +
			noHost + "); it asked for big in R/1"}}, ""},
		{planned{name: "the one that comes first, too", roster: has("small big"), update: update("1", roster.LaterFlavor),
			reasons: []string{"web-0: replaced (FLAVOR) in R/1: it has small, and big comes first"}}, ""},
		{planned{name: "the first one", capacity: 4, moves: "+web-2 +web-3"}, "big big big big"},
		{planned{name: "a zone has its own", capacity: 4, policy: func(p *roster.Policy) {
			p.Flavors = roster.Flavors{{}: {"big", "small"}, az1: {"local"}}
		}, moves: "+web-2 +web-3"}, "big big local big"},
		{planned{name: "the next one where the first is full", capacity: 4, seen: func(s roster.Seen) { full(s, az1, "big") },
			moves: "+web-2 +web-3", notices: told, told: "Nova found no host for a server in these places, which are tried again " +
				"after retry_full_after: big in R/1 (until 2026-11-01 13:00:00 UTC). Until then no node gets such a flavor there..."}, "big big small big"},
		{planned{name: "elsewhere where all are", capacity: 4, seen: func(s roster.Seen) { full(s, az1, "big", "small") },
			moves: "+web-2 +web-3", to: "R/2 R/2", notices: told}, "big big big big"},
		{planned{name: "first elsewhere where that is preferred", capacity: 4, seen: func(s roster.Seen) { full(s, az1, "big") }, policy: elsewhere,
			moves: "+web-2 +web-3", to: "R/2 R/2", notices: told}, "big big big big"},
		{planned{name: "from where no node moves back", roster: func(r *roster.Roster) {
			has("big big")(r)
			changeRoster(*r, "web-0", func(n *roster.Node) { n.Zone = "2" })
		}, update: update("1", roster.Misplaced), seen: func(s roster.Seen) { full(s, az1, "big") }, policy: elsewhere, notices: told}, "big big"},
		{planned{name: "until one would", roster: func(r *roster.Roster) {
			has("big big")(r)
			changeRoster(*r, "web-0", func(n *roster.Node) { n.Zone = "2" })
		}, update: update("1", roster.Misplaced), policy: elsewhere, moves: "+web-2 -web-0", to: "R/1"}, "big big"},
		{planned{name: "and the next one where no other place has room", capacity: 4, seen: func(s roster.Seen) { full(s, az1, "big") },
			policy: func(p *roster.Policy) {
				elsewhere(p)
				p.Regions = []placement.Region{{Bin: bin("R", 100), Zones: []placement.Bin{bin("1", 100), {Name: "2", Weight: 100, Cap: 1}}}}
			}, moves: "+web-2 +web-3", to: "R/1 R/1", notices: told}, "big big small small"},
		{planned{name: "a place that is full for another flavor is not full", capacity: 4, seen: func(s roster.Seen) { full(s, az1, "other") },
			moves: "+web-2 +web-3"}, "big big big big"},
		{planned{name: "the next one where a quota has no room", capacity: 6, policy: func(p *roster.Policy) {
			p.Rooms = map[string]map[string]int64{"R": {"big": 1, "small": 2}}
		}, moves: "+web-2 +web-3 +web-4 +web-5"}, "big big big small small big"},
		{planned{name: "a node without a host gets the next one, in its place", seen: func(s roster.Seen) { homeless(s); full(s, az1, "big") },
			moves: "+web-2 -web-0", to: "R/1", notices: told}, "big small"},
		{planned{name: "also where nothing is remembered", seen: homeless, policy: alone, moves: "+web-2 -web-0", to: "R/1"}, "big small"},
		{planned{name: "and elsewhere once all are full", roster: has("small big"), seen: func(s roster.Seen) { homeless(s); full(s, az1, "big", "small") },
			moves: "+web-2 -web-0", to: "R/2", notices: told}, "big big"},
		{planned{name: "in its place where it keeps its name", seen: func(s roster.Seen) { homeless(s); full(s, az1, "big") }, policy: recreate,
			moves: "~web-0", notices: told}, "small big"},
		{planned{name: "where it waits once all are full", roster: has("small big"), seen: func(s roster.Seen) { homeless(s); full(s, az1, "big", "small") },
			policy: recreate, remaining: 1, notices: []string{"Places are full", "Nodes wait for a host"}}, "small big"},
		{planned{name: "a later flavor stays", roster: has("small big"), moves: ""}, "small big"},
		{planned{name: "unless FLAVOR is a cause", roster: has("small big"), update: update("1", roster.LaterFlavor),
			moves: "+web-2 -web-0", to: "R/1"}, "big big"},
		{planned{name: "and the first one is not full", roster: has("small big"), update: update("1", roster.LaterFlavor), notices: told,
			seen: func(s roster.Seen) { full(s, az1, "big") }}, "small big"},
		{planned{name: "one that is not listed is later than all", roster: has("old big"), update: update("1", roster.LaterFlavor),
			seen: func(s roster.Seen) { full(s, az1, "big") }, moves: "+web-2 -web-0", notices: told}, "big small"},
		{planned{name: "in place it stays for a template", roster: has("small big"), image: "2", update: byUpdate(update("2", roster.Outdated), roster.InPlace),
			moves: "~web-0 ~web-1"}, "small big"},
		{planned{name: "and a server that is made again gets the first", roster: has("small big"), image: "2",
			update: byUpdate(update("2", roster.Outdated), roster.Recreate), moves: "~web-0 ~web-1"}, "big big"},
	} {
		c.nodes, c.regions = []string{"R/1 1", "R/2 1"}, zones
		if c.image == "" {
			c.image = "1"
		}
		own, more := c.roster, c.policy
		c.policy = func(p *roster.Policy) {
			if p.Update.RetryFullAfter = time.Hour; more != nil {
				more(p)
			}
		}
		c.roster = func(r *roster.Roster) {
			if own == nil {
				own = has("big big")
			}
			own(r)
		}
		var got []string
		c.then = func(next roster.Roster) {
			for _, name := range next.Names() {
				got = append(got, next.Nodes[name].Flavor)
			}
		}
		plans(t, func(p *roster.Policy) {
			p.Update = update("1", roster.Unhealthy)
			p.Update.StopAbove = amount("100%")
			lists(p)
		}, []planned{c.planned})
		if want := strings.Fields(c.flavors); !slices.Equal(got, want) {
			t.Errorf("%s: the flavors are %v, want %v", c.name, got, want)
		}
	}
}

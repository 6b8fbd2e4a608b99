package decide_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFull has plans with a full place.
func TestFull(t *testing.T) {
	az1 := placement.Place{Region: "RegionOne", Zone: "az-1"}
	full := func(s roster.Seen) { s.Full[roster.Spot{Place: az1}] = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }
	noHostToo := func(s roster.Seen) {
		full(s)
		plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", plans.NoHost })
	}
	outdated := func(p *roster.Policy) { p.Update.Causes = []roster.Cause{roster.Outdated} }
	old := func(r *roster.Roster, names string) {
		plans.ChangeRoster(*r, names, func(n *roster.Node) { n.Template, n.Mark = plans.Image("old"), roster.MarkOf(1, plans.Image("old")) })
	}
	moved := func(r *roster.Roster) { plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Zone = "az-2" }) }
	plans.Check(t, planner.Plan, func(p *roster.Policy) {
		p.Update = plans.Update("1", roster.Unhealthy, roster.Misplaced)
	}, []plans.Case{
		{Name: "a growth goes elsewhere", Seen: full, Policy: func(p *roster.Policy) { p.Capacity = 7 },
			Moves: "+web-6", To: "RegionOne/az-2", Notices: []string{"Places are full"}, Told: "...tried again after an hour: " +
				"RegionOne/az-1 (until 2026-11-01 13:00:00 UTC). Until then..."},
		{Name: "a shrink does not speak of it", Seen: full, Policy: func(p *roster.Policy) { p.Capacity, p.Criteria = 5, "HIGHEST_INDEX_FIRST" },
			Moves: "-web-4"},
		{Name: "no update remembers nothing", Seen: full, Policy: func(p *roster.Policy) { p.Capacity, p.Update = 7, nil },
			Moves: "+web-6", To: "RegionOne/az-1"},
		{Name: "where there is no other room nodes wait until it is tried again", Seen: full, Policy: func(p *roster.Policy) {
			p.Capacity, p.Regions[1].Cap, p.Regions[0].Zones = 8, 3, p.Regions[0].Zones[:1]
			p.Update.Causes = []roster.Cause{roster.Unhealthy}
		}, Notices: []string{"Places are full"}, Status: "held: no place has room for 2 of 8 nodes (full, or at a cap)"},
		{Name: "no node is moved there", Roster: moved, Seen: full, Notices: []string{"Places are full"}},
		{Name: "when that is over one is", Roster: moved, Moves: "+web-6 -web-0", To: "RegionOne/az-1"},
		{Name: "a server that is there comes back", Roster: func(r *roster.Roster) {
			r.Next, r.Leaving = 7, map[string]roster.Node{"web-6": {Index: 6, Place: az1, Template: plans.Image("a"), Generation: 1, Mark: "1", Served: true}}
		}, Seen: func(s roster.Seen) {
			full(s)
			s.Servers["web-6"] = node.Node{ID: "id", Name: "web-6", Status: "ACTIVE", InService: "1"}
		}, Policy: func(p *roster.Policy) { p.Capacity = 7 }, Moves: "^web-6", Notices: []string{"Places are full"}},
		{Name: "a node that keeps its place waits", Seen: noHostToo, Policy: func(p *roster.Policy) { p.Update.Method = roster.Recreate },
			Remaining: 1, Notices: []string{"Places are full", "Nodes wait for a host"}, Status: "held: Nova found no host for web-0 (RegionOne/az-1)"},
		{Name: "and is made again when that is over", Seen: func(s roster.Seen) { noHostToo(s); clear(s.Full) },
			Policy: func(p *roster.Policy) { p.Update.Method = roster.Recreate },
			Moves:  "~web-0"},
		{Name: "an outdated node that serves there waits", Roster: func(r *roster.Roster) { old(r, "web-0") }, Seen: full, Policy: outdated, Remaining: 1,
			Notices: []string{"Places are full"}},
		{Name: "a place that is not listed is not spoken of", Seen: full, Policy: func(p *roster.Policy) {
			p.Regions = p.Regions[1:]
			p.Update.Causes = []roster.Cause{roster.Unhealthy}
		}},
	})
}

// TestFlavors: new nodes get the first flavor of their place that is not full, and no node that serves changes for that, unless
// FLAVOR is a cause. A place is full where all its flavors are.
func TestFlavors(t *testing.T) {
	az1 := placement.Place{Region: "R", Zone: "1"}
	zones := []placement.Region{{Bin: plans.Bin("R", 100), Zones: []placement.Bin{plans.Bin("1", 100), plans.Bin("2", 100)}}}
	full := func(s roster.Seen, at placement.Place, flavors ...string) {
		for _, f := range flavors {
			s.Full[roster.Spot{Place: at, Flavor: f}] = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
		}
	}
	has := func(flavors string) func(*roster.Roster) {
		return func(r *roster.Roster) {
			for i, f := range strings.Fields(flavors) {
				plans.ChangeRoster(*r, plans.Web(int64(i)), func(n *roster.Node) { n.Flavor = f })
			}
		}
	}
	homeless := func(s roster.Seen) {
		plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Status, n.Fault = "ERROR", plans.NoHost })
	}
	lists := func(p *roster.Policy) { p.Flavors = roster.Flavors{{}: {"big", "small"}} }
	recreate := func(p *roster.Policy) { p.Update.Method = roster.Recreate }
	told := []string{"Places are full"}
	for _, c := range []struct {
		plans.Case
		flavors string // flavors of the nodes after the plan, by index
	}{
		{plans.Case{Name: "the reason names the flavor", Seen: homeless, Reasons: []string{"web-0: replaced (UNHEALTHY): its server is in ERROR (" +
			plans.NoHost + "); it asked for big in R/1"}}, ""},
		{plans.Case{Name: "the one that comes first, too", Roster: has("small big"), Update: plans.Update("1", roster.LaterFlavor),
			Reasons: []string{"web-0: replaced (FLAVOR): it has small, and big comes first"}}, ""},
		{plans.Case{Name: "the first one", Capacity: 4, Moves: "+web-2 +web-3"}, "big big big big"},
		{plans.Case{Name: "a zone has its own", Capacity: 4, Policy: func(p *roster.Policy) {
			p.Flavors = roster.Flavors{{}: {"big", "small"}, az1: {"local"}}
		}, Moves: "+web-2 +web-3"}, "big big local big"},
		{plans.Case{Name: "the next one where the first is full", Capacity: 4, Seen: func(s roster.Seen) { full(s, az1, "big") },
			Moves: "+web-2 +web-3", Notices: told,
			Told: "Nova found no host for a server in these places. They are tried again " +
				"after an hour: big in R/1 (until 2026-11-01 13:00:00 UTC). Until then no node gets such a flavor there..."}, "big big small big"},
		{plans.Case{Name: "elsewhere where all are", Capacity: 4, Seen: func(s roster.Seen) { full(s, az1, "big", "small") },
			Moves: "+web-2 +web-3", To: "R/2 R/2", Notices: told}, "big big big big"},
		{plans.Case{Name: "a place that is full for another flavor is not full", Capacity: 4, Seen: func(s roster.Seen) { full(s, az1, "other") },
			Moves: "+web-2 +web-3"}, "big big big big"},
		{plans.Case{Name: "the next one where a quota has no room", Capacity: 6, Policy: func(p *roster.Policy) {
			p.Rooms = map[string]map[string]int64{"R": {"big": 1, "small": 2}}
		}, Moves: "+web-2 +web-3 +web-4 +web-5"}, "big big big small small big"},
		{plans.Case{Name: "a node without a host gets the next one, in its place", Seen: func(s roster.Seen) { homeless(s); full(s, az1, "big") },
			Moves: "+web-2 -web-0", To: "R/1", Notices: told}, "big small"},
		{plans.Case{Name: "also where nothing is remembered", Seen: homeless, Moves: "+web-2 -web-0", To: "R/1"}, "big small"},
		{plans.Case{Name: "and elsewhere once all are full", Roster: has("small big"), Seen: func(s roster.Seen) { homeless(s); full(s, az1, "big", "small") },
			Moves: "+web-2 -web-0", To: "R/2", Notices: told}, "big big"},
		{plans.Case{Name: "in its place where it keeps its name", Seen: func(s roster.Seen) { homeless(s); full(s, az1, "big") }, Policy: recreate,
			Moves: "~web-0", Notices: told}, "small big"},
		{plans.Case{Name: "where it waits once all are full", Roster: has("small big"), Seen: func(s roster.Seen) { homeless(s); full(s, az1, "big", "small") },
			Policy: recreate, Remaining: 1, Notices: []string{"Places are full", "Nodes wait for a host"}}, "small big"},
		{plans.Case{Name: "a later flavor stays", Roster: has("small big"), Moves: ""}, "small big"},
		{plans.Case{Name: "unless FLAVOR is a cause", Roster: has("small big"), Update: plans.Update("1", roster.LaterFlavor),
			Moves: "+web-2 -web-0", To: "R/1"}, "big big"},
		{plans.Case{Name: "and the first one is not full", Roster: has("small big"), Update: plans.Update("1", roster.LaterFlavor), Notices: told,
			Seen: func(s roster.Seen) { full(s, az1, "big") }}, "small big"},
		{plans.Case{Name: "one that is not listed is later than all", Roster: has("old big"), Update: plans.Update("1", roster.LaterFlavor),
			Seen: func(s roster.Seen) { full(s, az1, "big") }, Moves: "+web-2 -web-0", Notices: told}, "big small"},
		{plans.Case{Name: "in place it stays for a template", Roster: has("small big"), Image: "2",
			Update: plans.ByUpdate(plans.Update("2", roster.Outdated), roster.InPlace),
			Moves:  "~web-0 ~web-1"}, "small big"},
		{plans.Case{Name: "and a server that is made again gets the first", Roster: has("small big"), Image: "2",
			Update: plans.ByUpdate(plans.Update("2", roster.Outdated), roster.Recreate), Moves: "~web-0 ~web-1"}, "big big"},
	} {
		c.Nodes, c.Regions = []string{"R/1 1", "R/2 1"}, zones
		if c.Image == "" {
			c.Image = "1"
		}
		own := c.Roster
		c.Roster = func(r *roster.Roster) {
			if own == nil {
				own = has("big big")
			}
			own(r)
		}
		var got []string
		c.Then = func(next roster.Roster) {
			for _, name := range next.Names() {
				got = append(got, next.Nodes[name].Flavor)
			}
		}
		plans.Check(t, planner.Plan, func(p *roster.Policy) {
			p.Update = plans.Update("1", roster.Unhealthy)
			p.Update.StopAbove = plans.Amount("100%")
			lists(p)
		}, []plans.Case{c.Case})
		if want := strings.Fields(c.flavors); !slices.Equal(got, want) {
			t.Errorf("%s: the flavors are %v, want %v", c.Name, got, want)
		}
	}
}

// TestFlavorIsCorrected: a node that has no server gets a flavor of the list that is wanted now.
func TestFlavorIsCorrected(t *testing.T) {
	p := plans.Policy(2)
	p.Flavors, p.RequireMarks = roster.Flavors{{}: {"m1.smal"}}, true
	first, _, err := planner.Plan(roster.Roster{}, roster.NewSeen(), p)
	require.NoError(t, err)
	seen := plans.Running(first)
	plans.LoseSeen(seen, "web-0")
	p.Flavors = roster.Flavors{{}: {"m1.small", "m1.large"}}
	fixed, change, err := planner.Plan(first, seen, p)
	require.NoError(t, err)
	assert.Equal(t, "~web-0", plans.Moves(change))
	assert.Equal(t, "m1.small", fixed.Nodes["web-0"].Flavor)
	assert.Equal(t, "replaced (TEMPLATE): it has m1.smal, which is not listed; it never had a server", change.List[0].Reason)
}

package planner

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// six is a cluster of six nodes: web-0 to web-2 in the zones of RegionOne, web-3
// and web-4 in RegionTwo/az-1, web-5 in az-2.
func six(t testing.TB, template roster.Template) roster.Roster {
	p := policy(6)
	if template != "" {
		p.Templates = roster.Templates{placement.Place{}: template}
	}
	r, _, err := Plan(roster.Roster{}, roster.Seen{}, p)
	require.NoError(t, err)
	return gone(r)
}

// TestReasons has the sentence about each node that is removed, word for word.
func TestReasons(t *testing.T) {
	plans(t, func(p *roster.Policy) { p.Templates = nil }, []planned{
		{name: "oldest", capacity: 5,
			reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; oldest unprotected, created 2026-11-01"}},
		{name: "youngest, with protected neighbours", policy: func(p *roster.Policy) {
			p.Capacity, p.Criteria, p.Protected = 4, deletion.YoungestFirst, []string{"web-4", "id-web-5"}
		},
			seen: func(s roster.Seen) { changeSeen(s, "web-2", func(n *node.Node) { n.Locked, n.Protected = true, true }) },
			reasons: []string{
				"web-1: RegionOne/az-2 loses 1 of 1; youngest unprotected, created 2026-11-01",
				"web-3: RegionTwo/az-1 loses 1 of 2; youngest unprotected, created 2026-11-01 at 00:00:03 UTC; web-4 is listed as protected",
			}},
		{name: "by lot", capacity: 5, policy: func(p *roster.Policy) { p.Criteria = deletion.Random },
			reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2; drawn by lot from the unprotected (RANDOM)"}},
		{name: "oldest template", policy: func(p *roster.Policy) {
			p.Capacity, p.Criteria, p.Templates = 5, deletion.OldestProfileFirst, images("a")
		},
			reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; made from the oldest template"}},
		{name: "oldest profile", capacity: 5, policy: func(p *roster.Policy) { p.Criteria = deletion.OldestProfileFirst },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-3", func(n *node.Node) { n.ProfileCreatedAt = time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC) })
			},
			reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2; oldest profile, of 2026-03-01"}},
		{name: "oldest profile of no known age", capacity: 5, policy: func(p *roster.Policy) { p.Criteria = deletion.OldestProfileFirst },
			reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; oldest profile, of an unknown age"}},
		{name: "not in service", capacity: 2,
			seen: func(s roster.Seen) {
				loseSeen(s, "web-1")
				changeSeen(s, "web-2", func(n *node.Node) { n.Status = "BUILD" })
				changeSeen(s, "web-3", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost+" And so on, until nobody reads any further." })
				changeSeen(s, "web-5", func(n *node.Node) { n.Status = "ERROR" })
			},
			reasons: []string{
				"web-1: RegionOne/az-2 loses 1 of 1; not in service: no server of its name was found",
				"web-2: RegionOne/az-3 loses 1 of 1; not in service: its server is in BUILD",
				"web-3: RegionTwo/az-1 loses 1 of 2; not in service: its server is in ERROR (No valid host was found. There are not enough hosts " +
					"available. And so on, until ...)",
				"web-5: RegionTwo/az-2 loses 1 of 1; not in service: its server is in ERROR",
			}},
		{name: "a fault of the past is none", capacity: 5,
			seen:    func(s roster.Seen) { changeSeen(s, "web-1", func(n *node.Node) { n.Fault = noHost }) },
			reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; oldest unprotected, created 2026-11-01"}},
		{name: "without the mark", policy: func(p *roster.Policy) {
			p.Capacity, p.Templates, p.Update = 4, images("a"), update("1")
			p.RequireMarks = true
		},
			seen: func(s roster.Seen) {
				changeSeen(s, "web-1", func(n *node.Node) { n.InService = "" })
				changeSeen(s, "web-2", func(n *node.Node) { n.InService = "2-0000" })
			},
			reasons: []string{
				"web-1: RegionOne/az-2 loses 1 of 1; not in service: it is not marked as in service",
				"web-2: RegionOne/az-3 loses 1 of 1; not in service: it is marked as in service with 2-0000, not 1-" + image("a").Hash(),
			}},
		{name: "tainted, unknown, never looked at", capacity: 3, policy: func(p *roster.Policy) { p.Criteria = deletion.YoungestFirst },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-0", func(n *node.Node) { n.Tainted = true })
				changeSeen(s, "web-3", func(n *node.Node) { n.Status = "UNKNOWN" })
				delete(s.Servers, "web-2")
			},
			reasons: []string{
				"web-0: RegionOne/az-1 loses 1 of 1; marked as tainted",
				"web-2: RegionOne/az-3 loses 1 of 1; made by the last apply and not looked at since",
				"web-3: RegionTwo/az-1 loses 1 of 2; not in service: its server is in UNKNOWN",
			}},
		{name: "oldest, of servers of two days", capacity: 5,
			seen: func(s roster.Seen) {
				changeSeen(s, "web-3", func(n *node.Node) { n.CreatedAt = n.CreatedAt.Add(-24 * time.Hour) })
			},
			reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2; oldest unprotected, created 2026-10-31"}},
		{name: "oldest profile, of images of one day", capacity: 5, policy: func(p *roster.Policy) { p.Criteria = deletion.OldestProfileFirst },
			seen: func(s roster.Seen) {
				for i, name := range []string{"web-4", "web-3"} {
					changeSeen(s, name, func(n *node.Node) { n.ProfileCreatedAt = time.Date(2026, 3, 1, i, 0, 0, 0, time.UTC) })
				}
			},
			reasons: []string{"web-4: RegionTwo/az-1 loses 1 of 2; oldest profile, of 2026-03-01 at 00:00:00 UTC"}},
		{name: "created at an unknown time", capacity: 5,
			seen:    func(s roster.Seen) { changeSeen(s, "web-3", func(n *node.Node) { n.CreatedAt = time.Time{} }) },
			reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2; oldest unprotected, created at an unknown time"}},
		{name: "a region that is not listed", policy: func(p *roster.Policy) { p.Capacity, p.Regions = 5, p.Regions[:1] },
			reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2: it is not listed; oldest unprotected, created 2026-11-01 at 00:00:03 UTC"}},
		{name: "above a cap, of the zone or its " +
			"region", policy: func(p *roster.Policy) { p.Capacity, p.Regions[0].Zones[2].Cap, p.Regions[1].Cap = 4, 0, 2 },
			reasons: []string{
				"web-2: RegionOne/az-3 loses 1 of 1: it is above its cap of 0; oldest unprotected, created 2026-11-01",
				"web-3: RegionTwo/az-1 loses 1 of 2: it is above its cap of 2; oldest unprotected, created 2026-11-01 at 00:00:03 UTC",
			}},
		{name: "many protected neighbours", policy: func(p *roster.Policy) {
			p.Capacity, p.Regions, p.Protected = 5, []placement.Region{{Bin: bin("RegionTwo", 1)}}, []string{"web-0", "web-1", "web-2", "web-3", "web-4"}
		},
			reasons: []string{"web-5: RegionTwo/az-2 loses 1 of 1; oldest unprotected, created 2026-11-01"}},
		{name: "the oldest, where no update would replace another one", policy: func(p *roster.Policy) {
			p.Capacity, p.Update, p.Templates = 5, update("2"), roster.Templates{{}: image("a"), {Region: "RegionOne", Zone: "az-3"}: image("b")}
		},
			reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; oldest unprotected, created 2026-11-01"}},
		{name: "of places that are equally full the one that it would", policy: func(p *roster.Policy) {
			p.Capacity, p.Update, p.Templates = 5, update("2", roster.Outdated), roster.Templates{{}: image("a"), {Region: "RegionOne",
				Zone: "az-3"}: image("b")}
		},
			reasons: []string{"web-2: RegionOne/az-3 loses 1 of 1; outdated, so that the update would replace it: " +
				"oldest unprotected, created 2026-11-01"}},
		{name: "a closed place", policy: func(p *roster.Policy) {
			p.Capacity, p.Regions = 5, p.Regions[1:]
			closePolicy(p, "RegionTwo", "")
			p.Protected = []string{"web-0", "web-1", "web-2"}
		},
			reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2: it is closed, and no open place can lose a node; oldest unprotected, created " +
				"2026-11-01 at 00:00:03 UTC"}},
		{name: "a candidate", policy: func(p *roster.Policy) { p.Capacity, p.Candidates = 5, []string{"web-2"} },
			reasons: []string{"web-2: named in candidates"}},
		{name: "replaced", policy: func(p *roster.Policy) {
			p.Templates, p.Update = images("b"), update("5", roster.Unhealthy, roster.Misplaced, roster.Outdated)
			p.Regions[0].Zones = p.Regions[0].Zones[:2]
			p.Regions[1].Weight = 300
		},
			seen: func(s roster.Seen) {
				changeSeen(s, "web-4", func(n *node.Node) { n.Tainted = true })
				changeSeen(s, "web-5", func(n *node.Node) { n.Status = "ERROR" })
			},
			reasons: []string{
				"web-0: replaced (TEMPLATE) in RegionOne/az-1: it has image a, new nodes get b",
				"web-1: replaced (TEMPLATE) in RegionOne/az-2: it has image a, new nodes get b",
				"web-2: replaced (PLACEMENT) in RegionOne/az-3: it is not listed",
				"web-4: replaced (UNHEALTHY) in RegionTwo/az-1: it is marked as tainted",
				"web-5: replaced (UNHEALTHY) in RegionTwo/az-2: its server is in ERROR",
			}},
		{name: "moved", policy: func(p *roster.Policy) { p.Update, p.Regions[1].Weight = update("1", roster.Misplaced), 300 },
			reasons: []string{"web-2: replaced (PLACEMENT) in RegionOne/az-3: RegionTwo/az-2 is a better place"}},
	})
}

// TestKeptNeighbours: a reason names three protected nodes of the place, and counts the others.
func TestKeptNeighbours(t *testing.T) {
	p := roster.Policy{Name: web, Capacity: 4, Regions: []placement.Region{{Bin: bin("R", 1)}}, Templates: images("1")}
	r := cluster(t, "R 1", "R 1", "R 1", "R 1", "R 1")
	for protected, more := range map[int]string{3: "", 4: "; 1 more are protected"} {
		p.Protected = r.Names()[:protected]
		_, change, err := Plan(r, running(r), p)
		require.NoError(t, err)
		assert.Equal(t, "R loses 1 of 5; drawn by lot from the unprotected (RANDOM); web-0 is listed as protected; web-1 is listed as protected; "+
			"web-2 is listed as protected"+more, change.With(verdict.Leaves)[0].Reason)
	}
}

// TestFew: a notice names five, and counts the others.
func TestFew(t *testing.T) {
	for want, list := range map[string][]string{
		"a":                        {"a"},
		"a, b, c, d, e":            {"a", "b", "c", "d", "e"},
		"a, b, c, d, e and 1 more": {"a", "b", "c", "d", "e", "f"},
	} {
		assert.Equal(t, want, text.Few(list))
	}
}

// TestClip: a text from Nova is cut after 80 characters.
func TestClip(t *testing.T) {
	eighty := strings.Repeat("ü", 80)
	assert.Equal(t, eighty, say.Clip(eighty))
	assert.Equal(t, eighty+"...", say.Clip(eighty+"x"))
}

// TestNotices has the notices word for word.
func TestNotices(t *testing.T) {
	taint := func(names string) func(roster.Seen) {
		return func(s roster.Seen) { changeSeen(s, names, func(n *node.Node) { n.Tainted = true }) }
	}
	unseen := func(s roster.Seen) { clear(s.Servers) }
	begins := func(p *roster.Policy) { p.Begins = true }
	const begun = " should be replaced, but not by this apply: Terraform must first store what the servers depend on, " +
		"and their lifecycle. The next apply replaces the first batch."
	plans(t, func(*roster.Policy) {}, []planned{
		{name: "an unknown candidate", policy: func(p *roster.Policy) { p.Candidates = []string{"web-9"} }, notices: []string{"A candidate is not there"},
			told: `No node has the name, or a server with the id, "web-9", so nothing is removed for it. Remove it from the list of ` +
				`candidates, or correct it.`},
		{name: "one candidate, named twice", capacity: 5, policy: func(p *roster.Policy) { p.Candidates = []string{"web-2", "id-web-2"} }, moves: "-web-2"},
		{name: "one is chosen unseen", capacity: 5, seen: unseen, moves: "-web-0", notices: []string{"A node was chosen unseen"},
			told: "1 node would be removed, although no refresh has looked for servers since the last apply made them: web-0. Refresh first, so that the " +
				"choice is based on the servers that run."},
		{name: "two are", capacity: 4, seen: unseen, moves: "-web-0 -web-3", notices: []string{"A node was chosen unseen"},
			told: "2 nodes would be removed, although no refresh has looked for servers since the last apply made them: web-0, web-3. Refresh first, so " +
				"that the choice is based on the servers that run."},
		{name: "an update begins", image: "b", update: update("1", roster.Outdated), policy: begins,
			remaining: 6, notices: []string{"The update begins with the next apply"}, told: "6 nodes" + begun, status: "behind: 6 of 6 nodes to replace"},
		{name: "and has nothing to do", update: update("1", roster.Outdated), policy: begins},
		{name: "or something while too many are unhealthy", policy: func(p *roster.Policy) {
			p.Update, p.Begins = update("1", roster.Unhealthy, roster.Misplaced), true
			p.Update.StopAbove = amount("0")
			p.Regions[0].Zones[2].Cap = 0
		}, seen: taint("web-4"), remaining: 2, notices: []string{"The update begins with the next apply"}, told: "2 nodes" + begun},
		{name: "an outage", update: update("1", roster.Unhealthy), policy: func(p *roster.Policy) { p.Update.StopAbove = amount("1") }, seen: taint("web-4"),
			broken:    "web-5",
			remaining: 2, notices: []string{"Too many nodes are unhealthy to replace them"},
			told: "2 of 6 nodes are unhealthy, more than stop_above (1) allows. So no unhealthy node is replaced, and no node that may be in service is " +
				"replaced for another cause. Look at the cloud first. To replace nodes anyway, raise stop_above, or name them in candidates.",
			status: "held: 2 of 6 nodes are unhealthy, more than stop_above (1) allows"},
		{name: "none yet", update: update("1", roster.Unhealthy), policy: func(p *roster.Policy) { p.Update.StopAbove = amount("2") },
			seen:  taint("web-4 web-5"),
			moves: "+web-6 -web-4", remaining: 1},
		{name: "none for those who replace no unhealthy node", update: update("1", roster.Misplaced),
			policy: func(p *roster.Policy) { p.Update.StopAbove = amount("0") },
			seen:   taint("web-4")},
		{name: "protected nodes", image: "b", update: update("6", roster.Outdated), policy: func(p *roster.Policy) { p.Protected = []string{"web-2"} },
			seen:  func(s roster.Seen) { changeSeen(s, "web-4", func(n *node.Node) { n.Locked = true }) },
			moves: "+web-6 +web-7 +web-8 +web-9 -web-0 -web-1 -web-3 -web-5", notices: []string{"Protected nodes stay as they are"},
			told: "2 nodes will not get the wanted template: web-2 is listed as protected, web-4 is locked."},
		{name: "a target that needs none of them", image: "b", update: update("6", roster.Outdated), policy: func(p *roster.Policy) {
			p.Protected, p.Update.Target = []string{"web-2", "web-4"}, amount("4")
		}, moves: "+web-6 +web-7 +web-8 +web-9 -web-0 -web-1 -web-3 -web-5"},
		{name: "none of another template", update: update("6", roster.Outdated), policy: func(p *roster.Policy) { p.Protected = []string{"web-2"} }},
		{name: "none that would be replaced for it", image: "b", update: update("6", roster.Unhealthy),
			policy: func(p *roster.Policy) { p.Protected = []string{"web-2"} }},
		{name: "a batch waits", update: update("2", roster.Misplaced), policy: func(p *roster.Policy) { p.Regions = p.Regions[:1] }, seen: func(s roster.Seen) {
			loseSeen(s, "web-0")
			changeSeen(s, "web-1", func(n *node.Node) { n.Status = "BUILD" })
		}, remaining: 3, notices: []string{"A batch waits for the one before"},
			told: "3 nodes more should be replaced, at most 2 at a time. This batch waits for 2 nodes: web-0 (no server of its name was found), web-1 " +
				"(its server is in BUILD). Apply again once the nodes under way are in service. If one cannot get into service, change the template, or " +
				"name the node in candidates.",
			status: "behind: 3 of 6 nodes to replace", looked: "waits: web-0 (no server of its name was found), web-1 (its server is in BUILD)"},
		{name: "for what was not looked at, or did not follow",
			policy: func(p *roster.Policy) { p.Update, p.Regions = update("2", roster.Misplaced), p.Regions[:1] }, seen: func(s roster.Seen) {
				delete(s.Servers, "web-0")
				s.Builds["web-1"] = roster.Build{Mark: "1-0", Generation: 1}
				changeSeen(s, "web-1", func(n *node.Node) { n.InService = "" })
			}, remaining: 3, notices: []string{"A batch waits for the one before"},
			told: "...web-0 (no refresh has looked at it since it changed), web-1 (its server did not change with the node). Apply again once the nodes " +
				"under way are in service. If one cannot get into service, change the template, or name the node in candidates. " +
				"Plan without -refresh=false, so that all servers are looked at. A server that did not change uses no value that changed in " +
				"the template: give the old template again, or attach stackpolicy_readiness_attachment, which marks servers that need no change."},
		{name: "no room, also because a place is full", policy: func(p *roster.Policy) {
			p.Update = update("1", roster.Unhealthy)
			p.Update.RetryFullAfter = time.Hour
			p.Regions = []placement.Region{{Bin: placement.Bin{Name: "RegionOne", Weight: 1, Cap: 3}},
				{Bin: placement.Bin{Name: "RegionTwo", Weight: 1, Cap: 3}}}
		}, seen: func(s roster.Seen) {
			changeSeen(s, "web-4", func(n *node.Node) { n.Status, n.Fault = "ERROR", "no valid host" })
			s.Full[roster.Spot{Place: placement.Place{Region: "RegionTwo"}}] = time.Date(2026, 11, 1, 0, 0, 4, 0, time.UTC)
		}, remaining: 1, notices: []string{"Places are full", "No room for a replacement"},
			told: "Nova found no host for a server in these places, which are tried again after retry_full_after: RegionTwo (until 2026-11-01 01:00:04 UTC). " +
				"Until then no node " +
				"is placed or moved there, unless no other place has room. Make room there, or raise the quotas or extend the aggregates that leave no " +
				"room; to try again at once set retry_full_after = \"0s\".\n1 node should be replaced now, but there is no room for substitutes: web-4. " +
				"1 node must be added, but there is room for 0: RegionOne 0 (cap 3), RegionTwo 0 (takes no nodes now). Raise a cap, or list another place.",
			status: "held: no room for the substitutes of web-4"},
	})

	p := policy(6)
	p.Templates = images("a")
	r, change, err := Plan(six(t, ""), roster.Seen{}, p)
	want := []say.Notice{{Title: "The first template is taken for what all nodes were made from", Text: "6 nodes had no template until now: web-0, " +
		"web-1, web-2, web-3, web-4 and 1 more. The template must be what they were made from: a server that differs does not count as " +
		"outdated, and keeps what it has."}}
	if err != nil || !slices.Equal(change.Notices, want) || !change.Empty() || r.Nodes["web-5"].Mark != roster.FirstMark(image("a")) ||
		r.Nodes["web-5"].Template != image("a") {
		t.Errorf("got %q, %v, %v", change.Notices, r.Nodes, err)
	}
	one := roster.Roster{Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "RegionOne", Zone: "az-1"}}}, Next: 1}
	p.Capacity = 1
	if _, change, err := Plan(one, running(one), p); err != nil || !hasNotice(change, "The first template is taken for what all nodes were made from") {
		t.Errorf("one node: got %q, %v", change.Notices, err)
	}
	p.Templates = nil
	if _, _, err := Plan(r, roster.Seen{}, p); err == nil || !strings.Contains(err.Error(), "made from a template, so it cannot be removed") {
		t.Errorf("without the template: %v", err)
	}
}

package planner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func bin(name string, weight int64) placement.Bin {
	return placement.Bin{Name: name, Weight: weight, Cap: placement.Unlimited}
}

// twoRegions has RegionOne with az-1 to az-3 and RegionTwo with az-1 and az-2.
func twoRegions() []placement.Region {
	return []placement.Region{
		{Bin: bin("RegionOne", 100), Zones: []placement.Bin{bin("az-1", 100), bin("az-2", 100), bin("az-3", 100)}},
		{Bin: bin("RegionTwo", 100), Zones: []placement.Bin{bin("az-1", 100), bin("az-2", 100)}},
	}
}

func web(index int64) string { return fmt.Sprintf("web-%d", index) }

func policy(capacity int64) roster.Policy {
	return roster.Policy{Name: web, Capacity: capacity, Regions: twoRegions(), Criteria: deletion.OldestFirst}
}

func amount(text string) roster.Amount {
	a, err := roster.ParseAmount(text)
	if err != nil {
		panic(err)
	}
	return a
}

// update replaces nodes for the causes, in batches of a size.
func update(batch string, causes ...roster.Cause) *roster.Update {
	return &roster.Update{Causes: causes, BatchSize: amount(batch), Target: amount("100%"), StopAbove: amount("50%")}
}

// byUpdate has an update replace its nodes with another method.
func byUpdate(u *roster.Update, method string) *roster.Update {
	u.Method = method
	return u
}

// running gives each node of a roster a healthy server with the node's mark, older for lower indices, and has the
// roster look at it.
func running(r roster.Roster) roster.Seen {
	seen := roster.NewSeen()
	for name, n := range r.Nodes {
		n.Doubt = false
		r.Nodes[name] = n
		seen.Servers[name] = node.Node{ID: "id-" + name, Name: name, Status: "ACTIVE", InService: string(n.Mark),
			CreatedAt: time.Date(2026, 11, 1, 0, 0, int(n.Index), 0, time.UTC)}
	}
	return seen
}

// changeSeen changes what was seen of servers, by their names.
func changeSeen(s roster.Seen, names string, change func(*node.Node)) {
	for name := range strings.FieldsSeq(names) {
		server, there := s.Servers[name]
		if !there {
			panic(name + " has no server")
		}
		change(&server)
		s.Servers[name] = server
	}
}

// changeRoster changes nodes, by their names.
func changeRoster(r roster.Roster, names string, change func(*roster.Node)) {
	for name := range strings.FieldsSeq(names) {
		n := r.Nodes[name]
		change(&n)
		r.Nodes[name] = n
	}
}

// loseSeen makes the server of a node missing.
func loseSeen(s roster.Seen, name string) {
	delete(s.Servers, name)
	s.Missing[name] = true
}

// layout shows a roster as "RegionOne/az-1: web-0 web-4; ...", with the images of nodes unless they have the first one:
// web-5@b.
func layout(r roster.Roster) string {
	places := map[string][]string{}
	for _, name := range r.Names() {
		n := r.Nodes[name]
		if image := n.Template.Values()["image"]; image != "" && image != "a" && image != "1" {
			name += "@" + image
		}
		places[n.String()] = append(places[n.String()], name)
	}
	var lines []string
	for _, at := range slices.Sorted(maps.Keys(places)) {
		lines = append(lines, at+": "+strings.Join(places[at], " "))
	}
	return strings.Join(lines, "; ")
}

// moves shows a change as "+web-6 ^web-7 -web-0 ~web-3": the nodes that come, return, leave and change.
func moves(change Change) string {
	var list []string
	for i, outcome := range []verdict.Outcome{verdict.Comes, verdict.Returns, verdict.Leaves, verdict.Changes} {
		for _, name := range change.With(outcome).Names() {
			list = append(list, "+^-~"[i:i+1]+name)
		}
	}
	return strings.Join(list, " ")
}

func listed(verdicts verdict.List) string { return strings.Join(verdicts.Names(), " ") }

// planned is a cluster of six nodes, all in service with the template a (see six), with some differences, and the plan
// for it.
type planned struct {
	name     string
	nodes    []string           // nodes, as cluster takes them; nil for those six
	regions  []placement.Region // regions of other nodes; nil for R
	capacity int64              // 0 for the number of nodes
	image    string             // image of the wanted template; "" for a
	update   *roster.Update
	closed   string // places that are closed: "RegionOne RegionTwo/az-1"
	broken   string // nodes whose servers are in ERROR
	roster   func(*roster.Roster)
	seen     func(roster.Seen)
	opens    roster.Opens
	policy   func(*roster.Policy)

	moves     string // see moves
	to        string // places of the nodes that come; "" for any
	remaining int64
	notices   []string            // titles of the notices; nil for any if told is set
	told      string              // texts of the notices, in which "..." leaves out the beginning or the end; "" for any
	status    string              // status after the plan is applied; "" for any
	looked    string              // status before the plan; "" for the same
	does      string              // changes of the plan as the second batch; "" for any
	then      func(roster.Roster) // looks at the roster after the plan
	reasons   []string            // reasons of the nodes that leave, "web-0: oldest"; if set, nothing else is checked
}

// plans checks plans. All cases also have the policy base.
func plans(t *testing.T, base func(*roster.Policy), list []planned) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			p := policy(6)
			p.Templates = images("a")
			base(&p)
			if c.nodes != nil {
				p.Capacity, p.Regions = int64(len(c.nodes)), c.regions
			}
			if c.nodes != nil && c.regions == nil {
				p.Regions = []placement.Region{{Bin: bin("R", 100)}}
			}
			if c.image != "" {
				p.Templates = images(c.image)
			}
			p.Capacity, p.Update = cmp.Or(c.capacity, p.Capacity), cmp.Or(c.update, p.Update)
			for place := range strings.FieldsSeq(c.closed) {
				region, zone, _ := strings.Cut(place, "/")
				closePolicy(&p, region, zone)
			}
			if c.policy != nil {
				c.policy(&p)
			}
			r := six(t, "")
			if c.nodes != nil {
				r = cluster(t, c.nodes...)
			} else if p.Templates != nil {
				r = six(t, image("a"))
				r.Settled = images("a")
			}
			if c.roster != nil {
				c.roster(&r)
			}
			seen := running(r)
			changeSeen(seen, c.broken, func(n *node.Node) { n.Status = "ERROR" })
			if c.seen != nil {
				c.seen(seen)
			}
			seen.Opens = c.opens
			next, change, err := Plan(r, seen, p)
			require.NoError(t, err)
			if c.reasons != nil {
				var reasons []string
				for _, d := range change.With(verdict.Leaves) {
					reasons = append(reasons, d.Name+": "+d.Reason)
					assert.Equal(t, r.Nodes[d.Name], d.Node)
					assert.Equal(t, seen.Servers[d.Name].ID, d.Server.ID)
				}
				assert.Equal(t, c.reasons, reasons)
				return
			}
			assert.Equal(t, c.moves, moves(change))
			if c.then != nil {
				c.then(next)
			}
			var to, texts []string
			for _, name := range change.With(verdict.Comes).Names() {
				at := next.Nodes[name].Place
				assert.False(t, p.Closed(at), "%s comes to %s", name, at)
				to = append(to, at.String())
			}
			for _, n := range change.Notices {
				texts = append(texts, n.Text)
			}
			if c.to != "" {
				assert.Equal(t, c.to, strings.Join(to, " "))
			}
			assert.Equal(t, c.remaining, change.Remaining)
			if c.told == "" || c.notices != nil {
				assert.Equal(t, c.notices, titles(change.Notices), "%q", change.Notices)
			}
			if text := strings.Join(texts, "\n"); c.told != "" && !like(c.told, text) {
				t.Errorf("told %q\nwant %q", text, c.told)
			}
			if c.status != "" {
				assert.Equal(t, c.status, change.Status)
				assert.Equal(t, cmp.Or(c.looked, c.status), change.Now, "as it is now")
				if c.does != "" {
					assert.Equal(t, c.does, change.Moves(2))
				}
			}
		})
	}
}

// like reports whether a text is as wanted; "..." in want leaves out the beginning or the end.
func like(want, text string) bool {
	begins, ends := strings.TrimSuffix(want, "..."), strings.TrimPrefix(want, "...")
	switch {
	case begins != want && ends != want:
		return strings.Contains(text, strings.TrimPrefix(begins, "..."))
	case begins != want:
		return strings.HasPrefix(text, begins)
	case ends != want:
		return strings.HasSuffix(text, ends)
	}
	return text == want
}

// step is a step in the life of a cluster. It starts from the step before: all servers are in service unless it says
// otherwise, and the servers of leaving nodes are deleted.
type step struct {
	name      string
	capacity  int64
	roster    func(roster.Roster)
	policy    func(*roster.Policy)
	seen      func(roster.Seen)
	moves     string // see moves
	after     string // layout of the cluster after the step; "" without moves for no change
	remaining int64
	notices   []string
}

// life takes a cluster through its steps, which share a policy.
func life(t *testing.T, base func(*roster.Policy), show func(roster.Roster) string, steps []step) {
	t.Helper()
	var r roster.Roster
	for _, step := range steps {
		p := policy(step.capacity)
		base(&p)
		if step.policy != nil {
			step.policy(&p)
		}
		if step.roster != nil {
			step.roster(r)
		}
		seen := running(r)
		if step.seen != nil {
			step.seen(seen)
		}
		next, change, err := Plan(r, seen, p)
		require.NoError(t, err, step.name)
		assert.Equal(t, step.moves, moves(change), step.name)
		assert.Equal(t, step.remaining, change.Remaining, step.name)
		assert.Equal(t, step.notices, titles(change.Notices), "%s: %q", step.name, change.Notices)
		if step.moves == "" && step.after == "" {
			step.after = show(r)
		}
		require.Equal(t, step.after, show(next), step.name)
		r = gone(next).Ordered()
	}
}

// TestLifeOfACluster follows one cluster through its changes.
func TestLifeOfACluster(t *testing.T) {
	life(t, func(*roster.Policy) {}, layout, []step{
		{name: "six nodes", capacity: 6,
			moves: "+web-0 +web-1 +web-2 +web-3 +web-4 +web-5",
			after: "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-3 web-4; RegionTwo/az-2: web-5"},
		{name: "the same again", capacity: 6},
		{name: "grow to eleven", capacity: 11,
			moves: "+web-6 +web-7 +web-8 +web-9 +web-10",
			after: "RegionOne/az-1: web-0 web-6; RegionOne/az-2: web-1 web-7; RegionOne/az-3: web-2 web-8; RegionTwo/az-1: web-3 web-4 web-9; " +
				"RegionTwo/az-2: web-5 web-10"},
		{name: "shrink to seven: of places that are equally good to take from, the one with the oldest node", capacity: 7,
			moves: "-web-0 -web-1 -web-2 -web-3",
			after: "RegionOne/az-1: web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; RegionTwo/az-2: web-5 web-10"},
		{name: "a zone that sorts first moves nobody", capacity: 7,
			policy: func(p *roster.Policy) { p.Regions[0].Zones = append(p.Regions[0].Zones, bin("az-0", 100)) }},
		{name: "but takes the next node", capacity: 8, moves: "+web-11",
			policy: func(p *roster.Policy) { p.Regions[0].Zones = append(p.Regions[0].Zones, bin("az-0", 100)) },
			after: "RegionOne/az-0: web-11; RegionOne/az-1: web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; " +
				"RegionTwo/az-2: web-5 web-10"},
		{name: "a zone that is dropped moves nobody either", capacity: 8},
		{name: "but loses its nodes first when its region loses some", capacity: 6, moves: "-web-4 -web-11",
			after: "RegionOne/az-1: web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-9; RegionTwo/az-2: web-5 web-10"},
		{name: "grow again", capacity: 8, moves: "+web-12 +web-13",
			after: "RegionOne/az-1: web-6 web-12; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-9 web-13; RegionTwo/az-2: web-5 web-10"},
		{name: "tainted is removed before older, wherever it is", capacity: 7, moves: "-web-10",
			seen:  func(s roster.Seen) { changeSeen(s, "web-10", func(n *node.Node) { n.Tainted = true }) },
			after: "RegionOne/az-1: web-6 web-12; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-9 web-13; RegionTwo/az-2: web-5"},
		{name: "and what is not in service before that", capacity: 5, moves: "-web-5 -web-9",
			seen: func(s roster.Seen) {
				changeSeen(s, "web-13", func(n *node.Node) { n.Tainted = true })
				changeSeen(s, "web-9", func(n *node.Node) { n.Status = "ERROR" })
				loseSeen(s, "web-5")
			},
			after: "RegionOne/az-1: web-6 web-12; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-13"},
		{name: "a candidate is replaced under a new name, where there is room", capacity: 5, moves: "+web-14 -web-13",
			policy: func(p *roster.Policy) { p.Candidates = []string{"web-13"} },
			after:  "RegionOne/az-1: web-6 web-12; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-14"},
		{name: "and is not looked for any more", capacity: 5,
			policy: func(p *roster.Policy) { p.Candidates = []string{"web-13"} }},
		{name: "a candidate of a smaller cluster is removed, by the id of its server", capacity: 4, moves: "-web-7",
			policy: func(p *roster.Policy) { p.Candidates = []string{"id-web-7"} },
			after:  "RegionOne/az-1: web-6 web-12; RegionOne/az-3: web-8; RegionTwo/az-1: web-14"},
		{name: "other weights move nobody", capacity: 4,
			policy: func(p *roster.Policy) { p.Regions[1].Weight = 900 }},
		{name: "unless an update may replace one", capacity: 4, moves: "+web-15 -web-6", remaining: 2,
			policy: func(p *roster.Policy) { p.Regions[1].Weight, p.Update = 900, update("1", roster.Misplaced) },
			after:  "RegionOne/az-1: web-12; RegionOne/az-3: web-8; RegionTwo/az-1: web-14; RegionTwo/az-2: web-15"},
		{name: "protected nodes stay where they are too many", capacity: 2, moves: "-web-14 -web-15",
			policy: func(p *roster.Policy) { p.Protected = []string{"web-8", "id-web-12"} },
			after:  "RegionOne/az-1: web-12; RegionOne/az-3: web-8"},
		{name: "a region without zones leaves them to Nova", capacity: 4, moves: "+web-16 +web-17",
			policy: func(p *roster.Policy) { p.Regions = []placement.Region{{Bin: bin("RegionThree", 100)}} },
			after:  "RegionOne/az-1: web-12; RegionOne/az-3: web-8; RegionThree: web-16 web-17"},
		{name: "and its nodes are removed by the criterion", capacity: 1, moves: "-web-8 -web-12 -web-16",
			policy: func(p *roster.Policy) { p.Regions = []placement.Region{{Bin: bin("RegionThree", 100)}} },
			after:  "RegionThree: web-17"},
		{name: "nothing is left", capacity: 0, moves: "-web-17"},
		{name: "an index is not used again", capacity: 1, moves: "+web-18", after: "RegionOne/az-1: web-18"},
	})
}

func TestPlanRefuses(t *testing.T) {
	r, _, err := Plan(roster.Roster{}, roster.Seen{}, policy(5))
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		change func(*roster.Policy)
		want   string
	}{
		{"a candidate that is protected", func(p *roster.Policy) { p.Candidates, p.Protected = []string{"web-1"}, []string{"web-1"} },
			`The node "web-1" cannot be a candidate, because it is listed as protected.`},
		{"a node whose protected name is misspelled", func(p *roster.Policy) { p.Capacity, p.Protected = 4, []string{"Web-0"} },
			`No node has the protected name "Web-0", and "web-0" would be removed or replaced.`},
		{"too many are protected", func(p *roster.Policy) { p.Capacity, p.Protected = 1, []string{"web-0", "web-1"} },
			"4 nodes must be removed from the cluster, but only 3 of its nodes can be (protected: 2)"},
		{"no room", func(p *roster.Policy) {
			p.Capacity, p.Regions = 9, []placement.Region{{Bin: placement.Bin{Name: "RegionOne", Weight: 1, Cap: 4}}}
		},
			"There is no feasible plan to handle all nodes."},
		{"a min", func(p *roster.Policy) { p.Capacity, p.Regions[0].Min = 1, 2 }, "There is no feasible plan to handle all nodes."},
		{"the slot of a node is released", func(p *roster.Policy) { p.Stateful = &roster.Stateful{Retain: true, Release: []string{"web-1"}} }, "web-1"},
		{"a min, of as many nodes as are left to remove", func(p *roster.Policy) { p.Capacity, p.Regions[0].Min = 0, 2 },
			"There is no feasible plan to handle all nodes."},
	} {
		p := policy(5)
		c.change(&p)
		next, change, err := Plan(r, running(r), p)
		assert.ErrorContains(t, err, c.want, c.name)
		if layout(next) != layout(r) || !change.Empty() {
			t.Errorf("%s: an error changed the roster to %s", c.name, layout(next))
		}
	}
	p := policy(1)
	p.Protected = []string{"web-3", "web-0"}
	_, _, err = Plan(r, running(r), p)
	assert.ErrorContains(t, err, "protect fewer: web-0 is listed as protected, web-3 is listed as protected.")
}

// TestTooFewNumbers: a refusal counts all nodes of the cluster, including the ones that could be removed.
func TestTooFewNumbers(t *testing.T) {
	p := policy(10)
	p.Regions = []placement.Region{{Bin: bin("A", 100)}, {Bin: bin("B", 100)}}
	p.Regions[1].Cap = 2
	r, _, err := Plan(roster.Roster{}, roster.Seen{}, p)
	require.NoError(t, err)
	p.Capacity, p.Regions[0].Min = 1, 3
	for _, c := range []struct {
		name        string
		lost        []string
		unreachable map[string]bool
		want        string
	}{
		{"all in service", nil, nil, "7 can be: A 5 (min 3), B 2."},
		{"some that may leave whatever the mins", []string{"web-0", "web-1"}, nil, "7 can be: A 5 (min 3), B 2."},
		{"one of two regions cannot be reached", nil, map[string]bool{"A": true, "B": false}, "2 can be: A 0 (takes no nodes now, and keeps its nodes), B 2."},
	} {
		seen := running(r)
		for _, name := range c.lost {
			loseSeen(seen, name)
		}
		p.Unreachable = c.unreachable
		_, _, err := Plan(r, seen, p)
		var infeasible *placement.InfeasibleError
		require.ErrorAs(t, err, &infeasible, c.name)
		assert.Equal(t, "9 nodes must be removed, but only "+c.want, infeasible.Detail(), c.name)
	}
}

// TestShrinkAtMins: a node that serves, tainted or not, is never removed below a min; a node that does not serve is
// removed first, and a notice names the place. Nodes of a region that cannot be reached stay.
func TestShrinkAtMins(t *testing.T) {
	const below = "R/az-1 keeps 0 nodes, below its min of 1: the nodes that leave were not in service, or are named in candidates. " +
		"New nodes are placed there first."
	nodes := []string{"R/az-1 1", "R/az-2 1", "R/az-2 1", "R/az-2 1"}
	regions := []placement.Region{{Bin: bin("R", 100), Zones: []placement.Bin{bin("az-1", 100), bin("az-2", 300)}}}
	regions[0].Zones[0].Min = 1
	named := func(p *roster.Policy) { p.Candidates = []string{"web-0"} }
	plans(t, func(p *roster.Policy) { p.Templates = images("1") }, []planned{
		{name: "named, at the min", nodes: nodes, regions: regions, capacity: 3, policy: named, moves: "-web-0",
			notices: []string{"A place is left below its min"}, told: below},
		{name: "named, and another comes there", nodes: nodes, regions: regions, policy: named, moves: "+web-4 -web-0"},
		{name: "tainted, at the min", nodes: nodes, regions: regions, capacity: 3,
			seen: func(s roster.Seen) { changeSeen(s, "web-0", func(n *node.Node) { n.Tainted = true }) }, moves: "-web-1"},
		{name: "in ERROR, at the min", nodes: nodes, regions: regions, capacity: 3, broken: "web-0", moves: "-web-0", told: below},
		{name: "stopped, above the min", nodes: nodes, regions: regions, capacity: 3,
			seen: func(s roster.Seen) { changeSeen(s, "web-3", func(n *node.Node) { n.Status = "SHUTOFF" }) }, moves: "-web-3"},
		{name: "drained", nodes: nodes, regions: regions, capacity: 3,
			seen: func(s roster.Seen) { changeSeen(s, "web-2", func(n *node.Node) { n.Drained = true }) }, moves: "-web-2"},
	})
	r, p := cluster(t, nodes...), policy(3)
	p.Regions, p.Templates, p.Unreachable = regions, images("1"), map[string]bool{"R": true}
	_, _, err := Plan(r, running(r), p)
	assert.ErrorAs(t, err, new(*placement.InfeasibleError), "nodes of a region that cannot be reached are removed")
	p = roster.Policy{Name: web, Capacity: 2, Regions: []placement.Region{{Bin: bin("A", 1)}, {Bin: bin("B", 1)}}, Templates: images("2"),
		Update: update("2", roster.Outdated), Unreachable: map[string]bool{"B": true}}
	r = cluster(t, "A 1", "B 1")
	_, change, err := Plan(r, running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "+web-2 -web-0", moves(change), "an update")
	assert.Contains(t, change.Held(hold.Closed)[0].Reason, "; B cannot be reached")
	p.Candidates = []string{"web-1"}
	_, _, err = Plan(r, running(r), p)
	assert.ErrorContains(t, err, "its region cannot be reached")
	p.Regions[1].Maintenance = true // the operator knows that the region is lost
	next, _, err := Plan(r, running(r), p)
	require.NoError(t, err)
	assert.NotContains(t, next.Nodes, "web-1")
}

// TestFormerNames: a name that another pattern gave is not given again, even after its node is gone.
func TestFormerNames(t *testing.T) {
	first := roster.Naming{Cluster: "web", Pattern: "{cluster}-1{index}"}
	p := policy(5)
	p.Name = first.Name
	r, _, err := Plan(roster.Roster{}, roster.Seen{}, p)
	require.NoError(t, err)
	p.Capacity = 3
	r, change, err := Plan(r, running(r), p)
	if err != nil || listed(change.With(verdict.Leaves)) != "web-10 web-11" {
		t.Fatal(listed(change.With(verdict.Leaves)), err)
	}
	r.Former = map[roster.Naming]int64{first: r.Next}
	p.Name, p.Capacity = roster.Naming{Cluster: "web", Pattern: roster.DefaultPattern}.Name, 12
	_, change, err = Plan(r, running(r), p)
	if want := "[web-5 web-6 web-7 web-8 web-9 web-15 web-16 web-17 web-18]"; err != nil || fmt.Sprint(change.With(verdict.Comes).Names()) != want {
		t.Errorf("got %v, %v, want %s", change.With(verdict.Comes).Names(), err, want)
	}
}

// TestNames orders nodes by index and, if an older state has an index twice, by name.
func TestNames(t *testing.T) {
	r := roster.Roster{Nodes: map[string]roster.Node{"z": {}, "b": {Index: 1}, "g": {Index: 1}, "a": {Index: 1}, "f": {Index: 1}, "e": {Index: 1},
		"c": {Index: 2}}}
	assert.Equal(t, "[z a b e f g c]", fmt.Sprint(r.Names()))
}

// TestEmpty: a plan that changes a node is not empty; a plan that only holds nodes is.
func TestEmpty(t *testing.T) {
	for outcome, empty := range map[verdict.Outcome]bool{verdict.Stays: true, verdict.Held: true, verdict.Leaves: false, verdict.Changes: false,
		verdict.Returns: false, verdict.Comes: false} {
		c := Change{Remaining: 1, List: []verdict.Verdict{{Outcome: verdict.Stays}, {Outcome: outcome}}}
		assert.Equal(t, empty, c.Empty(), "%s: empty", outcome)
	}
}

// TestNamesThatAreTaken: the pattern may make the name of an adopted node again.
func TestNamesThatAreTaken(t *testing.T) {
	adopted := roster.Roster{Next: 1, Nodes: map[string]roster.Node{
		"web-0": {Index: 0, Place: placement.Place{Region: "RegionOne", Zone: "az-1"}},
		"web-1": {Index: 0, Place: placement.Place{Region: "RegionOne", Zone: "az-2"}},
	}}
	next, change, err := Plan(adopted, roster.Seen{}, policy(3))
	if err != nil || fmt.Sprint(change.With(verdict.Comes).Names()) != "[web-2]" || next.Next != 3 {
		t.Errorf("got %+v %+v %v", next, change, err)
	}
	taken := adopted.Taken(roster.Naming{Cluster: "web", Pattern: roster.DefaultPattern}, map[string]bool{"web-0": true, "web-2": true, "db-3": true})
	_, change, err = Plan(adopted, roster.Seen{Taken: taken}, policy(3))
	if err != nil || moves(change) != "+web-3" || !hasNotice(change, "Servers have the names that come next") {
		t.Errorf("another server is web-2: got %+v %v", change, err)
	}
}

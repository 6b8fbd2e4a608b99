package roster

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"pgregory.net/rapid"
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

func policy(capacity int64) Policy {
	return Policy{Name: web, Capacity: capacity, Regions: twoRegions(), Criteria: deletion.OldestFirst}
}

// born gives each node of a roster a healthy server, as old as its index is low.
func born(r Roster) map[string]node.Node {
	facts := map[string]node.Node{}
	for name, n := range r.Nodes {
		facts[name] = node.Node{ID: "id-" + name, Status: "ACTIVE", CreatedAt: time.Date(2026, 11, 1, 0, 0, int(n.Index), 0, time.UTC)}
	}
	return facts
}

// text shows a roster as "RegionOne/az-1: web-0 web-4; ...".
func text(r Roster) string {
	places := map[string][]string{}
	for _, name := range missing(r.Nodes, nil) {
		at := strings.Trim(r.Nodes[name].Region+"/"+r.Nodes[name].Zone, "/")
		places[at] = append(places[at], name)
	}
	var lines []string
	for _, at := range slices.Sorted(maps.Keys(places)) {
		lines = append(lines, at+": "+strings.Join(places[at], " "))
	}
	return strings.Join(lines, "; ")
}

// TestLifeOfACluster follows one cluster through its changes. Each step starts
// from the one before; nobody moves but who is named.
func TestLifeOfACluster(t *testing.T) {
	var r Roster
	for _, step := range []struct {
		name     string
		policy   func(*Policy)
		facts    func(map[string]node.Node)
		created  string
		deleted  string
		nodes    string
		moves    int64
		capacity int64
	}{
		{name: "six nodes", capacity: 6,
			created: "web-0 web-1 web-2 web-3 web-4 web-5",
			nodes:   "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-3 web-4; RegionTwo/az-2: web-5"},
		{name: "the same again", capacity: 6,
			nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-3 web-4; RegionTwo/az-2: web-5"},
		{name: "grow to eleven", capacity: 11,
			created: "web-6 web-7 web-8 web-9 web-10",
			nodes:   "RegionOne/az-1: web-0 web-6; RegionOne/az-2: web-1 web-7; RegionOne/az-3: web-2 web-8; RegionTwo/az-1: web-3 web-4 web-9; RegionTwo/az-2: web-5 web-10"},
		{name: "shrink to seven, the oldest of each zone", capacity: 7,
			deleted: "web-1 web-2 web-3 web-5",
			nodes:   "RegionOne/az-1: web-0 web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; RegionTwo/az-2: web-10"},
		{name: "a zone that sorts first moves nobody", capacity: 7,
			policy: func(p *Policy) { p.Regions[0].Zones = append(p.Regions[0].Zones, bin("az-0", 100)) },
			nodes:  "RegionOne/az-1: web-0 web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; RegionTwo/az-2: web-10"},
		{name: "but takes the next node", capacity: 8, created: "web-11",
			policy: func(p *Policy) {
				p.Regions[0].Zones = append(p.Regions[0].Zones, bin("az-0", 100))
				p.Regions[1].Cap = 3
			},
			nodes: "RegionOne/az-0: web-11; RegionOne/az-1: web-0 web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; RegionTwo/az-2: web-10"},
		{name: "a zone that is dropped moves nobody either", capacity: 8,
			nodes: "RegionOne/az-0: web-11; RegionOne/az-1: web-0 web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; RegionTwo/az-2: web-10"},
		{name: "but loses its nodes first", capacity: 7, deleted: "web-11",
			nodes: "RegionOne/az-1: web-0 web-6; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; RegionTwo/az-2: web-10"},
		{name: "tainted goes before older", capacity: 6, deleted: "web-6",
			facts: func(f map[string]node.Node) { f["web-6"] = node.Node{ID: "6", Status: "ACTIVE", Tainted: true} },
			nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4 web-9; RegionTwo/az-2: web-10"},
		{name: "a node without a server goes before one with", capacity: 5, deleted: "web-9",
			facts: func(f map[string]node.Node) { delete(f, "web-9") },
			nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-4; RegionTwo/az-2: web-10"},
		{name: "a candidate is replaced under a new name", capacity: 5, deleted: "web-4", created: "web-12",
			policy: func(p *Policy) { p.Candidates = []string{"web-4"} },
			nodes:  "RegionOne/az-1: web-0; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-12; RegionTwo/az-2: web-10"},
		{name: "and is no more looked for", capacity: 5,
			policy: func(p *Policy) { p.Candidates, p.Done = []string{"web-4"}, []string{"web-4"} },
			nodes:  "RegionOne/az-1: web-0; RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-12; RegionTwo/az-2: web-10"},
		{name: "a candidate of a smaller cluster is not", capacity: 4, deleted: "web-0",
			policy: func(p *Policy) { p.Candidates = []string{"web-0"} },
			nodes:  "RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-12; RegionTwo/az-2: web-10"},
		{name: "other weights move nobody", capacity: 4,
			policy: func(p *Policy) { p.Regions[1].Weight = 900 },
			nodes:  "RegionOne/az-2: web-7; RegionOne/az-3: web-8; RegionTwo/az-1: web-12; RegionTwo/az-2: web-10"},
		{name: "unless a move is allowed", capacity: 4, deleted: "web-8", created: "web-13", moves: 1,
			policy: func(p *Policy) { p.Regions[1].Weight, p.MaxMoves = 900, 1 },
			nodes:  "RegionOne/az-2: web-7; RegionTwo/az-1: web-12 web-13; RegionTwo/az-2: web-10"},
		{name: "protected nodes stay where they are too many", capacity: 2, deleted: "web-12 web-13",
			policy: func(p *Policy) { p.Protected = []string{"web-7", "id-web-10"} },
			nodes:  "RegionOne/az-2: web-7; RegionTwo/az-2: web-10"},
		{name: "a region without zones leaves them to Nova", capacity: 4, created: "web-14 web-15",
			policy: func(p *Policy) { p.Regions = []placement.Region{{Bin: bin("RegionThree", 100)}} },
			nodes:  "RegionOne/az-2: web-7; RegionThree: web-14 web-15; RegionTwo/az-2: web-10"},
		{name: "and its nodes go by the criterion", capacity: 1, deleted: "web-7 web-10 web-14",
			policy: func(p *Policy) { p.Regions = []placement.Region{{Bin: bin("RegionThree", 100)}} },
			nodes:  "RegionThree: web-15"},
		{name: "nothing is left", capacity: 0, deleted: "web-15"},
		{name: "an index is not used again", capacity: 1, created: "web-16", nodes: "RegionOne/az-1: web-16"},
	} {
		p := policy(step.capacity)
		if step.policy != nil {
			step.policy(&p)
		}
		facts := born(r)
		if step.facts != nil {
			step.facts(facts)
		}
		next, change, err := Plan(r, facts, p)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := strings.Join(change.Created, " "); got != step.created {
			t.Errorf("%s: created %q, want %q", step.name, got, step.created)
		}
		if got := strings.Join(change.Deleted, " "); got != step.deleted {
			t.Errorf("%s: deleted %q, want %q", step.name, got, step.deleted)
		}
		if text(next) != step.nodes || change.Moves != step.moves {
			t.Fatalf("%s: got\n%s (%d moves), want\n%s (%d)", step.name, text(next), change.Moves, step.nodes, step.moves)
		}
		r = next
	}
}

func TestPlanRefuses(t *testing.T) {
	r, _, err := Plan(Roster{}, nil, policy(5))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*Policy)
		want   string
	}{
		{"a candidate that is not there", func(p *Policy) { p.Candidates = []string{"web-9"} }, `The node "web-9" is none of the cluster`},
		{"a candidate that is protected", func(p *Policy) { p.Candidates, p.Protected = []string{"web-1"}, []string{"web-1"} }, `The node "web-1" is to go and is protected.`},
		{"too many are protected", func(p *Policy) { p.Capacity, p.Protected = 1, []string{"web-0", "web-1"} },
			"4 nodes are to go from the cluster, but 2 of its nodes are protected and only 3 are not"},
		{"no room", func(p *Policy) {
			p.Capacity, p.Regions = 9, []placement.Region{{Bin: placement.Bin{Name: "RegionOne", Weight: 1, Cap: 4}}}
		},
			"There is no feasible plan to handle all nodes."},
		{"a min", func(p *Policy) { p.Capacity, p.Regions[0].Min = 1, 2 }, "There is no feasible plan to handle all nodes."},
	} {
		p := policy(5)
		c.change(&p)
		next, change, err := Plan(r, born(r), p)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if text(next) != text(r) || !reflect.DeepEqual(change, Change{}) {
			t.Errorf("%s: an error changed the roster to %s", c.name, text(next))
		}
	}
}

// TestNamesThatAreTaken: an adopted node may have a name that the pattern makes
// again.
func TestNamesThatAreTaken(t *testing.T) {
	adopted := Roster{Next: 1, Nodes: map[string]Node{
		"web-0": {Index: 0, Place: Place{"RegionOne", "az-1"}},
		"web-1": {Index: 0, Place: Place{"RegionOne", "az-2"}},
	}}
	next, change, err := Plan(adopted, nil, policy(3))
	if err != nil || fmt.Sprint(change.Created) != "[web-2]" || next.Next != 3 {
		t.Errorf("got %+v %+v %v", next, change, err)
	}
}

// TestSurvivorsNeverMove: whatever changes, nodes that stay keep name and place,
// no name comes again, the capacity is met, protected nodes stay, the same plan
// made twice is the same, and made from its own result changes nothing.
func TestSurvivorsNeverMove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Roster
		used := map[string]bool{}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			p := policy(rapid.Int64Range(0, 15).Draw(t, "capacity"))
			p.Criteria = rapid.SampledFrom([]deletion.Criteria{"", deletion.OldestFirst, deletion.YoungestFirst}).Draw(t, "criteria")
			p.MaxMoves = rapid.SampledFrom([]int64{0, 0, 1, 3}).Draw(t, "max moves")
			for i := range p.Regions {
				p.Regions[i].Weight = rapid.Int64Range(1, 3).Draw(t, "weight")
				p.Regions[i].Zones = p.Regions[i].Zones[rapid.IntRange(0, len(p.Regions[i].Zones)).Draw(t, "dropped zones"):]
			}
			p.Regions = p.Regions[rapid.IntRange(0, 1).Draw(t, "dropped regions"):]
			facts := born(r)
			for _, name := range missing(r.Nodes, nil) {
				f := facts[name]
				f.Tainted = rapid.IntRange(0, 5).Draw(t, "tainted") == 0
				f.Protected = rapid.IntRange(0, 5).Draw(t, "protected") == 0
				facts[name] = f
			}
			next, change, err := Plan(r, facts, p)
			if err != nil {
				if _, ok := errors.AsType[*deletion.ProtectedError](err); !ok {
					t.Fatal(err)
				}
				continue
			}
			if int64(len(next.Nodes)) != p.Capacity {
				t.Fatalf("%d nodes, not %d", len(next.Nodes), p.Capacity)
			}
			for _, name := range change.Created {
				if used[name] {
					t.Fatalf("%s comes again", name)
				}
				used[name] = true
			}
			for _, name := range change.Deleted {
				if facts[name].Protected {
					t.Fatalf("%s goes, and is protected", name)
				}
			}
			for name, n := range r.Nodes {
				if after, stays := next.Nodes[name]; stays && after != n {
					t.Fatalf("%s moved from %v to %v", name, n, after)
				}
			}
			if again, _, err := Plan(r, facts, p); err != nil || !reflect.DeepEqual(again, next) {
				t.Fatalf("planned twice: %s and %s (%v)", text(next), text(again), err)
			}
			p.MaxMoves = 0
			if after, more, err := Plan(next, facts, p); err != nil || !reflect.DeepEqual(more, Change{}) || !reflect.DeepEqual(after, next) {
				t.Fatalf("the next plan is not empty: %+v (%v)", more, err)
			}
			r = next
		}
	})
}

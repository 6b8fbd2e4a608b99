package planner

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

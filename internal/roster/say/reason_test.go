package say_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReasons has the sentence about each node that is removed, word for word.
func TestReasons(t *testing.T) {
	plans.Check(t, planner.Plan, func(p *roster.Policy) { p.Templates = nil }, []plans.Case{
		{Name: "oldest", Capacity: 5,
			Reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; oldest unprotected"}},
		{Name: "youngest, with protected neighbours", Policy: func(p *roster.Policy) {
			p.Capacity, p.Criteria, p.Protected = 4, deletion.YoungestFirst, []string{"web-4", "id-web-5"}
		},
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-2", func(n *node.Node) { n.Locked, n.Protected = true, true })
			},
			Reasons: []string{
				"web-1: RegionOne/az-2 loses 1 of 1; youngest unprotected",
				"web-3: RegionTwo/az-1 loses 1 of 2; youngest unprotected; web-4 is listed as protected",
			}},
		{Name: "by lot", Capacity: 5, Policy: func(p *roster.Policy) { p.Criteria = deletion.Random },
			Reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2; drawn by lot from the unprotected (RANDOM)"}},
		{Name: "oldest template", Policy: func(p *roster.Policy) {
			p.Capacity, p.Criteria, p.Templates = 5, deletion.OldestProfileFirst, plans.Images("a")
		},
			Reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; made from the oldest template"}},
		{Name: "oldest profile", Capacity: 5, Policy: func(p *roster.Policy) { p.Criteria = deletion.OldestProfileFirst },
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-3", func(n *node.Node) { n.ProfileCreatedAt = time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC) })
			},
			Reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2; oldest profile"}},
		{Name: "not in service", Capacity: 2,
			Seen: func(s roster.Seen) {
				plans.LoseSeen(s, "web-1")
				plans.ChangeSeen(s, "web-2", func(n *node.Node) { n.Status = "BUILD" })
				plans.ChangeSeen(s, "web-3", func(n *node.Node) {
					n.Status, n.Fault = "ERROR", plans.NoHost+" And so on, until nobody reads any further."
				})
				plans.ChangeSeen(s, "web-5", func(n *node.Node) { n.Status = "ERROR" })
			},
			Reasons: []string{
				"web-1: RegionOne/az-2 loses 1 of 1; not in service: no server of its name was found",
				"web-2: RegionOne/az-3 loses 1 of 1; not in service: its server is in BUILD",
				"web-3: RegionTwo/az-1 loses 1 of 2; not in service: its server is in ERROR (No valid host was found. There are not enough hosts " +
					"available. And so on, until ...)",
				"web-5: RegionTwo/az-2 loses 1 of 1; not in service: its server is in ERROR",
			}},
		{Name: "a fault of the past is none", Capacity: 5,
			Seen:    func(s roster.Seen) { plans.ChangeSeen(s, "web-1", func(n *node.Node) { n.Fault = plans.NoHost }) },
			Reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; oldest unprotected"}},
		{Name: "without the mark", Policy: func(p *roster.Policy) {
			p.Capacity, p.Templates, p.Update = 4, plans.Images("a"), plans.Update("1")
			p.RequireMarks = true
		},
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-1", func(n *node.Node) { n.InService = "" })
				plans.ChangeSeen(s, "web-2", func(n *node.Node) { n.InService = "2-0000" })
			},
			Reasons: []string{
				"web-1: RegionOne/az-2 loses 1 of 1; not in service: it is not marked as in service",
				"web-2: RegionOne/az-3 loses 1 of 1; not in service: it is marked as in service with 2-0000, not 1-" + plans.Image("a").Hash(),
			}},
		{Name: "tainted, unknown, never looked at", Capacity: 3, Policy: func(p *roster.Policy) { p.Criteria = deletion.YoungestFirst },
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.Tainted = true })
				plans.ChangeSeen(s, "web-3", func(n *node.Node) { n.Status = "UNKNOWN" })
				delete(s.Servers, "web-2")
			},
			Reasons: []string{
				"web-0: RegionOne/az-1 loses 1 of 1; marked as tainted",
				"web-2: RegionOne/az-3 loses 1 of 1; made by the last apply and not looked at since",
				"web-3: RegionTwo/az-1 loses 1 of 2; not in service: its server is in UNKNOWN",
			}},
		{Name: "a region that is not listed", Policy: func(p *roster.Policy) { p.Capacity, p.Regions = 5, p.Regions[:1] },
			Reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2: it is not listed; oldest unprotected"}},
		{Name: "above a cap, of the zone or its " +
			"region", Policy: func(p *roster.Policy) { p.Capacity, p.Regions[0].Zones[2].Cap, p.Regions[1].Cap = 4, 0, 2 },
			Reasons: []string{
				"web-2: RegionOne/az-3 loses 1 of 1: it is above its cap of 0; oldest unprotected",
				"web-3: RegionTwo/az-1 loses 1 of 2: it is above its cap of 2; oldest unprotected",
			}},
		{Name: "many protected neighbours", Policy: func(p *roster.Policy) {
			p.Capacity, p.Regions, p.Protected = 5, []placement.Region{{Bin: plans.Bin("RegionTwo", 1)}}, []string{"web-0", "web-1", "web-2", "web-3", "web-4"}
		},
			Reasons: []string{"web-5: RegionTwo/az-2 loses 1 of 1; oldest unprotected"}},
		{Name: "the oldest, where no update would replace another one", Policy: func(p *roster.Policy) {
			p.Capacity, p.Update, p.Templates = 5, plans.Update("2"), roster.Templates{{}: plans.Image("a"), {Region: "RegionOne",
				Zone: "az-3"}: plans.Image("b")}
		},
			Reasons: []string{"web-0: RegionOne/az-1 loses 1 of 1; oldest unprotected"}},
		{Name: "of places that are equally full the one that it would", Policy: func(p *roster.Policy) {
			p.Capacity, p.Update, p.Templates = 5, plans.Update("2", roster.Outdated), roster.Templates{{}: plans.Image("a"), {Region: "RegionOne",
				Zone: "az-3"}: plans.Image("b")}
		},
			Reasons: []string{"web-2: RegionOne/az-3 loses 1 of 1; outdated, so that the update would replace it: " +
				"oldest unprotected"}},
		{Name: "a closed place", Policy: func(p *roster.Policy) {
			p.Capacity, p.Regions = 5, p.Regions[1:]
			plans.Close(p, "RegionTwo", "")
			p.Protected = []string{"web-0", "web-1", "web-2"}
		},
			Reasons: []string{"web-3: RegionTwo/az-1 loses 1 of 2: it is closed, and no open place can lose a node; oldest unprotected"}},
		{Name: "a candidate", Policy: func(p *roster.Policy) { p.Capacity, p.Candidates = 5, []string{"web-2"} },
			Reasons: []string{"web-2: named in candidates"}},
		{Name: "replaced", Policy: func(p *roster.Policy) {
			p.Templates, p.Update = plans.Images("b"), plans.Update("5", roster.Unhealthy, roster.Misplaced, roster.Outdated)
			p.Regions[0].Zones = p.Regions[0].Zones[:2]
			p.Regions[1].Weight = 300
		},
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-4", func(n *node.Node) { n.Tainted = true })
				plans.ChangeSeen(s, "web-5", func(n *node.Node) { n.Status = "ERROR" })
			},
			Reasons: []string{
				"web-0: replaced (TEMPLATE): it has image a, new nodes get b",
				"web-1: replaced (TEMPLATE): it has image a, new nodes get b",
				"web-2: replaced (PLACEMENT): RegionOne/az-3 is not listed",
				"web-4: replaced (UNHEALTHY): it is marked as tainted",
				"web-5: replaced (UNHEALTHY): its server is in ERROR",
			}},
		{Name: "moved", Policy: func(p *roster.Policy) { p.Update, p.Regions[1].Weight = plans.Update("1", roster.Misplaced), 300 },
			Reasons: []string{"web-2: replaced (PLACEMENT): RegionTwo/az-2 is a better place"}},
	})
}

// TestKeptNeighbours: a reason names three protected nodes of the place, and counts the others.
func TestKeptNeighbours(t *testing.T) {
	p := roster.Policy{Name: plans.Web, Capacity: 4, Regions: []placement.Region{{Bin: plans.Bin("R", 1)}}, Templates: plans.Images("1")}
	r := plans.Cluster(t, "R 1", "R 1", "R 1", "R 1", "R 1")
	for protected, more := range map[int]string{3: "", 4: "; 1 more are protected"} {
		p.Protected = r.Names()[:protected]
		_, change, err := planner.Plan(r, plans.Running(r), p)
		require.NoError(t, err)
		assert.Equal(t, "R loses 1 of 5; drawn by lot from the unprotected (RANDOM); web-0 is listed as protected; web-1 is listed as protected; "+
			"web-2 is listed as protected"+more, change.With(verdict.Leaves)[0].Reason)
	}
}

// TestClip: a text from Nova is cut after 80 characters.
func TestClip(t *testing.T) {
	eighty := strings.Repeat("ü", 80)
	assert.Equal(t, eighty, say.Clip(eighty))
	assert.Equal(t, eighty+"...", say.Clip(eighty+"x"))
}

func TestDiffers(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, c := range []struct {
		has, wants map[string]string
		want       string
	}{
		{map[string]string{"image": "a", "flavor": "f"}, map[string]string{"image": "b", "flavor": "f"}, `it has image a, new nodes get b`},
		{map[string]string{"image": "a"}, map[string]string{"flavor": "f"}, `it has no flavor, new nodes get f; image a, new nodes have none`},
		{nil, map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"},
			`it has no a, new nodes get 1; no b, new nodes get 2; no c, new nodes get 3; 1 more values differ`},
		{map[string]string{"a": long}, map[string]string{"a": "b"}, `it has a ` + long[:80] + `..., new nodes get b`},
	} {
		assert.Equal(t, c.want, say.Differs(roster.NewTemplate(c.has), roster.NewTemplate(c.wants)))
	}
}

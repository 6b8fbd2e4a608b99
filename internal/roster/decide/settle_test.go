package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMayServe: a node without its mark, or whose server did not follow it, may serve. It waits as other serving nodes
// do, but nodes whose servers did not follow do not wait for each other.
func TestMayServe(t *testing.T) {
	wipe := func(n *node.Node) { n.InService = "" }
	former := func(names string) func(*roster.Roster) {
		return func(r *roster.Roster) {
			plans.ChangeRoster(*r, names, func(n *roster.Node) { n.Generation, n.Mark, n.Served = 2, n.Mark.Next(n.Template), false })
		}
	}
	built := func(names string) func(roster.Seen) {
		return func(s roster.Seen) {
			for name := range strings.FieldsSeq(names) {
				s.Builds[name] = roster.Build{Mark: roster.MarkOf(1, plans.Image("a")), Generation: 1, Of: ""}
			}
		}
	}
	plans.Check(t, planner.Plan, func(p *roster.Policy) { p.Update, p.RequireMarks = plans.Update("1", roster.Outdated), true }, []plans.Case{
		{Name: "one without a mark waits for pause", Policy: func(p *roster.Policy) {
			p.Templates = roster.Templates{placement.Place{}: plans.Image("b"), {Region: "RegionOne", Zone: "az-1"}: plans.Image("a")}
			p.Update.Pause = time.Hour
		}, Seen: func(s roster.Seen) {
			s.Baking["web-0"] = true
			plans.ChangeSeen(s, "web-1 web-2 web-3 web-4 web-5", wipe)
		}, Remaining: 5},
		{Name: "one without a mark and with the wanted template waits for another",
			Policy: func(p *roster.Policy) { p.Update.Causes = []roster.Cause{roster.TooOld} },
			Seen: func(s roster.Seen) {
				plans.ChangeSeen(s, "web-0 web-1", wipe)
				s.Aged["web-0"] = roster.Aged{Mark: roster.MarkOf(1, plans.Image("a")), Launched: time.Unix(1<<30, 0)}
			}, Remaining: 1, Notices: []string{"A batch waits for the one before"}},
		{Name: "of two that did not follow one is made again, when both are named", Roster: former("web-0 web-1"), Seen: built("web-0 web-1"),
			Update: plans.ByUpdate(plans.Update("1", roster.Outdated), roster.Recreate),
			Policy: func(p *roster.Policy) { p.Candidates = []string{"web-0", "web-1"} },
			Moves:  "~web-1", Remaining: 1},
		{Name: "and waits for one in a closed region, where nobody looks", Closed: "RegionTwo", Roster: former("web-0 web-3"), Seen: built("web-0 web-3"),
			Update: plans.ByUpdate(plans.Update("3", roster.Outdated), roster.Recreate), Policy: func(p *roster.Policy) { p.Candidates = []string{"web-0"} },
			Remaining: 1, Told: "...web-3 (RegionTwo/az-1 is closed), web-4 (RegionTwo/az-1 is closed), web-5 (RegionTwo/az-2 is closed)..."},
	})
}

// TestLater: a later plan cannot bring back leaving nodes, so they do not count for nodes that remain to be replaced. A
// node that never served says why it should be replaced, whatever holds it.
func TestLater(t *testing.T) {
	r, p := plans.Six(t, plans.Image("a")), plans.Policy(6)
	plans.ChangeRoster(r, "web-0", func(n *roster.Node) { n.Served = false })
	seen := plans.Running(r)
	plans.ChangeSeen(seen, "web-0", func(s *node.Node) { s.InService, s.NotInService = "", string(roster.MarkOf(1, plans.Image("a"))) })
	r.Leaving["web-9"] = roster.Node{Index: 9, Place: r.Nodes["web-0"].Place, Template: plans.Image("b"), Generation: 1,
		Mark:   roster.MarkOf(1, plans.Image("b")),
		Served: true}
	seen.Servers["web-9"] = node.Node{ID: "id-web-9", Name: "web-9", Status: "ACTIVE", InService: string(roster.MarkOf(1, plans.Image("b")))}
	p.RequireMarks, p.Templates, p.Update = true, plans.Images("b"), plans.Update("1", roster.Outdated)
	const never = "TEMPLATE: it has image a, new nodes get b; it never served; "
	p.Begins = true
	_, change, err := planner.Plan(r, seen, p)
	require.NoError(t, err)
	assert.Equal(t, never+"the update begins with the next apply", change.Held(hold.Begins)[0].Reason)
}

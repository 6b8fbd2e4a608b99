package planner

import (
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnwell: a node whose service is unhealthy is out of service and unhealthy; a node whose server is off is only out
// of service.
func TestUnwell(t *testing.T) {
	for _, c := range []struct {
		server             node.Node
		trouble, unhealthy string
	}{
		{node.Node{Status: "ACTIVE", InService: "1"}, "", ""},
		{node.Node{Status: "PASSWORD", InService: "1"}, "", ""},
		{node.Node{Status: "VERIFY_RESIZE", InService: "1"}, "", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Deleting: true}, "its server is being deleted", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503"}, "its service is unhealthy (503)", "its service is unhealthy (503)"},
		{node.Node{Status: "SHUTOFF", InService: "1", Unwell: "503"}, "its server is in SHUTOFF", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503", Tainted: true}, "its service is unhealthy (503)", "it is marked as tainted"},
	} {
		seen := roster.NewSeen()
		seen.Servers["web-0"] = c.server
		f := facts.FactOf("web-0", roster.Node{Mark: "1"}, roster.Roster{}, seen, roster.Policy{RequireMarks: true})
		assert.Equal(t, c.trouble, say.Why(f), "%+v", c.server)
		assert.Equal(t, c.unhealthy != "", f.Unhealthy(), "%+v", c.server)
	}
}

// TestMayServe: a node without its mark, or whose server did not follow it, may serve. It waits as other serving nodes
// do, but nodes whose servers did not follow do not wait for each other.
func TestMayServe(t *testing.T) {
	wipe := func(n *node.Node) { n.InService = "" }
	former := func(names string) func(*roster.Roster) {
		return func(r *roster.Roster) {
			changeRoster(*r, names, func(n *roster.Node) { n.Generation, n.Mark, n.Served = 2, n.Mark.Next(n.Template), false })
		}
	}
	built := func(names string) func(roster.Seen) {
		return func(s roster.Seen) {
			for name := range strings.FieldsSeq(names) {
				s.Builds[name] = roster.Build{Mark: roster.FirstMark(image("a")), Generation: 1, Of: ""}
			}
		}
	}
	plans(t, func(p *roster.Policy) { p.Update, p.RequireMarks = update("1", roster.Outdated), true }, []planned{
		{name: "one without a mark waits for pause", policy: func(p *roster.Policy) {
			p.Templates = roster.Templates{placement.Place{}: image("b"), {Region: "RegionOne", Zone: "az-1"}: image("a")}
			p.Update.Pause = time.Hour
		}, seen: func(s roster.Seen) {
			s.Baking["web-0"] = true
			changeSeen(s, "web-1 web-2 web-3 web-4 web-5", wipe)
		}, remaining: 5, notices: []string{"A batch has to serve before the next one"}},
		{name: "one without a mark and with the wanted template waits for another",
			policy: func(p *roster.Policy) { p.Update.Causes = []roster.Cause{roster.TooOld} },
			seen: func(s roster.Seen) {
				changeSeen(s, "web-0 web-1", wipe)
				s.Aged["web-0"] = roster.Aged{Mark: roster.FirstMark(image("a")), Launched: time.Unix(1<<30, 0)}
			}, remaining: 1, notices: []string{"A batch waits for the one before"}},
		{name: "of two that did not follow one is made again, when both are named", roster: former("web-0 web-1"), seen: built("web-0 web-1"),
			update: byUpdate(update("1", roster.Outdated), roster.Recreate), policy: func(p *roster.Policy) { p.Candidates = []string{"web-0", "web-1"} },
			moves: "~web-1", remaining: 1, notices: []string{"Servers did not follow their nodes"}},
		{name: "and waits for one in a closed region, where nobody looks", closed: "RegionTwo", roster: former("web-0 web-3"), seen: built("web-0 web-3"),
			update: byUpdate(update("3", roster.Outdated), roster.Recreate), policy: func(p *roster.Policy) { p.Candidates = []string{"web-0"} },
			remaining: 1, told: "...web-3 (RegionTwo is closed), web-4 (RegionTwo is closed), web-5 (RegionTwo is closed)..."},
	})
}

// TestLater: a later plan cannot bring back leaving nodes, so they do not count for nodes that remain to be replaced. A
// node that never served says why it should be replaced, whatever holds it.
func TestLater(t *testing.T) {
	r, p := six(t, image("a")), policy(6)
	changeRoster(r, "web-0", func(n *roster.Node) { n.Served = false })
	seen := running(r)
	changeSeen(seen, "web-0", func(s *node.Node) { s.InService, s.NotInService = "", string(roster.FirstMark(image("a"))) })
	r.Leaving["web-9"] = roster.Node{Index: 9, Place: r.Nodes["web-0"].Place, Template: image("b"), Generation: 1, Mark: roster.FirstMark(image("b")),
		Served: true}
	seen.Servers["web-9"] = node.Node{ID: "id-web-9", Name: "web-9", Status: "ACTIVE", InService: string(roster.FirstMark(image("b")))}
	p.RequireMarks, p.Templates, p.Update = true, images("b"), update("1", roster.Outdated) // b failed, and there is no settled template
	p.Update.RevertAfter, r.Failed = time.Minute, []roster.Failure{{Template: image("b").Hash(), Node: "web-9", After: time.Hour}}
	_, change, err := Plan(r, seen, p)
	require.NoError(t, err)
	assert.EqualValues(t, 6, change.Remaining)
	const never = "TEMPLATE in RegionOne/az-1: it has image a, new nodes get b; it never served; "
	assert.Equal(t, never+"the template that it should get failed, and there is no settled one", change.Held(hold.Failed)[0].Reason)
	p.Begins, r.Failed = true, nil
	_, change, err = Plan(r, seen, p)
	require.NoError(t, err)
	assert.Equal(t, never+"the update begins with the next apply", change.Held(hold.Begins)[0].Reason)
}

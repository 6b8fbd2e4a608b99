package gate_test

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/window"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// TestWindow: while its windows are shut an update begins no batch, and repair, candidates and going back do not wait. Only
// a look after the last apply, for these windows, proves that one is open.
func TestWindow(t *testing.T) {
	const saturday = "Sat 02:00-06:00 UTC"
	open, shut := window.Opens{Of: saturday}, window.Opens{Of: saturday, At: "Sat 02:00 UTC"}
	causes := plans.Update("1", roster.Unhealthy, roster.Misplaced, roster.Outdated, roster.TooOld)
	causes.Windows, _ = window.Parse([]string{saturday})
	unmarked := func(s roster.Seen) { plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.InService = "" }) }
	waits, back := []string{"Nodes wait for the window"}, "^web-6"
	for i := int64(7); i < 36; i++ {
		back += " ^" + plans.Web(i)
	}
	plans.Check(t, planner.Plan, func(p *roster.Policy) { p.Update = causes }, []plans.Case{
		{Name: "open", Opens: open, Image: "b", Moves: "+web-6 -web-0", Remaining: 5},
		{Name: "shut", Opens: shut, Image: "b", Remaining: 6, Status: "shut until Sat 02:00 UTC: web-0, web-1, web-2, web-3, web-4 and 1 more",
			Told: "6 nodes should be replaced, and no batch begins until Sat 02:00 UTC: web-0..."},
		{Name: "for the age too", Opens: shut, Seen: func(s roster.Seen) {
			s.Aged["web-0"] = roster.Aged{Mark: roster.Mark(s.Servers["web-0"].InService), Launched: time.Unix(1<<30, 0)}
		}, Remaining: 1, Notices: waits, Status: "shut until Sat 02:00 UTC: web-0"},
		{Name: "and for the place", Opens: shut, Policy: func(p *roster.Policy) { p.Regions[0].Zones[0].Cap = 0 }, Remaining: 1,
			Notices: waits, Status: "shut until Sat 02:00 UTC: web-0"},
		{Name: "a node that comes back is for the target after one that is older", Opens: shut, Image: "b", Capacity: 36, Policy: func(p *roster.Policy) {
			u := *causes
			u.Target, u.Method, u.Causes = plans.Amount("1"), roster.Recreate, []roster.Cause{roster.Outdated}
			p.Update, p.Stateful = &u, &roster.Stateful{Retain: true}
		}, Roster: func(r *roster.Roster) {
			r.Slots = map[string]roster.Slot{}
			for i := int64(6); i < 36; i++ {
				r.Leaving[plans.Web(i)] = roster.Node{Index: i, Place: r.Nodes[plans.Web(i%6)].Place, Template: plans.Image("a"), Mark: "1", Served: true}
				r.Slots[plans.Web(i)] = roster.Slot{Index: i, Place: r.Leaving[plans.Web(i)].Place}
			}
		}, Seen: func(s roster.Seen) {
			for i := int64(6); i < 36; i++ {
				s.Servers[plans.Web(i)] = node.Node{ID: "id-" + plans.Web(i), Name: plans.Web(i), Status: "ACTIVE", InService: "1"}
			}
		}, Moves: back, Remaining: 1, Told: "1 node should be replaced, and no batch begins until Sat 02:00 UTC: web-0..."},
		{Name: "not for repair, which gets the wanted template", Opens: shut, Image: "b", Broken: "web-5", Moves: "+web-6 -web-5", Remaining: 5,
			Notices: waits},
		{Name: "nor for a candidate", Opens: shut, Image: "b", Policy: func(p *roster.Policy) { p.Candidates = []string{"web-5"} },
			Moves: "+web-6 -web-5", Remaining: 5, Notices: waits},
		{Name: "nor for going back", Opens: shut, Roster: func(r *roster.Roster) {
			plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Template = plans.Image("b") })
		}, Moves: "+web-6 -web-0"},
		{Name: "nor for what never served", Opens: shut, Image: "b", Policy: func(p *roster.Policy) { p.RequireMarks = true },
			Roster: func(r *roster.Roster) {
				plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Served, n.Template, n.Mark = false, plans.Image("c"), "2-c" })
			}, Seen: func(s roster.Seen) {
				unmarked(s)
				plans.ChangeSeen(s, "web-0", func(n *node.Node) { n.NotInService = "2-c" })
			}, Moves: "~web-0", Remaining: 5, Notices: waits},
		{Name: "what target leaves waits for no window", Opens: shut, Image: "b", Policy: func(p *roster.Policy) {
			u := *causes
			p.Update, u.Target = &u, plans.Amount("1")
		}, Remaining: 1, Notices: waits, Status: "shut until Sat 02:00 UTC: web-0"},
		{Name: "other windows were looked for", Opens: window.Opens{Of: "Sun 02:00-06:00 UTC"}, Image: "b", Remaining: 6, Notices: waits,
			Status: "shut until a refresh in Sat 02:00-06:00 UTC: web-0, web-1, web-2, web-3, web-4 and 1 more"},
		{Name: "an apply came after the look", Opens: open, Image: "b", Policy: func(p *roster.Policy) { p.Blind = true }, Remaining: 6, Notices: waits},
		{Name: "without windows nothing waits", Opens: shut, Image: "b", Update: plans.Update("1", roster.Outdated), Moves: "+web-6 -web-0", Remaining: 5},
	})
}

package learn_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
)

// TestLearnFailures has cases in which a template fails, and in which it does not.
func TestLearnFailures(t *testing.T) {
	server := func(change func(*node.Node)) func(*roster.Roster, roster.Seen, *roster.Policy) {
		return func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { plans.ChangeSeen(s, "web-0", change) }
	}
	for _, c := range []struct {
		name   string
		change func(*roster.Roster, roster.Seen, *roster.Policy)
		failed string
	}{
		{name: "a wait ended without it, in time", change: func(*roster.Roster, roster.Seen, *roster.Policy) {}, failed: "b by web-0 after 30m0s"},
		{name: "a second too early", change: server(func(s *node.Node) { s.NotInServiceAt = s.NotInServiceAt.Add(-time.Second) })},
		{name: "the clock was set back since", change: server(func(s *node.Node) { s.SeenAt = s.NotInServiceAt.Add(-time.Second) })},
		{name: "nobody waited since, however long ago", change: server(func(s *node.Node) { s.NotInServiceAt = time.Time{} })},
		{name: "the wait was for what the server was before a rebuild",
			change: server(func(s *node.Node) { s.LaunchedAt = s.NotInServiceAt.Add(time.Minute) })},
		{name: "the server did not follow the node",
			change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
				s.Builds["web-0"] = roster.Build{Mark: roster.FirstMark(plans.Image("a")), Generation: 1, Of: "some build"}
			}},
		{name: "it is in service meanwhile", change: server(func(s *node.Node) { s.InService = string(roster.FirstMark(plans.Image("b"))) })},
		{name: "it had served, and its mark was wiped: the note is late or forged", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			plans.ChangeRoster(*r, "web-0", func(n *roster.Node) { n.Served = true })
		}},
		{name: "it is stopped", change: server(func(s *node.Node) { s.Status = "SHUTOFF" })},
		{name: "no host was found", change: server(func(s *node.Node) { s.Status, s.Fault = "ERROR", plans.NoHost })},
		{name: "it was drained", change: server(func(s *node.Node) { s.Drained = true })},
		{name: "it has no server", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { plans.LoseSeen(s, "web-0") }},
		{name: "its launch is not known", change: server(func(s *node.Node) { s.LaunchedAt, s.CreatedAt = time.Time{}, time.Time{} })},
		{name: "marks are not required", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.RequireMarks = false }},
		{name: "revert_after is longer", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Update.RevertAfter += time.Second }},
		{name: "or not set", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Update.RevertAfter = 0 }},
		{name: "there is no update", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Update = nil }},
		{name: "another template is wanted", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Templates = plans.Images("c") }},
		{name: "it is the settled one", change: func(r *roster.Roster, _ roster.Seen, p *roster.Policy) {
			p.Templates, r.Settled = plans.Images("b"), plans.Images("b")
		}},
		{name: "which it becomes just now", change: func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			plans.ChangeRoster(*r, "web-2 web-3", func(n *roster.Node) { n.Template, n.Mark = plans.Image("b"), roster.FirstMark(plans.Image("b")) })
			plans.ChangeSeen(s, "web-2 web-3", func(s *node.Node) { s.InService = string(roster.FirstMark(plans.Image("b"))) })
		}},
		{name: "half of the nodes do not run: that is no outage yet", failed: "b by web-0 after 30m0s", change: func(_ *roster.Roster, s roster.Seen,
			_ *roster.Policy) {
			plans.ChangeSeen(s, "web-2", func(s *node.Node) { s.Status = "SHUTOFF" })
			plans.ChangeSeen(s, "web-3", func(s *node.Node) { s.Tainted = true })
		}},
		{name: "more is", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			plans.ChangeSeen(s, "web-1 web-2 web-3", func(s *node.Node) { s.Status = "SHUTOFF" })
		}},
		{name: "of two late nodes the first is named", failed: "b by web-0 after 30m0s", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			plans.ChangeSeen(s, "web-1", func(s *node.Node) { s.InService, s.NotInServiceAt = "", s.LaunchedAt.Add(time.Hour) })
		}},
		{name: "it failed before: nothing changes", failed: "b by web-7 after 1h0m0s", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			r.Failed = []roster.Failure{{Template: plans.Image("b").Hash(), Node: "web-7", After: time.Hour}}
		}},
		{name: "what was taken back stays failed", failed: "c by web-7 after 1h0m0s, b by web-0 after 30m0s", change: func(r *roster.Roster, _ roster.Seen,
			_ *roster.Policy) {
			r.Failed = []roster.Failure{{Template: plans.Image("c").Hash(), Node: "web-7", After: time.Hour}}
		}},
		{name: "what settled after all does not", failed: "b by web-0 after 30m0s", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			r.Failed = []roster.Failure{{Template: plans.Image("a").Hash(), Node: "web-7", After: time.Hour}}
		}},
	} {
		r, seen, policy := plans.Halfway()
		c.change(&r, seen, &policy)
		after := learn.Learn(r, seen, policy)
		var got []string
		for _, f := range after.Failed {
			for _, name := range []string{"a", "b", "c"} {
				if plans.Image(name).Hash() == f.Template {
					got = append(got, fmt.Sprintf("%s by %s after %s", name, f.Node, f.After))
				}
			}
		}
		assert.Equal(t, c.failed, strings.Join(got, ", "), c.name)
		if again := learn.Learn(after, seen, policy); !reflect.DeepEqual(again, after) {
			t.Errorf("%s: the second look changes %+v to %+v", c.name, after, again)
		}
	}
}

// TestFailuresAreBounded: the oldest failures are forgotten first.
func TestFailuresAreBounded(t *testing.T) {
	r, seen, policy := plans.Halfway()
	for i := range learn.MaxFailures {
		r.Failed = append(r.Failed, roster.Failure{Template: plans.Image(fmt.Sprint(i)).Hash(), Node: "web-7", After: time.Hour})
	}
	got := learn.Learn(r, seen, policy).Failed
	if len(got) != learn.MaxFailures || got[0].Template != plans.Image("1").Hash() || got[learn.MaxFailures-1].Template != plans.Image("b").Hash() {
		t.Errorf("got %+v", got)
	}
}

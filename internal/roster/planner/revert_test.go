package planner

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// halfway returns a cluster of four nodes with the settled template a. Its first two nodes have b, which the policy
// wants. web-1 is in service; a wait for web-0 ended without it, 30 minutes after its launch.
func halfway() (roster.Roster, roster.Seen, roster.Policy) {
	born := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	r := roster.Roster{Nodes: map[string]roster.Node{}, Next: 4, Settled: images("a")}
	for i := range int64(4) {
		template := image("a")
		if i < 2 {
			template = image("b")
		}
		r.Nodes[web(i)] = roster.Node{Index: i, Place: placement.Place{Region: "RegionOne", Zone: "az-1"}, Template: template,
			Generation: 1, Mark: roster.FirstMark(template), Served: i > 0}
	}
	seen := running(r)
	for name, n := range r.Nodes {
		changeSeen(seen, name, func(s *node.Node) { s.LaunchedAt, s.SeenAt = born, born.Add(12*time.Hour) })
		seen.Builds[name] = roster.Build{Mark: n.Mark, Generation: 1, Of: "some build"}
	}
	changeSeen(seen, "web-0", func(s *node.Node) {
		s.InService, s.NotInService, s.NotInServiceAt = "", string(roster.FirstMark(image("b"))), born.Add(30*time.Minute)
	})
	p := policy(4)
	p.Regions = []placement.Region{{Bin: bin("RegionOne", 100), Zones: []placement.Bin{bin("az-1", 100)}}}
	p.Templates, p.RequireMarks, p.Update = images("b"), true, update("2", roster.Outdated, roster.Unhealthy)
	p.Update.RevertAfter = 30 * time.Minute
	return r, seen, p
}

// TestLearnFailures has cases in which a template fails, and in which it does not.
func TestLearnFailures(t *testing.T) {
	server := func(change func(*node.Node)) func(*roster.Roster, roster.Seen, *roster.Policy) {
		return func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { changeSeen(s, "web-0", change) }
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
				s.Builds["web-0"] = roster.Build{Mark: roster.FirstMark(image("a")), Generation: 1, Of: "some build"}
			}},
		{name: "it is in service meanwhile", change: server(func(s *node.Node) { s.InService = string(roster.FirstMark(image("b"))) })},
		{name: "it had served, and its mark was wiped: the note is late or forged", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			changeRoster(*r, "web-0", func(n *roster.Node) { n.Served = true })
		}},
		{name: "it is stopped", change: server(func(s *node.Node) { s.Status = "SHUTOFF" })},
		{name: "no host was found", change: server(func(s *node.Node) { s.Status, s.Fault = "ERROR", noHost })},
		{name: "it was drained", change: server(func(s *node.Node) { s.Drained = true })},
		{name: "it has no server", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) { loseSeen(s, "web-0") }},
		{name: "its launch is not known", change: server(func(s *node.Node) { s.LaunchedAt, s.CreatedAt = time.Time{}, time.Time{} })},
		{name: "marks are not required", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.RequireMarks = false }},
		{name: "revert_after is longer", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Update.RevertAfter += time.Second }},
		{name: "or not set", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Update.RevertAfter = 0 }},
		{name: "there is no update", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Update = nil }},
		{name: "another template is wanted", change: func(_ *roster.Roster, _ roster.Seen, p *roster.Policy) { p.Templates = images("c") }},
		{name: "it is the settled one", change: func(r *roster.Roster, _ roster.Seen, p *roster.Policy) {
			p.Templates, r.Settled = images("b"), images("b")
		}},
		{name: "which it becomes just now", change: func(r *roster.Roster, s roster.Seen, _ *roster.Policy) {
			changeRoster(*r, "web-2 web-3", func(n *roster.Node) { n.Template, n.Mark = image("b"), roster.FirstMark(image("b")) })
			changeSeen(s, "web-2 web-3", func(s *node.Node) { s.InService = string(roster.FirstMark(image("b"))) })
		}},
		{name: "half of the nodes do not run: that is no outage yet", failed: "b by web-0 after 30m0s", change: func(_ *roster.Roster, s roster.Seen,
			_ *roster.Policy) {
			changeSeen(s, "web-2", func(s *node.Node) { s.Status = "SHUTOFF" })
			changeSeen(s, "web-3", func(s *node.Node) { s.Tainted = true })
		}},
		{name: "more is", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			changeSeen(s, "web-1 web-2 web-3", func(s *node.Node) { s.Status = "SHUTOFF" })
		}},
		{name: "of two late nodes the first is named", failed: "b by web-0 after 30m0s", change: func(_ *roster.Roster, s roster.Seen, _ *roster.Policy) {
			changeSeen(s, "web-1", func(s *node.Node) { s.InService, s.NotInServiceAt = "", s.LaunchedAt.Add(time.Hour) })
		}},
		{name: "it failed before: nothing changes", failed: "b by web-7 after 1h0m0s", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			r.Failed = []roster.Failure{{Template: image("b").Hash(), Node: "web-7", After: time.Hour}}
		}},
		{name: "what was taken back stays failed", failed: "c by web-7 after 1h0m0s, b by web-0 after 30m0s", change: func(r *roster.Roster, _ roster.Seen,
			_ *roster.Policy) {
			r.Failed = []roster.Failure{{Template: image("c").Hash(), Node: "web-7", After: time.Hour}}
		}},
		{name: "what settled after all does not", failed: "b by web-0 after 30m0s", change: func(r *roster.Roster, _ roster.Seen, _ *roster.Policy) {
			r.Failed = []roster.Failure{{Template: image("a").Hash(), Node: "web-7", After: time.Hour}}
		}},
	} {
		r, seen, policy := halfway()
		c.change(&r, seen, &policy)
		after := learn.Learn(r, seen, policy)
		var got []string
		for _, f := range after.Failed {
			for _, name := range []string{"a", "b", "c"} {
				if image(name).Hash() == f.Template {
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
	r, seen, policy := halfway()
	for i := range learn.MaxFailures {
		r.Failed = append(r.Failed, roster.Failure{Template: image(fmt.Sprint(i)).Hash(), Node: "web-7", After: time.Hour})
	}
	got := learn.Learn(r, seen, policy).Failed
	if len(got) != learn.MaxFailures || got[0].Template != image("1").Hash() || got[learn.MaxFailures-1].Template != image("b").Hash() {
		t.Errorf("got %+v", got)
	}
}

// TestRevert has plans after the given template failed.
func TestRevert(t *testing.T) {
	zone := placement.Place{Region: "RegionTwo", Zone: "az-1"}
	second := placement.Region{Bin: bin("RegionTwo", 100), Zones: []placement.Bin{bin("az-1", 100)}}
	for _, c := range []struct {
		name      string
		change    func(*roster.Roster, *roster.Policy)
		moves     string
		remaining int64
		status    string // status before the plan
		says      string
	}{
		{name: "the settled one is wanted again", change: func(*roster.Roster, *roster.Policy) {}, moves: "+web-4 -web-1 ~web-0",
			status: "reverted: the template of web-0 failed, 2 nodes go back",
			says:   "it has image b, new nodes get a. 2 nodes go back: web-0, web-1."},
		{name: "also a canary, to the last node", change: func(_ *roster.Roster, p *roster.Policy) {
			p.Update.Target, p.Update.BatchSize = amount("25%"), amount("1")
		},
			moves: "~web-0", remaining: 1, status: "reverted: the template of web-0 failed, 2 nodes go back", says: "2 nodes go back"},
		{name: "one node has it", change: func(r *roster.Roster, _ *roster.Policy) {
			changeRoster(*r, "web-1", func(n *roster.Node) { n.Template, n.Mark = image("a"), roster.FirstMark(image("a")) })
		}, moves: "~web-0", status: "reverted: the template of web-0 failed, 1 node goes back", says: "1 node goes back: web-0."},
		{name: "no node has it any more", change: func(r *roster.Roster, _ *roster.Policy) {
			changeRoster(*r, "web-0 web-1", func(n *roster.Node) { n.Template, n.Mark = image("a"), roster.FirstMark(image("a")) })
		}, status: "reverted: the template of web-0 failed", says: "No node has the failed one any more."},
		{name: "another template is wanted as any", change: func(_ *roster.Roster, p *roster.Policy) { p.Templates = images("c") },
			moves:     "+web-4 -web-1 ~web-0",
			remaining: 2, status: "behind: 4 of 4 nodes to replace"},
		{name: "the settled one is not failed", change: func(r *roster.Roster, p *roster.Policy) {
			r.Failed[0].Template, p.Templates = image("a").Hash(), images("a")
		},
			moves: "+web-4 -web-1 ~web-0", status: "behind: 2 of 4 nodes to replace"},
		{name: "without revert_after nothing failed", change: func(_ *roster.Roster, p *roster.Policy) { p.Update.RevertAfter = 0 },
			moves: "+web-4 -web-2", remaining: 1, status: "behind: 2 of 4 nodes to replace"},
		{name: "nothing is settled: it holds", change: func(r *roster.Roster, _ *roster.Policy) { r.Settled = nil }, remaining: 2,
			status: "held: the template of web-0 failed, and there is no settled one to go back to", says: "There is no settled template to go back to"},
		{name: "the template of one place takes all back", change: func(r *roster.Roster, p *roster.Policy) {
			p.Templates, p.Regions = roster.NewTemplates(map[placement.Place]roster.Template{{}: image("b"), zone: image("z")}), append(p.Regions, second)
			r.Failed[0].Template = image("z").Hash()
		}, moves: "+web-4 -web-1 ~web-0",
			status: "reverted: the template of web-0 failed, 2 nodes go back", says: "it has image z, new nodes get a. 2 nodes go back"},
		{name: "but not of one that is not listed any more", change: func(r *roster.Roster, p *roster.Policy) {
			p.Templates = roster.NewTemplates(map[placement.Place]roster.Template{{}: image("b"), {Region: "RegionThree"}: image("z")})
			r.Failed[0].Template = image("z").Hash()
		}, moves: "+web-4 -web-2", remaining: 1, status: "behind: 2 of 4 nodes to replace"},
		{name: "a place without a settled template keeps its own", change: func(r *roster.Roster, p *roster.Policy) {
			p.Templates = roster.NewTemplates(map[placement.Place]roster.Template{{Region: "RegionOne"}: image("b"), {Region: "RegionTwo"}: image("z")})
			p.Capacity, r.Settled = 6, roster.Templates{{Region: "RegionOne"}: image("a")}
			p.Regions[0].Cap, p.Regions = 4, append(p.Regions, second)
		}, moves: "+web-4 +web-5 +web-6 -web-1 ~web-0",
			status: "reverted: the template of web-0 failed, 2 nodes go back", says: "2 nodes go back"},
	} {
		r, seen, policy := halfway()
		r.Failed = []roster.Failure{{Template: image("b").Hash(), Node: "web-0", After: 42 * time.Minute}}
		c.change(&r, &policy)
		_, change, err := Plan(r, seen, policy)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.moves, moves(change), c.name)
		assert.Equal(t, c.remaining, change.Remaining, c.name)
		assert.Equal(t, c.status, change.Now, c.name)
		var texts []string
		for _, n := range change.Notices {
			if n.Title == "The template failed, and the settled one is wanted again" || n.Title == "The template failed, and there is none to go back to" {
				texts = append(texts, n.Text)
			}
		}
		all := strings.Join(texts, "\n")
		if !strings.Contains(all, c.says) || (all == "") != (c.says == "") ||
			all != "" && !strings.Contains(all, "The template of web-0 failed: its server had run for 42m when a wait for it ended") {
			t.Errorf("%s: %q", c.name, all)
		}
	}
}

// TestUnattended: a pipeline applies again and again with any template, and a person names the nodes that failed twice.
// A bad template reaches at most a batch of nodes, and goes back completely, once. A good template arrives, even if its
// servers are slow.
func TestUnattended(t *testing.T) {
	for _, method := range []string{roster.Substitute, roster.InPlace, roster.Recreate} {
		t.Run(method, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { unattended(t, method) })
		})
	}
}

func unattended(t *rapid.T, method string) {
	w := newWorld(t)
	w.late, w.wait = rapid.Int64Range(1, 99).Draw(t, "late"), rapid.Int64Range(1, 60).Draw(t, "wait")
	policy := roster.Policy{Name: web, Capacity: rapid.Int64Range(1, 9).Draw(t, "capacity"), Regions: twoRegions(),
		Criteria: genCriteria.Draw(t, "criteria"), Templates: images("first"), RequireMarks: true}
	policy.Update = update(fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "batch")), roster.Unhealthy, roster.Outdated)
	policy.Update.StopAbove, policy.Update.Method = amount("100%"), method
	policy.Update.RevertAfter = time.Duration(rapid.IntRange(100, 300).Draw(t, "revert after")) * time.Second
	policy.Update.Pause = rapid.SampledFrom([]time.Duration{0, 0, 50 * time.Second}).Draw(t, "pause")
	batch := policy.Batch()
	last := "first"
	for i, kind := range append([]string{"first"}, rapid.SliceOfN(rapid.SampledFrom([]string{"good", "bad", "late", "bad"}), 1, 4).Draw(t, "given")...) {
		name := kind
		if i > 0 {
			name = fmt.Sprintf("%s-%d", kind, i)
		}
		w.bad[name] = kind == "bad"
		policy.Templates = images(name)
		reverted := 0
		for quiet, applies := 0, 0; quiet < 3; applies++ {
			if applies == 1000 {
				t.Fatalf("%s does not end: %s, failed %v", name, layout(w.roster), w.roster.Failed)
			}
			failed := len(w.roster.Failed)
			w.start()
			change := w.round(policy, rapid.SampledFrom([]int{1000, 1000, 1000, 2, 5}).Draw(t, "crash"))
			if change == nil {
				t.Fatalf("there is no plan for %s", layout(w.roster))
			}
			policy.Candidates = slices.DeleteFunc(change.Held(hold.Twice, hold.Servers), func(v verdict.Verdict) bool {
				return v.Hold == hold.Servers && v.Cause != roster.Unhealthy // it did not fail
			}).Names() // as the notice says
			reverted += len(w.roster.Failed) - failed
			has := int64(0)
			for _, n := range w.roster.Nodes {
				if n.Template == image(name) {
					has++
				}
			}
			if kind == "bad" && has > batch {
				t.Fatalf("%d nodes have the bad template, in batches of %d", has, batch)
			}
			settled := change.Empty() && change.Remaining == 0 && w.all(facts.Judge(w.roster, policy).Wanted.At(placement.Place{}).Values()["image"])
			if quiet++; !settled {
				quiet = 0
			}
			w.pass(20)
		}
		want := name
		if kind == "bad" {
			want = last
		}
		if reverted > 1 || (reverted > 0) != (kind == "bad") || !w.all(want) {
			t.Fatalf("%s failed %d times; at rest %s", name, reverted, layout(w.roster))
		}
		last = want
	}
}

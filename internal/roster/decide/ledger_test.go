package decide

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/amount"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"pgregory.net/rapid"
)

// TestLedger: after each want the counts of the ledger are the ones that a recount of its verdicts gives.
func TestLedger(t *testing.T) {
	_ = flag.Lookup("rapid.checks").Value.Set("2000") // it takes half a second
	rapid.Check(t, func(t *rapid.T) {
		now, seen, policy := anyCluster(t)
		p, err := newLedger(now, seen, policy)
		if err != nil {
			return
		}
		p.asked = func(w verdict.Want) {
			if got, want := p.counts(), p.recount(); got != want {
				t.Fatalf("after %+v the ledger counts %s, and its verdicts say %s", w, got, want)
			}
		}
		_ = p.wants() // a shrink may have too few nodes
	})
}

func (p *ledger) counts() string {
	return fmt.Sprint(len(p.staying), p.rollout.current, p.Unmade, p.Baking, p.Unchanged, p.Out)
}

// recount counts from the facts and verdicts alone.
func (p *ledger) recount() string {
	var left, current, unmade, baking, unchanged, out int64
	all := maps.Clone(p.All)
	for name, v := range p.verdicts {
		if v.Outcome == verdict.Returns {
			all[name] = v.Fact
		}
	}
	for name, f := range all {
		v := p.verdicts[name]
		template, stays := f.Template, v.Outcome != verdict.Leaves
		if v.Outcome == verdict.Changes {
			template = v.After.Template
		}
		add(&left, 1, stays)
		add(&current, 1, stays && template == p.Policy.Templates.At(f.Place))
		add(&unmade, 1, stays && f.Server.ID == "")
		if v.Outcome != verdict.Returns {
			add(&baking, 1, f.Bakes && (stays || v.What == verdict.Replaced))
			add(&unchanged, 1, f.StandsUnchanged() && !p.granted(name))
		}
		switch {
		case v.Outcome == verdict.Leaves && v.What == verdict.Surplus:
			add(&out, 1, f.Is == facts.Serving)
		case v.Outcome == verdict.Leaves && v.What != verdict.Replaced:
		case v.What == verdict.TakenBack:
			add(&out, 1, v.Undone.Out())
		default:
			add(&out, 1, f.Out() || v.Outcome == verdict.Changes)
		}
	}
	return fmt.Sprint(left, current, unmade, baking, unchanged, out)
}

// anyCluster draws up to seven nodes in two zones, and a policy.
func anyCluster(t *rapid.T) (roster.Roster, roster.Seen, roster.Policy) {
	yes := func(label string) bool { return rapid.IntRange(1, 4).Draw(t, label) == 1 }
	name := func(i int64) string { return fmt.Sprint("web-", i) }
	image := func() roster.Template {
		return roster.NewTemplate(map[string]string{"image": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "image")})
	}
	bin := func(name string) placement.Bin { return placement.Bin{Name: name, Weight: 1, Cap: placement.Unlimited} }
	count, _ := amount.Parse(rapid.SampledFrom([]string{"1", "2", "50%"}).Draw(t, "batch"))
	whole, _ := amount.Parse("100%")
	seen, policy := roster.NewSeen(), roster.Policy{Name: name, RequireMarks: true, Templates: roster.Templates{{}: image()},
		Regions: []placement.Region{{Bin: bin("R"), Zones: []placement.Bin{bin("1"), bin("2")}}}, Begins: yes("begins"),
		Update: &roster.Update{Causes: []roster.Cause{roster.Outdated, roster.Unhealthy, roster.Misplaced, roster.TooOld}, BatchSize: count, Target: whole,
			StopAbove: whole, Method: rapid.SampledFrom([]string{roster.Substitute, roster.InPlace, roster.Recreate}).Draw(t, "method"), Pause: time.Hour}}
	r := roster.Roster{Nodes: map[string]roster.Node{}, Leaving: map[string]roster.Node{}, Before: map[string]roster.Node{}, Next: 9}
	for i := range rapid.Int64Range(1, 7).Draw(t, "nodes") {
		n := roster.Node{Index: i, Place: placement.Place{Region: "R", Zone: rapid.SampledFrom([]string{"1", "2", "old"}).Draw(t, "zone")},
			Template: image(), Generation: 2, Served: !yes("new"), Retried: yes("retried")}
		n.Mark = roster.MarkOf(2, n.Template)
		s := node.Node{ID: "id-" + name(i), Region: "R", Zone: n.Zone, Locked: yes("locked"), Tainted: yes("tainted"),
			Status:    rapid.SampledFrom([]string{"ACTIVE", "ACTIVE", "ACTIVE", "ERROR", "SHUTOFF"}).Draw(t, "status"),
			InService: rapid.SampledFrom([]string{string(n.Mark), string(n.Mark), "1-former", ""}).Draw(t, "mark")}
		switch {
		case yes("not followed"):
			seen.Builds[name(i)] = roster.Build{Mark: "1-old", Generation: 1}
		case yes("undone"):
			r.Before[name(i)] = roster.Node{Index: i, Place: n.Place, Template: image(), Mark: "1-former"}
		}
		seen.Servers[name(i)], seen.Baking[name(i)] = s, yes("bakes")
		if yes("leaving") {
			n.StandsIn = true
			r.Leaving[name(i)] = n
		} else {
			r.Nodes[name(i)] = n
			policy.Capacity++
		}
		if yes("candidate") {
			policy.Candidates = append(policy.Candidates, name(i))
		}
	}
	policy.Capacity = max(0, policy.Capacity+rapid.Int64Range(-1, 1).Draw(t, "change"))
	return r, seen, policy
}

// TestFailed: what an error tells to delete never served, as far as anybody knows.
func TestFailed(t *testing.T) {
	own, silent := node.Node{ID: "own", Status: "ACTIVE"}, node.Node{ID: "silent", Status: "ACTIVE", NotInService: "1"}
	broken, older := node.Node{ID: "broken", Status: "ERROR"}, node.Node{ID: "older", Status: "ACTIVE"}
	for _, c := range []struct {
		what           string
		served, leaves bool
		servers        []node.Node
		want           []string
	}{
		{"alone and silent: it is waited for", false, false, []node.Node{silent}, nil},
		{"silent, and leaves", false, true, []node.Node{silent}, []string{"web-0 (silent)"}},
		{"never asked, and leaves", false, true, []node.Node{own}, []string{"web-0 (own)"}},
		{"silent beside another one", false, false, []node.Node{silent, older}, []string{"web-0 (silent)"}},
		{"in ERROR", true, false, []node.Node{own, broken}, []string{"web-0 (broken)"}},
		{"a silent one beside one that served", true, false, []node.Node{own, silent}, []string{"web-0 (silent)"}},
		{"an older one of a node that served may serve", true, true, []node.Node{own, older}, nil},
	} {
		now, seen := roster.Roster{}.Clone(), roster.NewSeen()
		nodes := now.Nodes
		if c.leaves {
			nodes = now.Leaving
		}
		nodes["web-0"] = roster.Node{Served: c.served}
		seen.Servers["web-0"], seen.Others["web-0"] = c.servers[0], c.servers[1:]
		if got := failed(now, seen); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

package roster

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"pgregory.net/rapid"
)

// TestLedger: after each want the balances of the ledger are what a recount of its verdicts gives.
func TestLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, seen, policy := genState(t)
		p, err := prepare(r, seen, policy)
		if err != nil {
			return
		}
		grows, whole := false, true
		p.wants(p.named, p.surplus, daysOf(p.all, p.policy), func(w want) {
			p.decide(w)
			recount(t, p.ledger, p.all)
			grows = grows || w.what == grown
			whole = whole && (!grows || int64(len(p.left))+p.pending == p.policy.Capacity)
		})
		if p.err != nil || p.tooFew() != nil {
			return
		}
		if !whole {
			t.Fatalf("%d nodes are left, %d come, and the capacity is %d", len(p.left), p.pending, p.policy.Capacity)
		}
		come, err := p.arrive()
		if err != nil || int64(len(p.left)+len(come.returned))+come.counts.Total() != p.policy.Capacity {
			t.Fatalf("%d nodes are left, %d return, %v come: %v", len(p.left), len(come.returned), come.counts, err)
		}
	})
}

// recount counts what the ledger of all nodes keeps.
func recount(t *rapid.T, l *ledger, all facts) {
	wanted, out := int64(0), set{}
	for name, f := range l.left {
		template := f.Template
		if v := l.verdicts[name]; v.Outcome == Changes {
			template = v.after.Template
		}
		if template == l.policy.Templates.At(f.Place) {
			wanted++
		}
	}
	for name, f := range all {
		v, what := l.verdicts[name], l.verdicts[name].want.what
		leaves, takes := v.Outcome == Leaves, what == remade || what == replaced
		serves := f.trouble == "" && !f.unseen
		switch {
		case leaves && what == surplus:
			out[name] = f.trouble == ""
		case leaves && !takes:
		case v.Outcome == Changes && takes:
			out[name] = true
		default:
			out[name] = !serves
		}
	}
	maps.DeleteFunc(out, func(_ string, is bool) bool { return !is })
	switch {
	case wanted != l.aim.current:
		t.Fatalf("%d nodes have the wanted template, and %d are counted", wanted, l.aim.current)
	case l.taken > l.size:
		t.Fatalf("%d are taken of %d", l.taken, l.size)
	case !maps.Equal(out, l.out):
		t.Fatalf("out of service are %v, and %v are counted", out, l.out)
	}
	for what, boards := range map[string][2]*placement.Board{
		"space": {l.space, boardOf(l.left, l.policy.Regions, l.full)},
		"open":  {l.open, boardOf(l.left, l.policy.Regions, nil)},
	} {
		if kept, counted := rooms(boards[0]), rooms(boards[1]); !maps.Equal(kept, counted) {
			t.Fatalf("%s: the room is %v, and of what is left %v", what, kept, counted)
		}
	}
}

// rooms are the nodes of a board, and which of its places are closed.
func rooms(board *placement.Board) map[string]int64 {
	all := map[string]int64{}
	for _, row := range board.Rows() {
		if n := row.Bin.Current; n > 0 || row.Bin.Weight > 0 {
			all[fmt.Sprintf("%s zone %v closed %v", row.Place, row.IsZone, row.Bin.Closed)] = n
		}
	}
	return all
}

// TestMayServe: a node whose mark somebody wiped, or whose server did not follow it, may serve. It waits as others that
// serve do, and those that did not follow do not wait for each other.
func TestMayServe(t *testing.T) {
	wipe := func(s Seen, name string) { s.change(name, func(n *node.Node) { n.InService = "" }) }
	for _, c := range []struct {
		name   string
		change func(*Roster, Seen, *Policy)
		want   string // held nodes with why, and what is replaced
	}{
		{
			name: "one without a mark waits for pause",
			change: func(r *Roster, s Seen, p *Policy) {
				p.Templates = Templates{placement.Place{}: image("b"), {Region: "RegionOne", Zone: "az-1"}: image("a")}
				s.Baking["web-0"], p.Update.Pause = true, time.Hour
				for _, name := range r.Names()[1:] {
					wipe(s, name)
				}
			},
			want: "[web-1:bakes web-2:bakes web-3:bakes web-4:bakes web-5:bakes] []",
		},
		{
			name: "one without a mark and with the wanted template waits for another",
			change: func(_ *Roster, s Seen, p *Policy) {
				p.Update = update("1", TooOld)
				wipe(s, "web-0")
				wipe(s, "web-1")
				s.Aged["web-0"] = Aged{mark(image("a")), time.Unix(1<<30, 0)}
			},
			want: "[web-0:waits] []",
		},
		{
			name: "of two that did not follow one is made again, when both are named",
			change: func(r *Roster, s Seen, p *Policy) {
				p.Update.Method, p.Candidates = Recreate, []string{"web-0", "web-1"}
				for _, name := range p.Candidates {
					n := r.Nodes[name]
					n.Generation, n.Mark, n.Served = 2, n.Mark.next(n.Template), false
					r.Nodes[name] = n
					s.Builds[name] = Build{mark(n.Template), 1, ""}
					s.change(name, func(server *node.Node) { server.InService = string(n.Mark) })
				}
			},
			want: "[web-0:batch] [web-1]",
		},
	} {
		p := policy(6)
		p.Templates, p.Update, p.RequireMarks = images("a"), update("1", Outdated), true
		r := six(t, image("a"))
		for name, n := range r.Nodes {
			n.Served = true
			r.Nodes[name] = n
		}
		seen := running(r)
		c.change(&r, seen, &p)
		_, change, err := Plan(r, seen, p)
		holds := []string{}
		for _, v := range change.Of(Held) {
			holds = append(holds, v.Name+":"+string(v.Hold))
		}
		if got := fmt.Sprint(holds, append(change.Names(Leaves), change.Names(Changes)...)); err != nil || got != c.want {
			t.Errorf("%s: %s, want %s: %v", c.name, got, c.want, err)
		}
	}
}

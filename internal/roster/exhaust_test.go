package roster_test

import (
	"cmp"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

var exhaust = flag.String("exhaust", "small", "how large the clusters of TestExhaust are: small, whole or night")

// TestExhaust asks for a plan of every small cluster, and of all histories of small clusters up to a depth, and compares
// each with what a user was promised. It knows nothing of how a plan is made: what a look at a node proves is one table
// (looks), what was promised another (promises), and what an adversary does in a history two more (lies, outcomes).
func TestExhaust(t *testing.T) {
	size := map[string]int{"small": 2, "whole": 3, "night": 4}[*exhaust]
	if size == 0 {
		t.Fatalf("no size is called %q", *exhaust)
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			began := time.Now()
			total := spread(func(ask func(question)) { part.ask(size, ask) })
			total.report(t, began)
		})
	}
	for _, method := range []string{roster.Substitute, roster.Recreate, roster.InPlace}[:size] {
		for _, calm := range []bool{false, true} {
			name, depth := "histories, ", size
			if calm {
				name, depth = "histories with honest looks, ", 3+2*size
			}
			t.Run(name+method, func(t *testing.T) {
				began := time.Now()
				q := question{method: method, batch: 1, capacity: 2, causes: []roster.Cause{roster.Unhealthy, roster.Outdated}, stop: "50%", target: "100%"}
				histories(t, q, depth, []int{0, 0, 80, 400, 2000}[size], calm).report(t, began)
			})
		}
	}
}

// parts are the clusters that are asked about, by the number of nodes of the largest.
var parts = []struct {
	name string
	ask  func(size int, ask func(question))
}{
	{"one plan", func(size int, ask func(question)) {
		for n := 1; n <= size; n++ {
			bags(kinds(looks, "ab", home), n, func(nodes []kind) {
				for batch := range min(int64(n), 2) {
					q := question{nodes: nodes, capacity: int64(n), batch: batch + 1}
					if q.updates(ask, roster.Substitute, roster.Recreate); n <= 2 {
						q.updates(ask, roster.InPlace, stateful)
					}
				}
			})
		}
	}},
	{"nodes that leave", func(size int, ask func(question)) {
		leavers := append(kinds([]look{{"served own", serves}, {"served", open}, {"missing served", open}, {"noted", accused}}, "a", home),
			kinds([]look{{"served own", serves}, {"ERROR", out}}, "b", home)...)
		for n := 1; n < size; n++ {
			for left := 1; left <= 2; left++ {
				bags(kinds(looks, "ab", home), n, func(nodes []kind) {
					bags(leavers, left, func(leaving []kind) {
						question{nodes: nodes, leaving: leaving, capacity: int64(n)}.updates(ask, roster.Substitute, roster.Recreate)
					})
				})
			}
		}
	}},
	{"another size", func(size int, ask func(question)) {
		for n := 1; n <= size; n++ {
			bags(kinds(looks, "ab", home), n, func(nodes []kind) {
				question{nodes: nodes, capacity: int64(n - 1)}.updates(ask, roster.Substitute, roster.Recreate)
				question{nodes: nodes, capacity: int64(n + 1)}.updates(ask, roster.Substitute, roster.Recreate)
			})
		}
	}},
	{"age and placement", func(size int, ask func(question)) {
		few := kinds([]look{{"served own", serves}, {"aged served own", serves}, {"ERROR served own", out}, {"new", open}}, "b", zones...)
		for n := 1; n <= size+1; n++ {
			for left := 0; left <= min(2, size+1-n); left++ {
				bags(few, n, func(nodes []kind) {
					bags(few[:4], left, func(leaving []kind) {
						for _, causes := range [][]roster.Cause{{roster.TooOld}, {roster.Misplaced}, {roster.Unhealthy, roster.Misplaced, roster.TooOld}} {
							for batch := range int64(2) {
								q := question{nodes: nodes, leaving: leaving, capacity: int64(n), batch: batch + 1, zoned: true, causes: causes, stop: "100%"}
								q.by(ask, roster.Substitute, roster.Recreate)
							}
						}
					})
				})
			}
		}
	}},
	{"other policies", func(size int, ask func(question)) {
		for _, v := range variants {
			for n := 1; n <= min(size, 3); n++ {
				bags(append(v.more, kinds(looks, "ab", home)...), n, func(nodes []kind) {
					q := question{nodes: nodes, capacity: int64(n), causes: []roster.Cause{roster.Unhealthy, roster.Outdated}}
					if v.change(&q); v.more == nil || slices.ContainsFunc(nodes, func(k kind) bool { return slices.Contains(v.more, k) }) {
						q.by(ask, v.methods()...)
					}
				})
			}
		}
	}},
}

// variants are policies and moments that change what a plan may do, and nodes that matter then.
var variants = []variant{
	{change: func(q *question) { q.unmarked = true }},
	{change: func(q *question) { q.stop = "0%" }},
	{change: func(q *question) { q.stop = "100%" }},
	{change: func(q *question) { q.target = "50%" }},
	{change: func(q *question) { q.settled = true }},
	{change: func(q *question) { q.failed = true }},
	{change: func(q *question) { q.failed, q.capacity = true, q.capacity-1 }},
	{change: func(q *question) { q.blind = true }},
	{change: func(q *question) { q.named = true }},
	{change: func(q *question) { q.named, q.met = true, true }},
	{change: func(q *question) { q.named, q.begins = true, true }},
	{change: func(q *question) { q.named, q.met = true, true }, gone: true},
	{change: func(q *question) { q.pauses = true }, more: kinds([]look{{"bakes served own", serves}}, "b", home)},
	{change: func(q *question) { q.rests = "closed" }, more: kinds(looks, "a", closed)},
	{change: func(q *question) { q.rests = "opened" }, more: kinds(looks, "a", closed)},
	{change: func(q *question) { q.rests = "unreachable" }, more: kinds(looks, "a", closed)},
	{change: func(*question) {}, more: kinds(looks, "?", home)}, // an import
}

type variant struct {
	change func(q *question)
	more   []kind
	gone   bool // the update was taken out
}

func (v variant) methods() []string {
	if v.gone {
		return []string{""}
	}
	return []string{roster.Substitute, roster.Recreate}
}

// updates asks for what is updated for being unhealthy, for its template, and for both.
func (q question) updates(ask func(question), methods ...string) {
	for _, q.causes = range [][]roster.Cause{{roster.Unhealthy, roster.Outdated}, {roster.Outdated}, {roster.Unhealthy}} {
		q.by(ask, methods...)
	}
}

// by asks for each of some methods.
func (q question) by(ask func(question), methods ...string) {
	q.batch, q.target, q.stop = cmp.Or(q.batch, 1), cmp.Or(q.target, "100%"), cmp.Or(q.stop, "50%")
	for _, q.method = range methods {
		ask(q)
	}
}

// bags calls do with each choice of a number of things, in which one may be there more than once.
func bags[T any](things []T, number int, do func([]T)) {
	var choose func(choice []T, from int)
	choose = func(choice []T, from int) {
		if len(choice) == number {
			do(choice)
			return
		}
		for i := from; i < len(things); i++ {
			choose(append(choice[:len(choice):len(choice)], things[i]), i)
		}
	}
	choose(nil, 0)
}

// spread has all processors ask: each goes through all questions, and asks its share.
func spread(questions func(ask func(question))) *tally {
	total, share := newTally(), runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for mine := range share {
		wait.Go(func() {
			own, i := newTally(), 0
			questions(func(q question) {
				if i++; i%share == mine {
					own.judge(q.String, q.plan())
				}
			})
			total.merge(own)
		})
	}
	wait.Wait()
	return total
}

// plan plans for a cluster.
func (q question) plan() plan {
	before, seen := q.cluster()
	p := plan{question: q, before: before}
	policy := q.policy()
	p.after, p.change, p.err = roster.Plan(before, seen, policy)
	p.had, p.servers = int64(len(before.Nodes)+len(before.Leaving)), int64(len(p.after.Nodes)+len(p.after.Leaving))
	p.status = p.change.Status(policy, 0)
	verdicts := map[string]roster.Verdict{}
	for _, v := range p.change.Verdicts {
		verdicts[v.Name] = v
	}
	for i, k := range slices.Concat(q.leaving, q.nodes) {
		m := member{kind: k, Verdict: verdicts[named(int64(i))], truth: q.truthOf(k), leaving: i < len(q.leaving), met: q.met && i == len(q.leaving)}
		m.taken = m.Outcome == roster.Changes || m.Outcome == roster.Leaves && m.Cause != "" && q.keeps()
		p.members = append(p.members, m)
	}
	return p
}

// tally counts what breaks promises, by the promise and the kind.
type tally struct {
	sync.Mutex
	asked int
	found map[[2]string]found
}

// found is how often a promise was broken in one way, and the smallest cluster that shows it.
type found struct {
	times   int
	example string
}

func newTally() *tally { return &tally{found: map[[2]string]found{}} }

func (f found) and(g found) found {
	if f.times == 0 || len(g.example) < len(f.example) {
		f.example = g.example
	}
	f.times += g.times
	return f
}

// judge compares a plan with all promises.
func (t *tally) judge(cluster func() string, p plan) {
	t.asked++
	for _, promise := range promises {
		if p.err != nil && promise.sentence != promises[0].sentence {
			return
		}
		if how := promise.broken(p); how != "" {
			t.add(promise.sentence, p.way()+how, cluster()+"\n            "+cmp.Or(moves(p.change), "nothing changes")+"; "+p.status)
		}
	}
}

func (t *tally) add(sentence, kind, example string) {
	of := [2]string{sentence, kind}
	t.found[of] = t.found[of].and(found{1, example})
}

func (p plan) way() string {
	if p.keeps() {
		return "in place: "
	}
	return "substitutes: "
}

// moves says what a plan does.
func moves(c roster.Change) string {
	var list []string
	for _, v := range c.Verdicts {
		switch v.Outcome {
		case roster.Stays:
		case roster.Held:
			list = append(list, fmt.Sprintf("%s held (%s)", v.Name, v.Hold))
		default:
			list = append(list, strings.TrimSuffix(fmt.Sprintf("%s %s (%s)", v.Name, v.Outcome, v.Cause), " ()"))
		}
	}
	return strings.Join(list, ", ")
}

func (t *tally) merge(o *tally) {
	t.Lock()
	defer t.Unlock()
	t.asked += o.asked
	for kind, f := range o.found {
		t.found[kind] = t.found[kind].and(f)
	}
}

// shown bounds how many kinds of each promise a report shows.
const shown = 3

// report fails a test where promises are broken: with how often, and the smallest cluster of each of the most frequent kinds.
func (t *tally) report(tt *testing.T, began time.Time) {
	times, text := 0, ""
	var sentences []string
	for _, promise := range promises {
		sentences = append(sentences, promise.sentence)
	}
	for _, way := range goesOn {
		sentences = append(sentences, way.sentence)
	}
	for _, sentence := range sentences {
		of, kinds := 0, []string{}
		for kind, f := range t.found {
			if kind[0] == sentence {
				of, kinds = of+f.times, append(kinds, kind[1])
			}
		}
		if times += of; of == 0 {
			continue
		}
		text += fmt.Sprintf("\n%7d times of %d kinds: %s", of, len(kinds), sentence)
		frequent := func(a, b string) int {
			return cmp.Or(t.found[[2]string{sentence, b}].times-t.found[[2]string{sentence, a}].times, strings.Compare(a, b))
		}
		slices.SortFunc(kinds, frequent)
		for _, kind := range kinds[:min(shown, len(kinds))] {
			f := t.found[[2]string{sentence, kind}]
			text += fmt.Sprintf("\n        %7d %s\n            %s", f.times, kind, f.example)
		}
	}
	summary := fmt.Sprintf("%d clusters asked, %d promises broken in %d ways, %.1f s", t.asked, times, len(t.found), time.Since(began).Seconds())
	if times > 0 {
		tt.Errorf("%s%s", summary, text)
		return
	}
	tt.Log(summary)
}

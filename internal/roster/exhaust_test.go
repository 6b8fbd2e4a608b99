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

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

var exhaust = flag.String("exhaust", "small", "how large the clusters of TestExhaust are: small, whole or night")

// TestExhaust asks for a plan of every small cluster, and of every short history of one, and compares each with what a user
// was promised. It knows nothing of how a plan is made. Whoever reads it needs four tables: what a look at a node proves
// (looks), what was promised (promises), what an adversary does (lies, outcomes), and what is asked (parts).
func TestExhaust(t *testing.T) {
	size := map[string]int{"small": 2, "whole": 3, "night": 4}[*exhaust]
	if size == 0 {
		t.Fatalf("there is no size %q", *exhaust)
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			report(t, spread(func(ask func(question)) { part.ask(size, ask) }))
		})
	}
	for _, calm := range []bool{false, true} {
		question{capacity: 2, causes: ill, wanted: "a"}.by(func(q question) {
			name, depth := "histories, "+q.method, size
			if calm {
				name, depth = "histories with honest looks, "+q.method, 3+2*size
			}
			t.Run(name, func(t *testing.T) { report(t, histories(q, depth, []int{80, 400, 2000}[size-2], calm)) })
		}, []string{roster.Substitute, roster.Recreate, roster.InPlace}[:min(size, 3)]...)
	}
}

// ill are the causes that most questions are about.
var ill = []roster.Cause{roster.Unhealthy, roster.Outdated}

// parts are the clusters that are asked about, up to a size.
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
						q.updates(ask, roster.InPlace, stateful) // which differ only in what Terraform does
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
		for n := 1; n <= min(size, 3); n++ {
			bags(kinds(looks, "ab", home), n, func(nodes []kind) {
				for _, by := range []int64{-1, 1} {
					question{nodes: nodes, capacity: int64(n) + by}.updates(ask, roster.Substitute, roster.Recreate)
				}
			})
		}
	}},
	{"age and placement", func(size int, ask func(question)) {
		few := kinds([]look{{"served own", serves}, aged, {"ERROR served own", out}, {"new", open}}, "b", zones...)
		for n := 1; n <= size+1; n++ {
			for left := 0; left <= min(2, size+1-n); left++ {
				bags(few, n, func(nodes []kind) {
					bags(few[:4], left, func(leaving []kind) {
						for _, causes := range [][]roster.Cause{{roster.TooOld}, {roster.Misplaced}, {roster.Unhealthy, roster.Misplaced, roster.TooOld}} {
							for batch := range int64(2) {
								question{nodes: nodes, leaving: leaving, capacity: int64(n), batch: batch + 1, causes: causes, stop: "100%", moment: "zones"}.
									by(ask, roster.Substitute, roster.Recreate)
							}
						}
					})
				})
			}
		}
	}},
	{"moments", func(size int, ask func(question)) {
		for _, m := range moments {
			for n := 1; n <= min(size, 3); n++ {
				bags(slices.Concat(m.with, kinds(looks, "ab", home)), n, func(nodes []kind) {
					if m.with == nil || slices.Contains(m.with, nodes[0]) {
						question{nodes: nodes, capacity: int64(n) + m.by, causes: ill, target: m.target, stop: m.stop, moment: m.words}.by(ask, m.methods()...)
					}
				})
			}
		}
	}},
}

// moments are policies, and events of the life of a cluster, in which a plan may do less or other things.
var moments = []moment{
	{words: "unmarked"},
	{stop: "0%"},
	{stop: "100%"},
	{target: "50%"},
	{words: "settled"},
	{words: "failed"},
	{words: "failed", by: -1},
	{words: "reverts"},
	{words: "blind"},
	{words: "named"},
	{words: "named begins"},
	{words: "named met"},             // under each method, whatever it was when the candidate was met
	{words: "named met", gone: true}, // or without update
	{words: "pauses", with: kinds([]look{bakes}, "b", home)},
	{words: "closed", with: kinds(looks, "a", closed)},
	{words: "opened", with: kinds(looks, "a", closed)},
	{words: "unreachable", with: kinds(looks, "a", closed)},
	{with: kinds(looks, "?", home)}, // an import
}

type moment struct {
	words, target, stop string
	by                  int64  // nodes that are asked for and not there
	gone                bool   // update was taken out
	with                []kind // one of these nodes is there
}

func (m moment) methods() []string {
	if m.gone {
		return []string{none}
	}
	return []string{roster.Substitute, roster.Recreate}
}

// updates asks for each of some methods, and for one cause or both.
func (q question) updates(ask func(question), methods ...string) {
	for _, q.causes = range [][]roster.Cause{ill, ill[:1], ill[1:]} {
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

// bags calls do with each choice of a number of things, of which one may be chosen more than once.
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
	share := runtime.GOMAXPROCS(0)
	tallies := make([]*tally, share)
	var wait sync.WaitGroup
	for mine := range share {
		wait.Go(func() {
			tallies[mine] = &tally{}
			i := 0
			questions(func(q question) {
				if i++; i%share != mine {
					return
				}
				all := slices.Concat(q.leaving, q.nodes)
				before, seen := q.cluster()
				tallies[mine].judge(q.String, q.ask(before, seen, func(n roster.Node) kind { return all[n.Index] }))
			})
		})
	}
	wait.Wait()
	for _, t := range tallies[1:] {
		tallies[0].add(t.asked, t.found)
	}
	return tallies[0]
}

// tally counts what breaks promises, and keeps the smallest cluster that shows each way.
type tally struct {
	asked int
	found map[breach]found
}

type breach struct{ sentence, how string }

type found struct {
	times   int
	example string
}

func (t *tally) add(asked int, more map[breach]found) {
	if t.asked += asked; t.found == nil {
		t.found = map[breach]found{}
	}
	for w, f := range more {
		had := t.found[w]
		if had.times == 0 || len(f.example) < len(had.example) {
			had.example = f.example
		}
		t.found[w] = found{had.times + f.times, had.example}
	}
}

// judge compares a plan with all promises.
func (t *tally) judge(cluster func() string, p plan) {
	t.asked++
	for i, promise := range promises {
		if p.err == nil || i == 0 { // without a plan only the first says something
			t.note(promise.sentence, promise.broken(p), cluster, p)
		}
	}
}

// note counts a promise that is broken.
func (t *tally) note(sentence, how string, cluster func() string, p plan) {
	if how == "" {
		return
	}
	method := "in place: "
	if !p.keeps() {
		method = "substitutes: "
	}
	example := fmt.Sprintf("%s\n        => %s; %s", cluster(), p.did(), p.status)
	t.add(0, map[breach]found{{sentence, method + how}: {1, example}})
}

// did says what a plan does.
func (p plan) did() string {
	var texts []string
	for _, v := range p.change.Verdicts {
		if v.Outcome != roster.Stays {
			texts = append(texts, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", v.Name, v.Outcome, v.Cause, v.Hold)), " "))
		}
	}
	return strings.Join(texts, ", ")
}

// report fails where promises are broken, and shows each with its two most frequent ways.
func report(t *testing.T, all *tally) {
	var ways []breach
	times := map[string]int{}
	for w, f := range all.found {
		ways = append(ways, w)
		times[w.sentence] += f.times
	}
	slices.SortFunc(ways, func(a, b breach) int {
		return cmp.Or(times[b.sentence]-times[a.sentence], strings.Compare(a.sentence, b.sentence), all.found[b].times-all.found[a].times, strings.Compare(a.how, b.how))
	})
	text := fmt.Sprintf("%d clusters asked, %d promises broken, in %d ways", all.asked, len(times), len(ways))
	if len(ways) == 0 {
		t.Log(text)
		return
	}
	shown := map[string]int{}
	for _, w := range ways {
		if shown[w.sentence]++; shown[w.sentence] == 1 {
			text += fmt.Sprintf("\n%d times broken: %s", times[w.sentence], w.sentence)
		}
		if shown[w.sentence] <= 2 {
			text += fmt.Sprintf("\n    %d times %s\n        %s", all.found[w].times, w.how, all.found[w].example)
		}
	}
	t.Error(text)
}

package planner_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
)

var exhaust = flag.String("exhaust", "small", "how large the clusters of TestExhaust are: small, whole or night")

// TestExhaust asks for a plan of every small cluster ("make test" of one out of eight), and after every short history of
// one, and compares each with the truth and with the promises to users. It does not know how a plan is made. A reader needs five tables: what a look at
// a node proves (looks), what was promised (promises, and ways for the result of many applies), what an adversary does
// (lies, outcomes), and what is asked (parts, moments). Only put, cluster and policy translate the words of looks and
// moments.
//
//	size    plans               time of a core   breaches (ways) before the planner had conditions and breakers
//	small   189,715             15 s             15,932 (267)
//	whole   about 4,800,000     18 minutes       more than 132,000; a sample of the small ones shows nearly all ways
//	night   about 20,000,000    an hour          not run
func TestExhaust(t *testing.T) {
	size, reached, asked := sizes[*exhaust], map[*hold.Hold]bool{}, 0
	if size.nodes == 0 {
		t.Fatalf("there is no size %q", *exhaust)
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			runs.In(t, runs.Some(part.name == "moments", runs.Sweep, runs.Short))
			asked++
			all := spread(func(ask func(question)) { part.ask(size.nodes, ask) })
			maps.Copy(reached, all.held)
			report(t, all)
		})
	}
	for _, h := range hold.All {
		if !reached[h] && asked == len(parts) { // "make test" leaves one out
			t.Errorf("no cluster is held because %s", h.Why)
		}
	}
	question{capacity: 2, causes: ill, batch: 1, target: 100, stop: 50, wanted: "a"}.by(func(q question) {
		for i, looks := range []string{"histories, ", "histories with honest looks, "} {
			t.Run(looks+q.method, func(t *testing.T) {
				runs.In(t, runs.Sweep)
				report(t, histories(q, size.depth+5*i, size.worlds, i == 1, ""))
			})
		}
	}, roster.Substitute, roster.Recreate, roster.InPlace)
	for _, limit := range []string{"ports", "quota"} {
		q := question{capacity: 2, causes: ill, batch: 1, target: 100, stop: 50, wanted: "a", method: roster.Substitute}
		t.Run("histories with "+limit, func(t *testing.T) {
			runs.In(t, runs.Sweep)
			report(t, histories(q, size.depth, size.worlds, false, limit))
		})
	}
}

// sizes are the number of nodes of the largest clusters, the number of steps of the longest histories, and the number
// of worlds of each step with which a search continues.
var sizes = map[string]struct{ nodes, depth, worlds int }{"small": {2, 2, 80}, "whole": {3, 3, 400}, "night": {4, 5, 2000}}

// parts are groups of clusters up to a number of nodes.
var parts = []struct {
	name string
	ask  func(nodes int, ask func(question))
}{
	{"one plan", func(nodes int, ask func(question)) {
		clusters(plain, nodes, nil, 0, func(q question) {
			for q.batch = 1; q.batch <= min(q.capacity, 2); q.batch++ {
				if q.updates(ask, roster.Substitute, roster.Recreate); q.capacity <= 2 {
					q.updates(ask, roster.InPlace, stateful) // these two differ only in what Terraform does
				}
			}
		})
	}},
	{"nodes that leave", func(nodes int, ask func(question)) {
		leavers := slices.Concat(looksAt(serves, "served own"), looksAt(open, "served", "missing served"), looksAt(accused, "noted"), looksAt(out, "ERROR"))
		clusters(plain, nodes-1, append(kinds(leavers, "a", home), kinds(leavers[:1], "b", home)...), 2, func(q question) {
			if len(q.leaving) > 0 {
				q.updates(ask, roster.Substitute, roster.Recreate)
			}
		})
	}},
	{"another size", func(nodes int, ask func(question)) {
		clusters(plain, min(nodes, 3), nil, 0, func(q question) {
			for _, by := range []int64{-1, 2} {
				q.capacity += by
				q.updates(ask, roster.Substitute, roster.Recreate)
			}
		})
	}},
	{"age and placement", func(nodes int, ask func(question)) {
		few := kinds(slices.Concat(looksAt(serves, "served own", "aged served own"), looksAt(out, "ERROR served own"), looksAt(open, "new")), "b", zones...)
		clusters(few, nodes+1, few[:4], 2, func(q question) {
			if q.stop, q.moment = 100, "zones"; len(q.nodes)+len(q.leaving) > nodes+1 {
				return
			}
			for _, q.causes = range [][]roster.Cause{{roster.TooOld}, {roster.Misplaced}, {roster.Unhealthy, roster.Misplaced, roster.TooOld}} {
				for q.batch = 1; q.batch <= 2; q.batch++ {
					q.by(ask, roster.Substitute, roster.Recreate)
				}
			}
			q.batch, q.moment = 2, "zones flavors"
			for _, q.causes = range [][]roster.Cause{{roster.LaterFlavor}, {roster.Unhealthy, roster.Misplaced, roster.LaterFlavor}} {
				q.by(ask, roster.Substitute, roster.Recreate)
			}
		})
	}},
	{"moments", func(nodes int, ask func(question)) {
		for _, m := range moments {
			at := closed
			if m.left != (placement.Place{}) {
				at = m.left
			}
			clusters(slices.Concat(m.with, plain), min(nodes, 3), kinds(looksAt(serves, "served own"), "a", at), m.leaving, func(q question) {
				q.moment, q.target, q.stop = m.words, cmp.Or(m.target, q.target), q.stop+m.stop
				if q.capacity += m.by; m.with != nil && !slices.Contains(m.with, q.nodes[0]) {
					return
				}
				if q.by(ask, roster.Substitute, roster.Recreate); q.is("met") {
					q.by(ask, none) // so the update stays the same
				}
			})
		}
	}},
}

var plain = kinds(looks, "ab", home)

// moments are policies, and events in the life of a cluster, in which a plan may do less or other things than usual.
var moments = []struct {
	words   string
	target  int64
	stop    int64  // percentage, above 50
	by      int64  // number of nodes that are asked for and missing
	with    []kind // kinds of the oldest node
	leaving int    // maximum number of nodes that leave region Q, or the place left
	left    placement.Place
}{
	{words: "unmarked"},
	{stop: -50},
	{stop: +50},
	{target: 50},
	{words: "settled"},
	{words: "blind"},
	{words: "named"},
	{words: "named begins"},
	{words: "named met"}, // the method may have been another one then
	{words: "pauses", with: kinds(looksAt(serves, "bakes served own"), "b", home)},
	{words: "closed", with: kinds(looks, "ab", closed), leaving: 1},
	{words: "closed", with: kinds(looks, "b", closed), leaving: 1, left: home},
	{words: "loose"},
	{words: "not remade", with: kinds(looksAt(out, "ERROR former"), "b", home)},
	{words: "full", with: kinds(looksAt(out, "ERROR nohost", "ERROR nohost served own"), "ab", home), leaving: 1, left: home},
	{words: "capped", with: kinds(looksAt(out, "ERROR served own"), "b", unlisted)},
	{words: "opened", with: kinds(looks, "a", closed)},
	{words: "unreachable", with: kinds(looks, "a", closed)},
	{words: "spent"},
	{words: "awaited", leaving: 2, left: home},
	{words: "imported", with: kinds(looks, "?", home)},
}

var ill = []roster.Cause{roster.Unhealthy, roster.Outdated}

// updates asks with each of some methods, and with one cause or both.
func (q question) updates(ask func(question), methods ...string) {
	for _, q.causes = range [][]roster.Cause{ill, ill[:1], ill[1:]} {
		q.by(ask, methods...)
	}
}

// by asks with each of some methods.
func (q question) by(ask func(question), methods ...string) {
	for _, q.method = range methods {
		ask(q)
	}
}

// clusters calls do with all clusters from one to a number of nodes, and from zero to a number of leaving nodes.
func clusters(of []kind, nodes int, leavers []kind, leaving int, do func(question)) {
	for n := 1; n <= nodes; n++ {
		for left := range leaving + 1 {
			bags(of, n, nil, func(nodes []kind) {
				bags(leavers, left, nil, func(leaving []kind) {
					do(question{nodes: nodes, leaving: leaving, capacity: int64(n), causes: ill, batch: 1, target: 100, stop: 50})
				})
			})
		}
	}
}

// bags calls do with each choice of a number of further kinds; a kind may be chosen more than once.
func bags(of []kind, more int, choice []kind, do func([]kind)) {
	if more == 0 {
		do(choice)
		return
	}
	for i := range of {
		bags(of[i:], more-1, append(slices.Clip(choice), of[i]), do)
	}
}

// spread uses all processors: each goes through all questions, and asks its share.
func spread(questions func(ask func(question))) *tally {
	total, processors, share := &tally{held: map[*hold.Hold]bool{}}, runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0)
	if runs.Asked(runs.Short) { // "make sweeps" asks all
		share = processors * 8
	}
	var wait sync.WaitGroup
	for mine := range processors {
		wait.Go(func() {
			i := 0
			questions(func(q question) {
				if i++; i%share == mine {
					before, seen := q.cluster()
					all := slices.Concat(q.leaving, q.nodes)
					total.judge(q.String, q.ask(before, seen, func(n roster.Node) kind { return all[n.Index] }))
				}
			})
		})
	}
	wait.Wait()
	return total
}

// tally counts broken promises, and keeps the smallest cluster for each way.
type tally struct {
	sync.Mutex
	asked int
	found map[breach]found
	held  map[*hold.Hold]bool // holds that a plan ever gave
}

type breach struct{ sentence, how string }

type found struct {
	times   int
	example string
}

// judge compares a plan with all promises.
func (t *tally) judge(cluster func() string, p plan) {
	t.Lock()
	t.asked++
	for _, v := range p.change.With(verdict.Held) {
		t.held[v.Hold] = true
	}
	t.Unlock()
	for i, promise := range promises {
		if p.err == nil || i < 2 { // without a plan only the first promises apply
			t.note(promise.sentence, promise.broken(p), cluster, p)
		}
	}
}

// note counts a broken promise.
func (t *tally) note(sentence, how string, cluster func() string, p plan) {
	if how == "" {
		return
	}
	b, example := breach{sentence: sentence, how: "substitutes: " + how}, fmt.Sprintf("%s\n        => %s; %s", cluster(), p.did(), p.status)
	if p.keeps() {
		b.how = "in place: " + how
	}
	t.Lock()
	defer t.Unlock()
	if t.found == nil {
		t.found = map[breach]found{}
	}
	f := t.found[b]
	if f.times++; f.times == 1 || len(example) < len(f.example) {
		f.example = example
	}
	t.found[b] = f
}

// did returns the changes of a plan.
func (p plan) did() string {
	var texts []string
	for _, v := range p.change.List {
		if v.Outcome != verdict.Stays {
			texts = append(texts, fmt.Sprintf("%s %s (%s)", v.Name, v.Outcome, v.Reason))
		}
	}
	return strings.Join(texts, ", ")
}

// report fails if promises are broken, and shows each with its two most frequent ways.
func report(t *testing.T, all *tally) {
	var ways []breach
	times := map[string]int{}
	for w, f := range all.found {
		ways = append(ways, w)
		times[w.sentence] += f.times
	}
	slices.SortFunc(ways, func(a, b breach) int {
		often := cmp.Or(times[b.sentence]-times[a.sentence], strings.Compare(a.sentence, b.sentence))
		return cmp.Or(often, all.found[b].times-all.found[a].times, strings.Compare(a.how, b.how))
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

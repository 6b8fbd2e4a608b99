package planner

import (
	"maps"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"pgregory.net/rapid"
)

// TestLedger: after each want the ledger has the same numbers as a recount of its verdicts.
func TestLedger(t *testing.T) {
	draws(t, 2000, func(t *rapid.T) {
		r, seen, policy := genState(t)
		p, err := decide.Prepare(r, seen, policy)
		if err != nil {
			return
		}
		for w := range p.Wants() {
			p.Decide(w)
			if wanted, out := recount(p.Ledger, p.All); wanted != p.Rollout.Current || !maps.Equal(out, p.Out) {
				t.Fatalf("%d nodes have the wanted template, and %d are counted; out of service are %v, and %v are counted",
					wanted, p.Rollout.Current, out, p.Out)
			}
		}
	})
}

// recount counts the nodes with the wanted template, and finds the nodes that are not proven in service.
func recount(l *decide.Ledger, all facts.Facts) (wanted int64, out decide.Set) {
	for name, f := range l.Left {
		template := f.Template
		if v := l.Verdicts[name]; v.Outcome == decide.Changes {
			template = v.After.Template
		}
		if template == l.Policy.Templates.At(f.Place) {
			wanted++
		}
	}
	all, out = maps.Clone(all), decide.Set{}
	maps.Copy(all, l.Left) // and the nodes that come back
	for name, f := range all {
		v, what := l.Verdicts[name], l.Verdicts[name].What
		takes, is := what == decide.Remade || what == decide.Replaced || what == decide.Revised, f.Is != facts.Serving || f.Dark
		switch {
		case v.Outcome == decide.Leaves && what == decide.Surplus:
			is = f.Is == facts.Serving
		case v.Outcome == decide.Leaves && !takes:
			is = false
		case v.Outcome == decide.Changes && takes:
			is = true
		}
		if is {
			out[name] = true
		}
	}
	return wanted, out
}

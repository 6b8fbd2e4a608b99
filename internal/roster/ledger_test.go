package roster

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// TestLedger: after each want the balances of the ledger are what a recount of its verdicts gives.
func TestLedger(t *testing.T) {
	draws(t, 2000, func(t *rapid.T) {
		r, seen, policy := genState(t)
		p, err := prepare(r, seen, policy)
		if err != nil {
			return
		}
		for w := range p.wants() {
			p.decide(w)
			if wanted, out := recount(p.ledger, p.all); wanted != p.aim.current || !maps.Equal(out, p.out) {
				t.Fatalf("%d nodes have the wanted template, and %d are counted; out of service are %v, and %v are counted",
					wanted, p.aim.current, out, p.out)
			}
		}
	})
}

// recount counts the nodes that have the wanted template, and finds those that are out of service or in doubt.
func recount(l *ledger, all facts) (wanted int64, out set) {
	for name, f := range l.left {
		template := f.Template
		if v := l.verdicts[name]; v.Outcome == Changes {
			template = v.after.Template
		}
		if template == l.policy.Templates.At(f.Place) {
			wanted++
		}
	}
	out = set{}
	for name, f := range all {
		v, what := l.verdicts[name], l.verdicts[name].want.what
		takes, is := what == remade || what == replaced || what == revised, f.is != Serving || f.dark
		switch {
		case v.Outcome == Leaves && what == surplus:
			is = f.is == Serving
		case v.Outcome == Leaves && !takes:
			is = false
		case v.Outcome == Changes && takes:
			is = true
		}
		if is {
			out[name] = true
		}
	}
	return wanted, out
}

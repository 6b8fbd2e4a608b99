package roster

import (
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// ledger is what wants are granted from: the room in the places, the budget of the batch,
// how many nodes get which template, and the leaving nodes that may come back. Only decide
// changes it.
//
// How many nodes a plan may replace depends on the method. Where a substitute is made first
// at most a batch is replaced, less what is under way, and less what leaves and still runs:
// else an apply that is cut again and again would fill a quota. What is proven out of
// service does not wait for what leaves: it may be what keeps that from going. Where a node
// is out of service until its server is back, nodes that may serve are taken only while the
// batch is larger than all nodes that are out of service or in doubt, for whatever reason,
// those of a growth and of this plan included: so a quorum holds.
type ledger struct {
	policy Policy
	now    Roster
	ever   bool // whether to ask what would be granted sooner or later: without budget and room

	left  facts             // the nodes on the board: those that stay or change, and those that come back
	space *placement.Board  // their places, closed where Nova found no host
	open  *placement.Board  // the same, where all places of hosts are open
	full  []placement.Place // places where Nova found no host
	tried bool              // whether full places count as open, because there is no other room
	back  pool
	aim   aim
	err   error // why the cluster cannot grow

	size    int64    // maximum number of nodes to replace
	taken   int64    // number of those replaced that count against it
	pending int64    // nodes that will be added: the growth, and a substitute for each node replaced
	grown   int64    // of those, the growth
	retries int64    // of those, the second tries of nodes
	under   set      // nodes under way, those that this plan revises included
	out     set      // nodes out of service or in doubt, those that this plan takes from it included
	leaving []string // leaving nodes that still run
	baking  []string // nodes that have to serve for longer
	unused  int64    // servers that never served, and leave because such nodes come back
	sick    int64    // unhealthy nodes
	unknown int64    // nodes whose health is not known
	total   int64    // all nodes

	verdicts map[string]Verdict // of the nodes whose wants were granted or refused
	returned []*fact
	texts    differences
}

func newLedger(now Roster, all facts, seen Seen, policy Policy) *ledger {
	l := &ledger{
		policy:   policy,
		now:      now,
		left:     maps.Clone(all),
		full:     seen.full(policy),
		open:     boardOf(all, policy.Regions, nil),
		back:     poolOf(now, seen, policy),
		aim:      aimOf(now, all, policy),
		size:     policy.batch(),
		under:    set{},
		out:      set{},
		leaving:  now.leavingFrom(policy),
		baking:   all.baking(),
		verdicts: map[string]Verdict{},
		texts:    differences{},
	}
	l.space = boardOf(all, policy.Regions, l.full)
	l.sick, l.total = all.number((*fact).sick), int64(len(all))
	l.unknown = all.number(func(f *fact) bool { return f.server.HealthUnknown && !f.sick() && f.rests == "" })
	for name, f := range all {
		if f.underWay() && f.rests == "" {
			l.under[name] = true
		}
		if f.trouble != "" || f.unseen {
			l.out[name] = true
		}
	}
	return l
}

// decide grants a want or refuses it. It is the only function that changes the ledger.
func (l *ledger) decide(w want) {
	if no := l.refuses(w); no.hold != "" {
		if _, before := l.verdicts[w.name]; !before || no.hold == HeldNoRoom || no.hold == HeldNoHost {
			l.verdicts[w.name] = l.verdict(w, Held, no)
		}
		return
	}
	switch w.what {
	case grown:
		l.grow(w.nodes)
	case removed, surplus:
		l.leave(w)
	case revised:
		l.revise(w)
	case remade, replaced:
		l.replace(w)
	}
}

// granted reports whether a want of a node was granted.
func (l *ledger) granted(name string) bool {
	v, there := l.verdicts[name]
	return there && v.Outcome != Held
}

// verdict is what was decided about a want.
func (l *ledger) verdict(w want, outcome Outcome, no refusal) Verdict {
	return Verdict{Name: w.name, Node: w.Node, ID: w.server.ID, Outcome: outcome, Cause: w.cause, Hold: no.hold,
		want: w, why: no.why}
}

// grow adds nodes. It fails where they find no room, but for places where Nova found no
// host a short time ago: it may have one by now.
func (l *ledger) grow(nodes int64) {
	l.pending, l.grown = nodes, nodes
	l.aim.give(nodes)
	_, err := l.arrive()
	if err != nil && len(l.full) > 0 {
		l.tried, l.full, l.space = true, nil, l.open.Clone()
		_, err = l.arrive()
	}
	l.err = err
}

// leave removes a node for which no substitute is needed.
func (l *ledger) leave(w want) {
	if w.what == removed && w.full != nil {
		l.close(*w.full)
	}
	l.gone(w)
	if w.what == surplus && w.trouble == "" {
		l.out[w.name] = true // this plan takes it from service
	}
}

// gone takes a node off the board.
func (l *ledger) gone(w want) {
	l.space.Add(w.Place, -1)
	l.open.Add(w.Place, -1)
	l.aim.take(w.fact)
	delete(l.left, w.name)
	delete(l.under, w.name)
	if w.what != replaced { // else its substitute is not in service yet either
		delete(l.out, w.name)
		l.baking = slices.DeleteFunc(slices.Clone(l.baking), func(name string) bool { return name == w.name })
	}
	l.verdicts[w.name] = l.verdict(w, Leaves, refusal{})
}

// revise gives a node that never served the template that it should have. Nobody uses it,
// so it does not count against the batch, and keeps its name: no second server is made, and
// one plan repairs a bad growth or a bad batch. Where a leaving node is what is wanted that
// one comes back instead.
func (l *ledger) revise(w want) {
	returns, ok := l.comesBack(w.Place)
	if !ok {
		l.change(w, l.aim.at(w.Place))
		l.under[w.name] = true
		return
	}
	w.why += ", and " + returns.name + " comes back"
	if w.server.ID != "" {
		l.unused++
	}
	l.gone(w)
}

// comesBack brings back a leaving node in the place of one that leaves, if there is one that
// suits. Those of slots stay in them.
func (l *ledger) comesBack(instead placement.Place) (*fact, bool) {
	if l.policy.Stateful != nil {
		return nil, false
	}
	open := l.open.Clone()
	open.Add(instead, -1)
	f, ok := l.back.take(l.aim, open, instead)
	if ok {
		l.space.Add(f.Place, 1)
		l.open.Add(f.Place, 1)
		l.left[f.name] = f
		l.leaving = slices.DeleteFunc(slices.Clone(l.leaving), func(name string) bool { return name == f.name })
		l.returns(f)
	}
	return f, ok
}

// returns notes that a leaving node comes back.
func (l *ledger) returns(f *fact) {
	l.aim.have(f.Place, f.Template)
	l.returned = append(l.returned, f)
	l.verdicts[f.name] = l.verdict(want{fact: f}, Returns, refusal{})
}

// replace replaces a node, or makes it again, within the batch.
func (l *ledger) replace(w want) {
	l.taken++
	if l.policy.keeps(w.cause) {
		l.aim.take(w.fact)
		l.change(w, l.aim.at(w.Place))
		delete(l.under, w.name)
		l.out[w.name] = true
		return
	}
	full, _ := l.without(w.fact)
	if full != nil {
		l.close(*full)
	}
	if w.retries() {
		l.retries++
	}
	l.pending++
	l.gone(w)
	l.aim.give(1)
}

// retries reports whether what comes for a node is its second try. A node for which Nova
// found no host was no try.
func (w want) retries() bool { return w.cause == Unhealthy && !w.Served && w.full == nil }

// change gives a node that keeps its name a template, or has its server made again. What it
// had counts no more.
func (l *ledger) change(w want, template Template) {
	v := l.verdict(w, Changes, refusal{})
	v.after = w.Node
	v.after.Served, v.after.Doubt, v.after.Retried = false, true, w.retries() && template == w.Template
	v.after.Template, v.after.Mark = template, w.Mark.next(template)
	if w.what == remade || l.policy.keeps(w.cause) && l.policy.makesAgain(w.cause) {
		v.after.Generation++
	}
	l.aim.have(w.Place, template)
	l.verdicts[w.name] = v
}

// close closes a place where Nova found no host.
func (l *ledger) close(at placement.Place) {
	l.full = append(slices.Clone(l.full), at)
	l.space.Close(at)
}

// set has the names of nodes.
type set map[string]bool

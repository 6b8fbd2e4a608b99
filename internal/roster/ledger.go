package roster

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// ledger is what wants are granted from: the room in the places, the budget of the batch, the
// health of the cluster, and how many nodes get which template. Only decide changes it.
type ledger struct {
	policy Policy
	now    Roster
	room
	budget
	health
	aim aim
	err error // why the cluster cannot grow

	verdicts map[string]Verdict // of the nodes whose wants were granted or refused
	returned []*fact
	known    map[placement.Place]refusal // whether a substitute finds room, by the place of its node, since the last change
}

// budget is what a plan may replace, and what counts against it.
type budget struct {
	size     int64              // maximum number of nodes to replace
	taken    int64              // number of those replaced that count against it
	pending  int64              // nodes that will be added: the growth, and a substitute for each node replaced
	grown    int64              // of those, the growth
	moved    int64              // of those, substitutes that a method which makes nothing first does not wait for
	retries  map[Template]int64 // of those, the second tries of nodes, by the template that was tried
	under    set                // nodes under way, those that this plan revises included
	leaving  []string           // leaving nodes that still run
	destroys int64              // servers that this plan destroys later, under names that go
	unused   int64              // of those, servers that were never in service, and leave because such nodes come back
	baking   []string           // nodes that have to serve for longer
	tried    []string           // nodes in whose place two servers of the wanted template ended in ERROR
}

// health is how many nodes are in service.
type health struct {
	out     set   // nodes that are not proven in service, those that this plan takes from it included
	runOn   set   // of those, the ones whose servers did not follow them, and were found in service since
	sick    int64 // unhealthy nodes
	unknown int64 // nodes whose health should be known, and is not
	unseen  int64 // nodes of which nothing is known
	total   int64 // all nodes
}

// set has the names of nodes.
type set map[string]bool

func newLedger(now Roster, all facts, seen Seen, policy Policy) *ledger {
	l := &ledger{
		policy:   policy,
		now:      now,
		room:     roomOf(now, all, seen, policy),
		health:   healthOf(all),
		aim:      aimOf(now, all, policy),
		verdicts: map[string]Verdict{},
	}
	l.budget = budget{
		size:    policy.batch(),
		retries: map[Template]int64{},
		under:   set{},
		leaving: now.leavingFrom(policy),
		baking:  all.baking(),
	}
	for _, name := range all.names() {
		f := all[name]
		if f.Tried != "" && f.Tried == policy.Templates.At(f.Place).hash() && f.outdated {
			l.tried = append(l.tried, name)
		}
		if f.underWay() && f.rests == "" {
			l.under[name] = true
		}
	}
	return l
}

func healthOf(all facts) health {
	h := health{out: set{}, runOn: set{}, total: int64(len(all))}
	for name, f := range all {
		switch {
		case f.sick():
			h.sick++
		case f.server.HealthUnknown && f.rests == "":
			h.unknown++
		case f.is == Unknown:
			h.unseen++
		}
		if f.is != Serving || f.dark {
			h.out[name] = true
		}
		if f.runsOn() && !f.dark {
			h.runOn[name] = true
		}
	}
	return h
}

// decide grants a want or holds its node. It is the only function that changes the ledger.
func (l *ledger) decide(w want) {
	if no := l.gate(w); no.hold != "" {
		l.hold(w, no)
		return
	}
	l.known = nil
	switch w.what {
	case grown:
		l.grow(w.nodes)
	case removed, surplus:
		l.remove(w)
	case revised, givenUp:
		l.revise(w)
	case returned:
		l.pending--
		l.join(w.fact)
		l.returns(w.fact)
	case remade, replaced:
		l.replace(w)
	}
}

// hold notes what holds a node. Of several causes the one counts that will pass, then the
// one whose hold says more.
func (l *ledger) hold(w want, no refusal) {
	before, there := l.verdicts[w.name]
	if there && (before.Hold.remains() || !no.hold.remains()) {
		return
	}
	l.verdicts[w.name] = l.verdict(w, Held, no)
}

// granted reports whether a want of a node was granted.
func (l *ledger) granted(name string) bool {
	v, there := l.verdicts[name]
	return there && v.Outcome != Held
}

// verdict is what was decided about a want.
func (l *ledger) verdict(w want, outcome Outcome, no refusal) Verdict {
	return Verdict{Name: w.name, Node: w.Node, ID: w.server.ID, Outcome: outcome, Cause: w.cause, Hold: no.hold,
		want: w, no: no}
}

// grow adds nodes. It fails where they find no room, except in places where Nova found no
// host a short time ago: it may have one by now.
func (l *ledger) grow(nodes int64) {
	if l.err != nil {
		return
	}
	l.pending, l.grown = nodes, nodes
	l.aim.give(nodes)
	_, l.err = l.arrive()
	if l.err != nil && len(l.full) > 0 {
		l.reopen()
		_, l.err = l.arrive()
	}
}

// remove removes a node for which no substitute is needed.
func (l *ledger) remove(w want) {
	if w.what == removed && w.fact.full != nil {
		l.close(*w.fact.full)
	}
	l.gone(w)
	if w.what == surplus && w.is == Serving {
		l.out[w.name] = true // this plan takes it from service
	}
}

// gone takes a node off the board.
func (l *ledger) gone(w want) {
	l.leave(w.fact)
	l.aim.take(w.fact)
	delete(l.under, w.name)
	if w.what != replaced { // else its substitute is not in service yet either
		delete(l.out, w.name)
		l.baking = slices.DeleteFunc(slices.Clone(l.baking), func(name string) bool { return name == w.name })
	}
	if w.server.ID != "" {
		l.destroys++
	}
	l.tried = slices.DeleteFunc(slices.Clone(l.tried), func(name string) bool { return name == w.name })
	l.verdicts[w.name] = l.verdict(w, Leaves, refusal{})
}

// revise gives a node that never served the template that it should have. Nobody uses it, so
// it does not count against the batch, and keeps its name: no second server is made, and
// one plan repairs a bad growth or a bad batch. Where a leaving node is what is wanted that
// one comes back instead; for one that is given up, whichever it is.
func (l *ledger) revise(w want) {
	suits := l.aim.suits
	if w.what == givenUp {
		suits = anyOf
	}
	returns, ok := l.comesBack(w.fact, suits)
	if !ok {
		l.change(w, l.aim.at(w.Place))
		l.under[w.name], l.out[w.name] = true, true
		return
	}
	if w.what == givenUp {
		returns.Tried = w.Template.hash()
	}
	l.returns(returns)
	w.back = returns.name
	if w.server.ID != "" {
		l.unused++
	}
	l.gone(w)
}

// comesBack brings back a leaving node in the place of one that leaves, if there is one that
// suits. Those of slots stay in them.
func (l *ledger) comesBack(instead *fact, suits func(*fact) bool) (*fact, bool) {
	if l.policy.Stateful != nil {
		return nil, false
	}
	f, ok := l.back.take(suits, l.without(instead), instead.Place)
	if ok {
		l.join(f)
		l.leaving = slices.DeleteFunc(slices.Clone(l.leaving), func(name string) bool { return name == f.name })
	}
	return f, ok
}

func anyOf(*fact) bool { return true }

// canReturn reports whether any leaving node can come back in the place of one that leaves.
func (l *ledger) canReturn(instead *fact) bool {
	back := l.back
	_, ok := back.take(anyOf, l.without(instead), instead.Place)
	return ok && l.policy.Stateful == nil
}

// without is the board of open places without a node.
func (l *ledger) without(f *fact) *placement.Board {
	open := l.open.Clone()
	open.Add(f.Place, -1)
	return open
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
	if full, _ := l.substitute(w.fact, l.pending); full != nil {
		l.close(*full)
	}
	if w.retries() {
		l.retries[w.Template]++
	}
	if w.cause == Misplaced {
		l.better = append(l.better, w.better)
	}
	l.pending++
	if l.policy.takesFirst() {
		l.moved++
	}
	l.gone(w)
	l.aim.give(1)
}

// change gives a node that keeps its name a template, or has its server made again. What it
// had counts no more.
func (l *ledger) change(w want, template Template) {
	v := l.verdict(w, Changes, refusal{})
	v.want.to, v.after = template, w.Node
	v.after.Served, v.after.Doubt, v.after.Retried = false, true, w.retries() && template == w.Template
	v.after.Template, v.after.Mark = template, w.Mark.next(template)
	if w.what == remade || l.policy.keeps(w.cause) && l.policy.makesAgain(w.cause) {
		v.after.Generation++
	}
	l.aim.have(w.Place, template)
	l.verdicts[w.name] = v
}

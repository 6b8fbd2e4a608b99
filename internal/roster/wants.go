package roster

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// wants lists what a plan should do, one after the other: what leaves, what never served, the
// growth, and what the update replaces. Each depends on what was decided before it, so each
// is worked out from the ledger once the one before it was decided.
//
// What is replaced comes in classes: nodes under way, others that are not in service, nodes
// that serve; of the first two those first that are proven to be out of service. In each
// class the candidates come first, then the causes in their order. A hold that all nodes
// share ends the class for that cause.
func (p *planning) wants() iter.Seq[want] {
	return func(yield func(want) bool) {
		ask := func(w want) { _ = yield(w) }
		for _, f := range p.named.leave {
			ask(want{fact: f, what: removed})
		}
		p.ledger.surplus(p.tooMany, ask)
		p.unserved(ask)
		ask(want{fact: &fact{}, what: grown, nodes: max(0, -p.tooMany)})
		for _, class := range classes {
			open := func(f *fact) bool { return !p.granted(f.name) && class(f) }
			for _, f := range p.named.again {
				if open(f) {
					ask(want{fact: f, what: remade})
				}
			}
			for _, cause := range causes {
				if p.policy.Update.Has(cause.Cause) {
					cause.wants(p.ledger, open, ask)
				}
			}
		}
	}
}

func number(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// classes are the classes of nodes that are replaced.
var classes = []func(*fact) bool{
	func(f *fact) bool { return f.underWay() && !f.may() },
	func(f *fact) bool { return f.underWay() && f.may() },
	func(f *fact) bool { return !f.underWay() && f.is != Serving && !f.may() },
	func(f *fact) bool { return !f.underWay() && f.is != Serving && f.may() },
	func(f *fact) bool { return f.is == Serving },
}

// causes are those of an update in their order, each with what it asks for.
var causes = []struct {
	Cause
	wants func(l *ledger, open func(*fact) bool, ask func(want))
}{
	{Unhealthy, (*ledger).unhealthy},
	{Misplaced, (*ledger).misplaced},
	{Outdated, (*ledger).outdated},
	{TooOld, (*ledger).aged},
}

// asks asks for a want. It reports whether it was granted, and whether others of its class
// and cause may follow.
func (l *ledger) asks(w want, ask func(want)) (granted, more bool) {
	ask(w)
	no := l.verdicts[w.name]
	return no.Outcome != Held, no.Outcome != Held || !slices.Contains([]Hold{HeldTarget, HeldBatch, HeldBakes, HeldWaits}, no.Hold)
}

// surplus asks for the nodes that leave a cluster that is too large: those that are proven to
// be out of service, those that a look of our own says are, others that are not proven to be
// in service, those marked as tainted, and then the others; in each class as placement takes
// from regions and zones, and there by the criterion. Nodes of closed places leave in the
// same order after all others. Nodes of a region that cannot be reached stay: nothing can be
// deleted there.
//
// A min is about nodes that serve. One that is not proven to is removed also at a min,
// because keeping it would cost a node that serves; no other is.
func (l *ledger) surplus(all int64, ask func(want)) {
	count, before := all, queue(l.space, l.left, l.removable, byTurn).Board
	for _, closed := range []bool{false, true} {
		for _, class := range []struct {
			has      func(*fact) bool
			keepMins bool
		}{
			{func(f *fact) bool { return !f.may() }, false},
			{l.accused, false},
			{func(f *fact) bool { return f.is != Serving && !f.runsOn() }, false},
			{func(f *fact) bool { return f.server.Tainted }, true},
			{func(*fact) bool { return true }, true},
		} {
			if count <= 0 {
				return
			}
			may := func(f *fact) bool { return l.removable(f) && (closed || !f.closed) && class.has(f) }
			count = l.shrink(count, may, class.keepMins, ask)
		}
	}
	if count > 0 {
		l.err = l.tooFew(all, count, before)
	}
}

// shrink asks for as many nodes of a class as there are, and returns how many are still too many.
func (l *ledger) shrink(count int64, may func(*fact) bool, keepMins bool, ask func(want)) int64 {
	line := func(order func(a, b *fact) int) queues {
		q := queue(l.space, l.left, may, order)
		if !keepMins {
			q.DropMins()
		}
		return q
	}
	q, updating := line(byTurn), false
	for ; count > 0; count-- {
		if !updating && l.updates() {
			q, updating = line(outdatedFirst), true
		}
		f, ok := q.next()
		if !ok {
			break
		}
		ask(want{fact: f, what: surplus, first: updating && f.outdated && f.is == Serving, beyond: q.Beyond(f.Place)})
		q.leave(f.Place, true)
	}
	return count
}

// updates reports whether, with one node of the wanted template fewer, the update would make
// another one in place of an outdated node.
func (l *ledger) updates() bool {
	return l.policy.Update.Has(Outdated) && !l.policy.Update.holds && l.aim.current+l.aim.promised <= l.aim.target
}

// outdatedFirst orders nodes by the criterion, those first that an update would replace: else
// a shrink takes nodes that have what is wanted, and the update makes others.
func outdatedFirst(a, b *fact) int { return cmp.Or(trueFirst(a.outdated, b.outdated), byTurn(a, b)) }

// removable reports whether a node can leave.
func (l *ledger) removable(f *fact) bool { return f.free() && !l.policy.Unreachable[f.Region] }

// unserved asks for the nodes that never served and have another template than they should,
// and for those that failed twice and came for a node that still runs. Where a substitute
// may be made, a node for which Nova found no host is left to the causes, which look for
// another place.
func (l *ledger) unserved(ask func(want)) {
	for _, name := range l.left.names() {
		f := l.left[name]
		to := l.aim.at(f.Place)
		elsewhere := f.full != nil && !l.policy.keeps(Outdated)
		switch {
		case !f.fresh() || elsewhere:
		case f.is == Failing && f.Retried && !f.outdated && l.policy.Update.Has(Unhealthy) && l.canReturn(f):
			ask(want{fact: f, cause: Unhealthy, what: givenUp})
		case f.outdated && to != f.Template && (!l.aim.reached() || !f.settled) && l.policy.Update.Has(Outdated) && !l.policy.Update.holds:
			ask(want{fact: f, cause: Outdated, what: revised, to: to})
		}
	}
}

// line asks for the nodes of a queue for a cause.
func (l *ledger) line(cause Cause, may func(*fact) bool, ask func(want)) {
	q := l.queueInPlace(func(f *fact) bool { return may(f) && f.concern(cause) && !l.barred(f, cause) })
	for {
		f, ok := q.next()
		if !ok {
			return
		}
		granted, more := l.asks(l.replacement(f, cause), ask)
		if !more {
			return
		}
		q.leave(f.Place, granted)
	}
}

// replacement is the want to replace a node for a cause.
func (l *ledger) replacement(f *fact, cause Cause) want {
	return want{fact: f, cause: cause, what: replaced, to: l.policy.Templates.At(f.Place)}
}

// barred reports whether a node cannot be replaced for a cause, whatever the budget.
func (l *ledger) barred(f *fact, cause Cause) bool {
	w := l.replacement(f, cause)
	return l.bars(w).hold != "" || l.barsFor(w).hold != ""
}

// queueInPlace lines up the nodes that may be replaced where they are. Those that were
// already are out of service for a while, as if they had left: the next one is taken where
// more are.
func (l *ledger) queueInPlace(may func(*fact) bool) queues {
	q := queue(l.space, l.left, may, byTurn)
	q.DropMins()
	for name, v := range l.verdicts {
		if f := l.left[name]; v.Outcome == Changes && f != nil {
			q.Add(f.Place, -1)
			q.Keep(f.Place, -1)
		}
	}
	return q
}

func (l *ledger) unhealthy(may func(*fact) bool, ask func(want)) { l.line(Unhealthy, may, ask) }

// misplaced asks for the nodes whose moves make the spread better, each time of the
// cluster as it is once the nodes that are pending are placed.
func (l *ledger) misplaced(may func(*fact) bool, ask func(want)) {
	q := queue(l.space, l.left, func(f *fact) bool { return may(f) && f.rests == "" && !l.barred(f, Misplaced) }, byTurn)
	l.moves(q, func() int64 { return l.pending }, func(w want) (granted, more bool) { return l.asks(w, ask) })
}

// moves asks for the moves of nodes in queues that make the spread better, as long as more
// are wanted.
func (l *ledger) moves(q queues, pending func() int64, ask func(want) (granted, more bool)) {
	for {
		moved := q.Clone()
		moved.Grow(pending())
		from, to, ok := moved.Move()
		if !ok {
			return
		}
		f := q.all[q.in[from][0]]
		granted, more := ask(want{fact: f, cause: Misplaced, what: replaced, better: to, beyond: q.Beyond(from)})
		if !more {
			return
		}
		q.leave(from, granted)
		for _, at := range l.full { // Nova may have found no host for the node
			q.Close(at)
		}
	}
}

// outdated asks for the newest of the outdated templates first: one that was given up half
// way is the least proven.
func (l *ledger) outdated(may func(*fact) bool, ask func(want)) {
	var templates []Template
	for _, f := range l.left {
		if f.outdated && may(f) && !slices.Contains(templates, f.Template) {
			templates = append(templates, f.Template)
		}
	}
	slices.SortFunc(templates, func(a, b Template) int {
		return cmp.Or(cmp.Compare(l.now.age(b), l.now.age(a)), cmp.Compare(b, a))
	})
	for _, template := range templates {
		l.line(Outdated, func(f *fact) bool { return f.Template == template && may(f) }, ask)
	}
}

// aged asks for the oldest first.
func (l *ledger) aged(may func(*fact) bool, ask func(want)) {
	var old []*fact
	for _, f := range l.left {
		if f.concern(TooOld) && may(f) && !l.barred(f, TooOld) {
			old = append(old, f)
		}
	}
	slices.SortFunc(old, func(a, b *fact) int {
		return cmp.Or(a.aged.Compare(b.aged), cmp.Compare(a.Index, b.Index), cmp.Compare(a.name, b.name))
	})
	for _, f := range old {
		if _, more := l.asks(l.replacement(f, TooOld), ask); !more {
			return
		}
	}
}

// settle gives a verdict to each node that should be replaced and for which no want came
// up, and counts the nodes that remain to be replaced after this plan.
func (p *planning) settle(next Roster, seen Seen) (remaining int64) {
	names := p.left.names()
	slices.SortStableFunc(names, func(a, b string) int {
		f, g := p.left[a], p.left[b]
		return cmp.Or(trueFirst(f.is != Serving, g.is != Serving), byTurn(f, g))
	})
	places := p.aim.target - p.aim.current - p.aim.promised // for nodes of the wanted template
	for _, name := range names {
		f := p.left[name]
		if f.later && !p.granted(name) { // that it should be replaced is not known
			p.hold(want{fact: f}, refusal{hold: HeldOlder})
		}
		for _, cause := range causes {
			if !p.granted(name) && p.policy.Update.Has(cause.Cause) && f.concern(cause.Cause) {
				p.waitsItsTurn(p.replacement(f, cause.Cause))
			}
		}
		v := p.verdicts[name]
		if v.Outcome != Held || v.Cause != Outdated || v.want.what != replaced || !v.Hold.remains() {
			continue
		}
		if places--; places < 0 && v.Hold.order() > HeldTarget.order() {
			v.Hold, v.no = HeldTarget, refusal{hold: HeldTarget}
			p.verdicts[name] = v
		}
	}
	if p.policy.Update.Has(Misplaced) {
		remaining = p.awaitMoves(next, seen)
	}
	for _, v := range p.verdicts {
		returned := v.Outcome == Returns && v.want.outdated && p.policy.Update.Has(Outdated) && !p.aim.reached()
		if v.Outcome == Held && v.Hold.remains() && v.want.what != nothing || returned {
			remaining++
		}
	}
	return remaining
}

// waitsItsTurn holds a node: others come first, where nothing else holds it.
func (p *planning) waitsItsTurn(w want) {
	no := p.gate(w)
	if no.hold == "" {
		no.hold = HeldBatch
	}
	p.hold(w, no)
}

// awaitMoves holds the nodes that should still move once the plan is applied and all others
// that are held were replaced. It returns the number of new nodes among them.
func (p *planning) awaitMoves(next Roster, seen Seen) (number int64) {
	rest, pending := maps.Clone(p.left), int64(0)
	for _, n := range p.made {
		rest[n.name] = factOf(n.name, n.Node, next, seen, p.policy)
		rest[n.name].turn = len(p.all) + int(n.Index)
	}
	board := boardOf(rest, p.policy.Regions, seen.full(p.policy))
	for name, v := range p.verdicts {
		if v.Outcome != Held || !v.Hold.remains() || p.policy.keeps(v.Cause) {
			continue
		}
		board.Add(v.Place, -1)
		if v.want.full != nil {
			board.Close(*v.want.full)
		}
		delete(rest, name)
		pending++
	}
	undecided := func(f *fact) bool { _, decided := p.verdicts[f.name]; return !decided && f.rests == "" }
	p.moves(queue(board, rest, undecided, byTurn), func() int64 { return pending }, func(w want) (granted, more bool) {
		if _, old := p.left[w.name]; !old {
			number, pending = number+1, pending+1
			return true, true
		}
		p.waitsItsTurn(w)
		if granted = p.verdicts[w.name].Hold.remains(); granted {
			pending++
		}
		return granted, true
	})
	return number
}

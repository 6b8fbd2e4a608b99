package decide

import (
	"cmp"
	"iter"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
)

// Wants lists what a plan should do, one after the other: what leaves, what never served, the
// growth, and what the update replaces. Each depends on what was decided before it, so each
// is worked out from the ledger once the one before it was decided.
//
// What is replaced comes in classes: nodes under way, others that are not in service, nodes
// that serve; of the first two those first that are proven to be out of service. In each
// class the candidates come first, then the causes in their order. A hold that all nodes
// share ends the class for that cause.
func (p *Planning) Wants() iter.Seq[Want] {
	return func(yield func(Want) bool) {
		ask := func(w Want) { _ = yield(w) }
		for _, f := range p.Named.leave {
			ask(Want{Fact: f, What: removed})
		}
		p.surplus(p.tooMany, ask)
		p.unserved(ask)
		ask(Want{Fact: &facts.Fact{}, What: grown, nodes: max(0, -p.tooMany)})
		for _, class := range classes {
			open := func(f *facts.Fact) bool { return !p.Granted(f.Name) && class(f) }
			for _, f := range p.Named.again {
				if open(f) {
					ask(Want{Fact: f, What: Remade})
				}
			}
			for _, cause := range causes {
				if p.Policy.Update.Has(cause.Cause) {
					cause.wants(p.Ledger, open, ask)
				}
			}
		}
	}
}

// Number is 1 for what is so, and 0 for what is not.
func Number(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// classes are the classes of nodes that are replaced.
var classes = []func(*facts.Fact) bool{
	func(f *facts.Fact) bool { return f.UnderWay() && !f.May() },
	func(f *facts.Fact) bool { return f.UnderWay() && f.May() },
	func(f *facts.Fact) bool { return !f.UnderWay() && f.Is != facts.Serving && !f.May() },
	func(f *facts.Fact) bool { return !f.UnderWay() && f.Is != facts.Serving && f.May() },
	func(f *facts.Fact) bool { return f.Is == facts.Serving },
}

// causes are those of an update in their order, each with what it asks for.
var causes = []struct {
	roster.Cause
	wants func(l *Ledger, open func(*facts.Fact) bool, ask func(Want))
}{
	{roster.Unhealthy, (*Ledger).unhealthy},
	{roster.Misplaced, (*Ledger).misplaced},
	{roster.Outdated, (*Ledger).outdated},
	{roster.TooOld, (*Ledger).aged},
}

// asks asks for a want. It reports whether it was granted, and whether others of its class
// and cause may follow.
func (l *Ledger) asks(w Want, ask func(Want)) (granted, more bool) {
	ask(w)
	no := l.Verdicts[w.Name]
	return no.Outcome != Held, no.Outcome != Held || !slices.Contains([]hold.Hold{hold.HeldTarget, hold.HeldBatch,
		hold.HeldBakes, hold.HeldWaits}, no.Hold)
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
func (l *Ledger) surplus(all int64, ask func(Want)) {
	count, before := all, queue(l.space, l.Left, l.removable, byTurn).Board
	for _, closed := range []bool{false, true} {
		for _, class := range []struct {
			has      func(*facts.Fact) bool
			keepMins bool
		}{
			{func(f *facts.Fact) bool { return !f.May() }, false},
			{l.accused, false},
			{func(f *facts.Fact) bool { return f.Is != facts.Serving && !f.RunsOn() }, false},
			{func(f *facts.Fact) bool { return f.Server.Tainted }, true},
			{func(*facts.Fact) bool { return true }, true},
		} {
			if count <= 0 {
				return
			}
			may := func(f *facts.Fact) bool { return l.removable(f) && (closed || !f.Closed) && class.has(f) }
			count = l.shrink(count, may, class.keepMins, ask)
		}
	}
	if count > 0 {
		l.err = l.tooFew(all, count, before)
	}
}

// shrink asks for as many nodes of a class as there are, and returns how many are still too many.
func (l *Ledger) shrink(count int64, may func(*facts.Fact) bool, keepMins bool, ask func(Want)) int64 {
	line := func(order func(a, b *facts.Fact) int) queues {
		q := queue(l.space, l.Left, may, order)
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
		ask(Want{Fact: f, What: Surplus, First: updating && f.Outdated && f.Is == facts.Serving,
			Beyond: q.Beyond(f.Place)})
		q.leave(f.Place, true)
	}
	return count
}

// updates reports whether, with one node of the wanted template fewer, the update would make
// another one in place of an outdated node.
func (l *Ledger) updates() bool {
	return l.Policy.Update.Has(roster.Outdated) && !l.Policy.Update.Holds &&
		l.Aim.Current+l.Aim.promised <= l.Aim.Target
}

// outdatedFirst orders nodes by the criterion, those first that an update would replace: else
// a shrink takes nodes that have what is wanted, and the update makes others.
func outdatedFirst(a, b *facts.Fact) int {
	return cmp.Or(facts.TrueFirst(a.Outdated, b.Outdated), byTurn(a, b))
}

// removable reports whether a node can leave.
func (l *Ledger) removable(f *facts.Fact) bool { return f.Free() && !l.Policy.Unreachable[f.Region] }

// unserved asks for the nodes that never served and have another template than they should,
// and for those that failed twice and came for a node that still runs. Where a substitute
// may be made, a node for which Nova found no host is left to the causes, which look for
// another place.
func (l *Ledger) unserved(ask func(Want)) {
	for _, name := range l.Left.Names() {
		f := l.Left[name]
		to := l.Aim.at(f.Place)
		elsewhere := f.Full != nil && !l.Policy.Keeps(roster.Outdated)
		switch {
		case !f.Fresh() || elsewhere:
		case f.Is == facts.Failing && f.Retried && !f.Outdated && l.Policy.Update.Has(roster.Unhealthy) &&
			l.canReturn(f):
			ask(Want{Fact: f, Cause: roster.Unhealthy, What: GivenUp})
		case f.Outdated && to != f.Template && (!l.Aim.reached() || !f.Settled) &&
			l.Policy.Update.Has(roster.Outdated) && !l.Policy.Update.Holds:
			ask(Want{Fact: f, Cause: roster.Outdated, What: Revised, To: to})
		}
	}
}

// line asks for the nodes of a queue for a cause.
func (l *Ledger) line(cause roster.Cause, may func(*facts.Fact) bool, ask func(Want)) {
	q := l.queueInPlace(func(f *facts.Fact) bool { return may(f) && f.Concern(cause) && !l.barred(f, cause) })
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
func (l *Ledger) replacement(f *facts.Fact, cause roster.Cause) Want {
	return Want{Fact: f, Cause: cause, What: Replaced, To: l.Policy.Templates.At(f.Place)}
}

// barred reports whether a node cannot be replaced for a cause, whatever the budget.
func (l *Ledger) barred(f *facts.Fact, cause roster.Cause) bool {
	w := l.replacement(f, cause)
	return l.bars(w).hold != "" || l.barsFor(w).hold != ""
}

// queueInPlace lines up the nodes that may be replaced where they are. Those that were
// already are out of service for a while, as if they had left: the next one is taken where
// more are.
func (l *Ledger) queueInPlace(may func(*facts.Fact) bool) queues {
	q := queue(l.space, l.Left, may, byTurn)
	q.DropMins()
	for name, v := range l.Verdicts {
		if f := l.Left[name]; v.Outcome == Changes && f != nil {
			q.Add(f.Place, -1)
			q.Keep(f.Place, -1)
		}
	}
	return q
}

func (l *Ledger) unhealthy(may func(*facts.Fact) bool, ask func(Want)) {
	l.line(roster.Unhealthy, may, ask)
}

// misplaced asks for the nodes whose moves make the spread better, each time of the
// cluster as it is once the nodes that are pending are placed.
func (l *Ledger) misplaced(may func(*facts.Fact) bool, ask func(Want)) {
	q := queue(l.space, l.Left, func(f *facts.Fact) bool {
		return may(f) && f.Rests == "" && !l.barred(f,
			roster.Misplaced)
	}, byTurn)
	for _, at := range l.full {
		q.Close(at)
	}
	l.moves(q, func() int64 { return l.pending }, func(w Want) (granted, more bool) { return l.asks(w, ask) })
}

// moves asks for the moves of nodes in queues that make the spread better, as long as more
// are wanted.
func (l *Ledger) moves(q queues, pending func() int64, ask func(Want) (granted, more bool)) {
	for {
		moved := q.Clone()
		moved.Grow(pending())
		from, to, ok := moved.Move()
		if !ok {
			return
		}
		f := q.all[q.in[from][0]]
		granted, more := ask(Want{Fact: f, Cause: roster.Misplaced, What: Replaced, Better: to, Beyond: q.Beyond(from)})
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
func (l *Ledger) outdated(may func(*facts.Fact) bool, ask func(Want)) {
	var templates []roster.Template
	for _, f := range l.Left {
		if f.Outdated && may(f) && !slices.Contains(templates, f.Template) {
			templates = append(templates, f.Template)
		}
	}
	slices.SortFunc(templates, func(a, b roster.Template) int {
		return cmp.Or(cmp.Compare(l.now.Age(b), l.now.Age(a)), cmp.Compare(b, a))
	})
	for _, template := range templates {
		l.line(roster.Outdated, func(f *facts.Fact) bool { return f.Template == template && may(f) }, ask)
	}
}

// aged asks for the oldest first.
func (l *Ledger) aged(may func(*facts.Fact) bool, ask func(Want)) {
	var old []*facts.Fact
	for _, f := range l.Left {
		if f.Concern(roster.TooOld) && may(f) && !l.barred(f, roster.TooOld) {
			old = append(old, f)
		}
	}
	slices.SortFunc(old, func(a, b *facts.Fact) int {
		return cmp.Or(a.Aged.Compare(b.Aged), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
	})
	for _, f := range old {
		if _, more := l.asks(l.replacement(f, roster.TooOld), ask); !more {
			return
		}
	}
}

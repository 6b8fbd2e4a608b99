package roster

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// wants asks for what a plan would do, one after the other: what leaves, what never served,
// the growth, and what the update replaces. Each depends on what was decided before it, so
// each is worked out from the ledger once the one before it was decided.
//
// What is replaced comes in classes: nodes under way, others that are not in service, nodes
// that serve; of the first two those first that are proven to be out of service. In each
// class the candidates come first, then the causes in their order. A
// refusal because something is spent ends the class for that cause.
func (l *ledger) wants(named candidates, surplus int64, days map[day]int, decide func(want)) {
	for _, f := range named.leave {
		decide(want{fact: f, what: removed, why: isNamed})
	}
	l.surplus(surplus, days, decide)
	l.unserved(decide)
	decide(want{fact: &fact{}, what: grown, nodes: max(0, -surplus)})
	for _, class := range []func(*fact) bool{
		func(f *fact) bool { return f.underWay() && f.idle },
		func(f *fact) bool { return f.underWay() && !f.idle },
		func(f *fact) bool { return !f.underWay() && f.trouble != "" && f.idle },
		func(f *fact) bool { return !f.underWay() && f.trouble != "" && !f.idle },
		func(f *fact) bool { return f.trouble == "" },
	} {
		open := func(f *fact) bool { return !l.granted(f.name) && class(f) }
		for _, f := range named.again {
			if open(f) {
				decide(want{fact: f, what: remade, why: isNamed})
			}
		}
		for _, cause := range []struct {
			Cause
			ask func(open func(*fact) bool, decide func(want))
		}{
			{Unhealthy, l.unhealthy},
			{Misplaced, l.misplaced},
			{Outdated, l.outdated},
			{TooOld, l.aged},
		} {
			if l.policy.Update.Has(cause.Cause) {
				cause.ask(open, decide)
			}
		}
	}
}

const isNamed = "named in candidates"

// asks has a want decided. It reports whether it was granted, and whether others of its
// class and cause may follow.
func (l *ledger) asks(w want, decide func(want)) (granted, more bool) {
	decide(w)
	v := l.verdicts[w.name]
	return v.Outcome != Held, v.Outcome != Held || !v.Hold.spent()
}

// surplus asks for the nodes that leave a cluster that is too large: first those
// that are not in service, then those marked as tainted, then as placement takes
// from regions and zones, in each by the criterion. Nodes of closed places leave in
// the same order after all others. Nodes of a region that cannot be reached stay:
// nothing can be deleted there.
//
// A min is about nodes that serve. One that does not is removed also at a min,
// because keeping it would cost a node that serves; no other is.
func (l *ledger) surplus(count int64, days map[day]int, decide func(want)) {
	open := func(may func(*fact) bool) func(*fact) bool {
		return func(f *fact) bool { return !f.closed && may(f) }
	}
	tainted := func(f *fact) bool { return f.server.Tainted }
	anyone := func(*fact) bool { return true }
	for _, turn := range []struct {
		may      func(*fact) bool
		keepMins bool
	}{
		{open((*fact).useless), false},
		{open(tainted), true},
		{open(anyone), true},
		{(*fact).useless, false},
		{tainted, true},
		{anyone, true},
	} {
		if count <= 0 {
			return
		}
		line := func(order func(a, b *fact) int) queues {
			q := queue(l.space, l.left, func(f *fact) bool { return l.removable(f) && turn.may(f) }, order)
			if !turn.keepMins {
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
			why := choice(f, days, l.policy)
			if updating && f.outdated && !f.useless() {
				why = "of the outdated ones, which the update would replace: " + why
			}
			decide(want{fact: f, what: surplus, why: why, beyond: q.Beyond(f.Place)})
			q.leave(f.Place, true)
		}
	}
}

// updates reports whether, with one node of the wanted template fewer, the update would make
// another one in place of an outdated node.
func (l *ledger) updates() bool {
	return l.policy.Update.Has(Outdated) && l.aim.current+l.aim.promised <= l.aim.target
}

// outdatedFirst orders nodes by the criterion, those first that an update would replace: else
// a shrink takes nodes that have what is wanted, and the update makes others.
func outdatedFirst(a, b *fact) int { return cmp.Or(trueFirst(a.outdated, b.outdated), byTurn(a, b)) }

// removable reports whether a node can leave.
func (l *ledger) removable(f *fact) bool { return f.free() && !l.policy.Unreachable[f.Region] }

// unserved asks for the nodes that never served and have another template than they should.
// Where a substitute may be made, a node for which Nova found no host is left to the causes,
// which look for another place.
func (l *ledger) unserved(decide func(want)) {
	if !l.policy.Update.Has(Outdated) || l.policy.Update.holds && !l.ever {
		return
	}
	for _, name := range l.left.names() {
		f := l.left[name]
		if f.never && f.outdated && (!l.aim.reached() || !f.settled) && l.aim.at(f.Place) != f.Template &&
			(f.full == nil || l.policy.keeps(Outdated)) {
			why := l.texts.of(f.Template, l.aim.at(f.Place)) + "; it never served"
			decide(want{fact: f, cause: Outdated, what: revised, why: why})
		}
	}
}

// inLine asks for the nodes of a queue for a cause, as far as they are not barred.
func (l *ledger) inLine(cause Cause, may func(*fact) bool, why func(*fact) string, decide func(want)) {
	q := l.queueInPlace(func(f *fact) bool { return may(f) && !l.barred(f, cause) })
	for {
		f, ok := q.next()
		if !ok {
			return
		}
		granted, more := l.asks(want{fact: f, cause: cause, what: replaced, why: why(f)}, decide)
		if !more {
			return
		}
		q.leave(f.Place, granted)
	}
}

// barred reports whether a node cannot be replaced for a cause, whatever the budget.
func (l *ledger) barred(f *fact, cause Cause) bool {
	return l.bars(want{fact: f, cause: cause, what: replaced}).hold != ""
}

// queueInPlace lines up the nodes that may be replaced where they are. Those that were
// already are out of service for a while, as if they had left: the next one is taken where
// more are.
func (l *ledger) queueInPlace(may func(*fact) bool) queues {
	q := l.queue(may)
	q.DropMins()
	for name, v := range l.verdicts {
		if f := l.left[name]; v.Outcome == Changes && f != nil {
			q.Add(f.Place, -1)
			q.Keep(f.Place, -1)
		}
	}
	return q
}

func (l *ledger) unhealthy(may func(*fact) bool, decide func(want)) {
	l.inLine(Unhealthy, func(f *fact) bool { return f.unhealthy != "" && may(f) },
		func(f *fact) string { return f.unhealthy }, decide)
}

// misplaced asks for the nodes whose moves make the spread better, each time of the
// cluster as it is once the nodes that are pending are placed.
func (l *ledger) misplaced(may func(*fact) bool, decide func(want)) {
	q := l.queue(func(f *fact) bool { return may(f) && f.rests == "" && !l.barred(f, Misplaced) })
	for {
		moved := q.Clone()
		moved.Grow(l.pending)
		from, to, ok := moved.Move()
		if !ok {
			return
		}
		f := q.all[q.in[from][0]]
		why := q.Beyond(from)
		if why == "" {
			why = to.String() + " is a better place"
		}
		granted, more := l.asks(want{fact: f, cause: Misplaced, what: replaced, why: why}, decide)
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
func (l *ledger) outdated(may func(*fact) bool, decide func(want)) {
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
		has := func(f *fact) bool { return f.outdated && f.Template == template && may(f) }
		l.inLine(Outdated, has, l.differs, decide)
	}
}

// differs says what is another in the template of a node than in the wanted one.
func (l *ledger) differs(f *fact) string {
	return l.texts.of(f.Template, l.policy.Templates.At(f.Place))
}

// aged asks for the oldest first.
func (l *ledger) aged(may func(*fact) bool, decide func(want)) {
	var old []*fact
	for _, f := range l.left {
		if !f.aged.IsZero() && may(f) && !l.barred(f, TooOld) {
			old = append(old, f)
		}
	}
	slices.SortFunc(old, func(a, b *fact) int {
		return cmp.Or(a.aged.Compare(b.aged), cmp.Compare(a.Index, b.Index), cmp.Compare(a.name, b.name))
	})
	for _, f := range old {
		if _, more := l.asks(want{fact: f, cause: TooOld, what: replaced, why: f.old()}, decide); !more {
			return
		}
	}
}

// old says since when the server of a node runs that is too old.
func (f *fact) old() string {
	return fmt.Sprintf("its server was launched on %s", f.aged.UTC().Format(time.DateOnly))
}

// concerns says why a node should be replaced for a cause, whatever holds it; "" where it
// need not be. That of a better place is known only where one was looked for.
func (l *ledger) concerns(f *fact, cause Cause) string {
	switch {
	case !l.policy.Update.Has(cause):
		return ""
	case cause == Unhealthy:
		return f.unhealthy
	case cause == Outdated && f.outdated:
		return l.differs(f)
	case cause == TooOld && !f.aged.IsZero():
		return f.old()
	}
	return ""
}

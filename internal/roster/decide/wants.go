package decide

import (
	"cmp"
	"iter"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
)

// Wants yields the wants of a plan one after the other: nodes that leave, nodes that never
// served, the growth, and nodes that the update replaces. Each want depends on the decisions
// before it, so it is worked out from the ledger after the previous want was decided.
//
// Nodes are replaced in classes: nodes under way, then other nodes that are not in service, then
// nodes that serve. The first two classes begin with nodes that are proven to be out of service.
// In each class candidates come first, then the causes in their order. A hold that all nodes
// share ends the class for that cause.
func (p *Planning) Wants() iter.Seq[Want] {
	return func(yield func(Want) bool) {
		ask := func(w Want) { _ = yield(w) }
		for _, f := range p.Named.leave {
			ask(Want{Fact: f, What: removed})
		}
		p.surplus(p.tooMany, ask)
		p.takeBack(max(0, -p.tooMany), ask)
		p.neverServed(ask)
		ask(Want{Fact: &facts.Fact{}, What: grown, nodes: p.unhosted + max(0, -p.tooMany)})
		p.standIn(ask)
		for _, class := range classes {
			eligible := func(f *facts.Fact) bool { return !p.Granted(f.Name) && class(f) }
			for _, f := range p.Named.again {
				if eligible(f) {
					ask(Want{Fact: f, What: Remade})
				}
			}
			for _, cause := range causes {
				if p.Policy.Update.Has(cause.Cause) {
					cause.wants(p.Ledger, cause.Cause, eligible, ask)
				}
			}
		}
	}
}

// classes are the classes of nodes that are replaced, in order.
var classes = []func(*facts.Fact) bool{
	func(f *facts.Fact) bool { return f.UnderWay() && !f.Is.MayServe },
	func(f *facts.Fact) bool { return f.UnderWay() && f.Is.MayServe },
	func(f *facts.Fact) bool { return !f.UnderWay() && f.Is != facts.Serving && !f.Is.MayServe },
	func(f *facts.Fact) bool { return !f.UnderWay() && f.Is != facts.Serving && f.Is.MayServe },
	func(f *facts.Fact) bool { return f.Is == facts.Serving },
}

// causes are the causes of an update in their order, each with the method that asks for its nodes.
var causes = []struct {
	roster.Cause
	wants func(l *Ledger, cause roster.Cause, eligible func(*facts.Fact) bool, ask func(Want))
}{
	{roster.Unhealthy, (*Ledger).line},
	{roster.Misplaced, (*Ledger).misplaced},
	{roster.Outdated, (*Ledger).outdated},
	{roster.Lesser, (*Ledger).line},
	{roster.TooOld, (*Ledger).aged},
}

// asks asks for a want. It reports whether the want was granted, and whether others of its class
// and cause may be granted: a hold that depends on the node does not end its class.
func (l *Ledger) asks(w Want, ask func(Want)) (granted, more bool) {
	ask(w)
	no := l.Verdicts[w.Name]
	return no.Outcome != Held, no.Outcome != Held || no.Hold != hold.Target && no.Hold != hold.Batch
}

// surplus asks for the nodes that leave a cluster that is too large: first nodes that are proven
// to be out of service, then accused nodes, then other nodes that are not proven in service, then
// tainted nodes, then the others. In each class, placement chooses the regions and zones, and
// the criterion chooses the nodes there. Nodes of closed places leave in the same order after all
// others. Nodes of a region that cannot be reached stay, because nothing can be deleted there.
//
// A min protects nodes that serve. A node that is not proven in service is removed even at a
// min, because a node that serves would leave instead.
func (l *Ledger) surplus(all int64, ask func(Want)) {
	count, before := all, queue(l.board, l.Left, l.removable, byTurn).Board
	for _, closed := range []bool{false, true} {
		for _, class := range []struct {
			has      func(*facts.Fact) bool
			keepMins bool
		}{
			{func(f *facts.Fact) bool { return !f.Is.MayServe }, false},
			{l.accused, false},
			{func(f *facts.Fact) bool { return f.Is != facts.Serving && !f.ServesUnchanged() }, false},
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

// shrink asks for up to a number of nodes of a class, and returns how many are still too many.
func (l *Ledger) shrink(count int64, may func(*facts.Fact) bool, keepMins bool, ask func(Want)) int64 {
	line := func(order func(a, b *facts.Fact) int) queues {
		q := queue(l.board, l.Left, may, order)
		if !keepMins {
			q.DropMins()
		}
		return q
	}
	// otherwise a shrink would remove nodes with the wanted template, and the update would make new ones
	outdatedFirst := func(a, b *facts.Fact) int {
		return cmp.Or(facts.TrueFirst(a.Outdated, b.Outdated), byTurn(a, b))
	}
	q, updating := line(byTurn), false
	for ; count > 0; count-- {
		if !updating && l.updates() {
			q, updating = line(outdatedFirst), true
		}
		f := q.next()
		if f == nil {
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
		l.Rollout.Current+l.Rollout.promised <= l.Rollout.Target
}

func (l *Ledger) removable(f *facts.Fact) bool { return f.Free() && !l.Policy.Unreachable[f.Region] }

// takeBack asks for the nodes whose servers still serve as they were before a change, if so many others
// are out of service by now, or come with a growth, that the next apply would take too many. The first
// may still change.
func (l *Ledger) takeBack(grown int64, ask func(Want)) {
	var undone []*facts.Fact
	out := int64(len(l.Out)) + grown
	for _, f := range l.Left.ByIndex() {
		if f.Undone && l.Policy.InPlace() {
			undone = append(undone, f)
			out--
		}
	}
	for _, f := range undone[min(len(undone), int(max(0, l.Size-out))):] {
		ask(Want{Fact: f, What: TakenBack, To: l.now.Before[f.Name].Template})
	}
}

// stranded reports whether a node was never in service, and is where no update touches it.
func (l *Ledger) stranded(f *facts.Fact) bool {
	return !f.Served && f.Is != facts.Serving && (f.Closed || l.Policy.Unreachable[f.Region])
}

// standIn asks for leaving nodes in service, as many as stranded nodes and full places lack: a place
// that closes, or is full, while a batch is open costs no server. A node comes back to any place,
// because its server is there. It waits for a look at the other nodes.
func (l *Ledger) standIn(ask func(Want)) {
	if l.Left.Number(func(f *facts.Fact) bool { return f.Doubt && !l.stranded(f) }) > 0 {
		return
	}
	for _, f := range slices.Clone(l.back) {
		if int64(len(l.Left))+l.pending-l.Left.Number(l.stranded) >= l.Policy.Capacity {
			return
		}
		if f.Is == facts.Serving && f.StandsIn {
			ask(Want{Fact: f, What: standsIn})
		}
	}
}

// neverServed asks for the nodes that never served and should have another template, flavor or
// server, and for nodes that failed twice and replaced a node that still runs. The update need not
// have a cause for it: nobody uses these nodes. If the method makes substitutes, nodes for which Nova
// found no host leave, and others come where there is room: each apply would make them once more,
// before it destroys the servers in ERROR.
func (l *Ledger) neverServed(ask func(Want)) {
	for _, f := range l.Left.ByIndex() {
		switch {
		case l.Granted(f.Name) || !l.neverUsed(f): // granted: its change is taken back
		case f.NoHost && !l.Policy.TakesFirst():
			ask(Want{Fact: f, Cause: roster.Unhealthy, What: unhosted})
		case l.failedTwice(f):
			ask(Want{Fact: f, Cause: roster.Unhealthy, What: GivenUp})
		case l.revises(f):
			cause := roster.Outdated
			if !f.Outdated && !l.lost(f) {
				cause = roster.Lesser
			}
			ask(Want{Fact: f, Cause: cause, What: Revised, To: l.Rollout.templateAt(f.Place)})
		}
	}
}

// neverUsed reports whether nobody uses a node, because it never served.
func (l *Ledger) neverUsed(f *facts.Fact) bool {
	return f.Is.Fresh || f.Unfound || (l.First && f.Is != facts.Unknown) || l.starts(f) || l.lost(f)
}

// failedTwice reports whether a node and its predecessor failed with the wanted template, and a
// node that they replaced can come back.
func (l *Ledger) failedTwice(f *facts.Fact) bool {
	return f.Is == facts.Failing && f.Retried && !f.Outdated && l.Policy.Update.Has(roster.Unhealthy) &&
		l.comesBack(Want{Fact: f, What: GivenUp}) != nil
}

// revises reports whether a node that never served gets another template, flavor or server.
func (l *Ledger) revises(f *facts.Fact) bool {
	if l.holds() {
		return false
	}
	if f.Outdated {
		return l.Rollout.templateAt(f.Place) != f.Template && (!l.Rollout.reached() || !f.Settled)
	}
	flavors := l.Policy.Flavors.At(f.Asked)
	return len(l.Policy.Flavors) > 0 && !slices.Contains(flavors, f.Flavor) || l.lost(f)
}

// starts reports whether nobody has waited for a new server to the end. It may serve by now, but its
// substitute is made first, so a batch of such nodes may be revised.
func (l *Ledger) starts(f *facts.Fact) bool {
	return f.Is == facts.Starting && f.Server.InService == "" && !l.First && !l.Policy.TakesFirst()
}

// lost reports whether the server of a node that never served was not made again, because the new
// one was refused: Terraform makes it again only for another generation.
func (l *Ledger) lost(f *facts.Fact) bool {
	return f.NotRemade && !f.Served && f.Server.InService == "" && !l.Policy.TakesFirst()
}

// line asks for the nodes to replace for a cause, in the order of a queue.
func (l *Ledger) line(cause roster.Cause, may func(*facts.Fact) bool, ask func(Want)) {
	q := l.queueInPlace(func(f *facts.Fact) bool { return may(f) && f.Concern(cause) && !l.barred(f, cause) })
	for f := q.next(); f != nil; f = q.next() {
		granted, more := l.asks(l.replacement(f, cause), ask)
		if !more {
			return
		}
		q.leave(f.Place, granted)
	}
}

func (l *Ledger) replacement(f *facts.Fact, cause roster.Cause) Want {
	return Want{Fact: f, Cause: cause, What: Replaced, To: l.Policy.Templates.At(f.Place)}
}

// barred reports whether a node cannot be replaced for a cause, whatever the budget.
func (l *Ledger) barred(f *facts.Fact, cause roster.Cause) bool {
	w := l.replacement(f, cause)
	return l.bars(w).Hold != nil || l.barsFor(w).Hold != nil
}

// queueInPlace returns the nodes that may be replaced in their places. Nodes that this plan
// changes are out of service for a while, so they count as if they had left: the next node comes
// from a place with more nodes.
func (l *Ledger) queueInPlace(may func(*facts.Fact) bool) queues {
	q := queue(l.board, l.Left, may, byTurn)
	q.DropMins()
	for name, v := range l.Verdicts {
		if f := l.Left[name]; v.Outcome == Changes && f != nil {
			q.Add(f.Place, -1)
			q.Keep(f.Place, -1)
		}
	}
	return q
}

// misplaced asks for the nodes whose moves make the spread better, counted after the pending
// nodes are placed.
func (l *Ledger) misplaced(cause roster.Cause, may func(*facts.Fact) bool, ask func(Want)) {
	movable := func(f *facts.Fact) bool { return may(f) && f.Rests == "" && !l.barred(f, cause) }
	q := queue(l.board, l.Left, movable, byTurn)
	for _, at := range l.full {
		q.Close(at)
	}
	l.moves(q, func() int64 { return l.pending }, func(w Want) (granted, more bool) { return l.asks(w, ask) })
}

// moves asks for moves of nodes in queues, as long as they make the spread better and more may be
// granted.
func (l *Ledger) moves(q queues, pending func() int64, ask func(Want) (granted, more bool)) {
	for _, at := range l.avoided(1) {
		q.Close(at)
	}
	for {
		moved := q.Clone()
		moved.Grow(pending())
		from, to, ok := moved.Move()
		if !ok {
			return
		}
		f := q.in[from][0]
		granted, more := ask(Want{Fact: f, Cause: roster.Misplaced, What: Replaced, Better: to, Beyond: q.Beyond(from)})
		if !more {
			return
		}
		q.leave(from, granted)
		for _, at := range l.full { // the place of the node may just have become full
			q.Close(at)
		}
	}
}

// outdated asks for nodes of the newest outdated template first, because a rollout that was given
// up half way is the least proven.
func (l *Ledger) outdated(cause roster.Cause, may func(*facts.Fact) bool, ask func(Want)) {
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
		l.line(cause, func(f *facts.Fact) bool { return f.Template == template && may(f) }, ask)
	}
}

// aged asks for the nodes with the oldest servers first.
func (l *Ledger) aged(cause roster.Cause, may func(*facts.Fact) bool, ask func(Want)) {
	var old []*facts.Fact
	for _, f := range l.Left {
		if f.Concern(cause) && may(f) && !l.barred(f, cause) {
			old = append(old, f)
		}
	}
	slices.SortFunc(old, func(a, b *facts.Fact) int {
		return cmp.Or(a.Aged.Compare(b.Aged), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
	})
	for _, f := range old {
		if _, more := l.asks(l.replacement(f, cause), ask); !more {
			return
		}
	}
}

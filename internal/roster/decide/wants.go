package decide

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// wants asks for the wants of a plan one after the other: nodes that leave, nodes that never served, the growth, and
// nodes that the update replaces. Each want depends on the decisions before it, so it is worked out from the ledger
// after the previous want was decided.
//
// Nodes are replaced in classes: nodes under way, then other nodes that are not in service, then nodes that serve. The
// first two classes begin with nodes that are proven to be out of service. In each class candidates come first, then
// the causes in their order. A hold that all nodes share ends the class for that cause.
func (l *ledger) wants() error {
	for _, f := range l.named.leave {
		l.decide(verdict.Want{Fact: f, What: verdict.Removed})
	}
	missing := max(0, l.Policy.Capacity-int64(len(l.staying)))
	for many, last := l.excess(), 0; many > 0 && len(l.staying) != last; many = l.excess() {
		last = len(l.staying)
		if err := l.surplus(many); err != nil { // a stranded node may leave first, and then its stand-in is too many
			return err
		}
	}
	l.takeBack(missing)
	l.neverServed()
	l.decide(verdict.Want{Fact: &facts.Fact{}, What: verdict.Grown, Nodes: l.owed + missing})
	l.giveWay()
	l.standIn()
	for _, class := range classes {
		eligible := func(f *facts.Fact) bool { return !l.granted(f.Name) && class(f) }
		if l.staying.Number(eligible) == 0 {
			continue
		}
		for _, f := range l.named.again {
			if eligible(f) {
				l.decide(verdict.Want{Fact: f, What: verdict.Remade})
			}
		}
		for _, c := range cause.All {
			if l.Policy.Update.Has(c.Name) {
				l.replaceFor(c, eligible)
			}
		}
	}
	if l.Crowded > 0 {
		l.standIn()
	}
	return l.err
}

// classes are the classes of nodes that are replaced, in order.
var classes = []func(*facts.Fact) bool{
	func(f *facts.Fact) bool { return f.UnderWay() && !f.Is.MayServe },
	func(f *facts.Fact) bool { return f.UnderWay() && f.Is.MayServe },
	func(f *facts.Fact) bool { return !f.UnderWay() && f.Is != facts.Serving && !f.Is.MayServe },
	func(f *facts.Fact) bool { return !f.UnderWay() && f.Is != facts.Serving && f.Is.MayServe },
	func(f *facts.Fact) bool { return f.Is == facts.Serving },
}

// replaceFor asks for the nodes to replace for a cause, in its order.
func (l *ledger) replaceFor(c *cause.Cause, may func(*facts.Fact) bool) {
	switch concerned := func(f *facts.Fact) bool { return c.Concerns(f) && may(f) && !l.barred(f, c.Name) }; c.Order {
	case cause.ByPlace:
		l.misplaced(c.Name, may)
	case cause.ByTemplate:
		l.byTemplate(c.Name, concerned)
	case cause.OldestFirst:
		l.oldestFirst(c.Name, concerned)
	default:
		l.byTurn(c.Name, concerned)
	}
}

// asks asks for a want. It reports whether the want was granted, and whether others of its class
// and cause may be granted: a hold that depends on the node does not end its class.
func (l *ledger) asks(w verdict.Want) (granted, more bool) {
	l.decide(w)
	no := l.verdicts[w.Name]
	return no.Outcome != verdict.Held, no.Outcome != verdict.Held || no.Hold != hold.Target && no.Hold != hold.Batch
}

// surplus asks for the nodes that leave a cluster that is too large: first nodes that are proven to be out of service,
// then accused nodes, then other nodes that are not proven in service, then tainted nodes, then the others. In each
// class, placement chooses the regions and zones, and the criterion chooses the nodes there. Nodes of closed places
// leave in the same order after all others. Nothing can be deleted in a region that cannot be reached.
//
// A min protects nodes that serve. A node that is not proven in service is removed even at a min, because a node that
// serves would leave instead.
func (l *ledger) surplus(all int64) error {
	count, before := all, queue(l.board, l.staying, l.removable, byTurn).Board
	for _, closed := range []bool{false, true} {
		for i, class := range []func(*facts.Fact) bool{
			func(f *facts.Fact) bool { return !f.Is.MayServe },
			l.view().Accused,
			func(f *facts.Fact) bool { return f.Is != facts.Serving && !f.StandsUnchanged() },
			func(f *facts.Fact) bool { return f.Server.Tainted },
			func(*facts.Fact) bool { return true },
		} {
			if count <= 0 {
				return nil
			}
			may := func(f *facts.Fact) bool { return l.removable(f) && (closed || !f.Closed) && class(f) }
			count = l.shrink(count, may, i > 2) // the last classes may serve, and a min protects those
		}
	}
	if count > 0 {
		return l.tooFew(all, count, before)
	}
	return nil
}

// shrink asks for up to a number of nodes of a class, and returns how many are still too many.
func (l *ledger) shrink(count int64, may func(*facts.Fact) bool, keepMins bool) int64 {
	line := func(order func(a, b *facts.Fact) int) queues {
		q := queue(l.board, l.staying, may, order)
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
	updates := l.Policy.Update.Has(roster.Outdated)
	for ; count > 0; count-- {
		// with one node of the wanted template fewer, the update would make another one in place of an outdated node
		if !updating && updates && l.rollout.current+l.rollout.promised <= l.rollout.target {
			q, updating = line(outdatedFirst), true
		}
		f := q.next()
		if f == nil {
			break
		}
		l.decide(verdict.Want{Fact: f, What: verdict.Surplus, First: updating && f.Outdated && f.Is == facts.Serving,
			WhyLoses: q.WhyLoses(f.Place)})
		q.leave(f.Place, true)
	}
	return count
}

func (l *ledger) removable(f *facts.Fact) bool { return f.Free() && !l.Policy.Unreachable[f.Region] }

// neverServed asks for the nodes that never served and whose servers are dead, or should have another template or
// flavor. The update need not have a cause for it: nobody uses these nodes. If the method makes substitutes, they leave
// and others come: a name is tried once, because Terraform makes a server that failed again with each apply, before it
// destroys anything, and asks for its ports again. A node without a server may use its name, unless a leaving node
// suits, or nothing is made.
func (l *ledger) neverServed() {
	never := func(f *facts.Fact) bool {
		return f.Is.Fresh || f.Unfound || f.Lost || l.First && f.Is != facts.Unknown
	}
	for _, f := range l.staying.ByIndex(never) {
		w := verdict.Want{Fact: f, Cause: roster.LaterFlavor, What: verdict.Revised, To: l.rollout.templateAt(f.Place)}
		if f.Outdated {
			w.Cause = roster.Outdated
		}
		switch dead := l.makesFirst() && f.Dead(); {
		case l.granted(f.Name): // its change is taken back
		case dead:
			l.decide(verdict.Want{Fact: f, Cause: roster.Unhealthy, What: verdict.GivenUp})
		case l.revises(f):
			if l.givesUp(f) {
				w.What = verdict.GivenUp
			}
			l.decide(w)
		}
	}
}

// givesUp reports whether a node that never served, and that gets another template or flavor, leaves instead: so that
// another comes, or so that a leaving node comes back in its place.
func (l *ledger) givesUp(f *facts.Fact) bool {
	return l.makesFirst() && (!f.Unfound || l.nothing) || f.Outdated && !l.stranded(f) && l.suited(f.Place)
}

// suited reports whether a leaving node may come back in the place of a node that never served. Nodes of slots stay in
// their slots.
func (l *ledger) suited(at placement.Place) bool {
	board := l.boardWithFull.Clone()
	board.Add(at, -1)
	return l.Policy.Stateful == nil && l.back.first(l.rollout.suits, board, at) != nil
}

// giveWay asks for the other nodes that never served, if too many servers are there to make all that are needed: with
// them no apply would end well, and only one that does destroys servers.
func (l *ledger) giveWay() {
	for _, f := range l.staying.ByIndex(func(f *facts.Fact) bool { return f.Is == facts.Late || f.Unfound }) {
		if (l.Crowded > 0 || l.nothing) && !l.granted(f.Name) {
			l.decide(verdict.Want{Fact: f, Cause: roster.Unhealthy, What: verdict.GivenUp})
		}
	}
}

// revises reports whether a node that never served gets another template or flavor.
func (l *ledger) revises(f *facts.Fact) bool {
	if f.Template != l.Policy.Templates.At(f.Place) {
		return l.rollout.templateAt(f.Place) != f.Template && (!l.rollout.reached() || !f.Settled)
	}
	flavors := l.Policy.Flavors.At(f.Asked)
	return len(l.Policy.Flavors) > 0 && (!slices.Contains(flavors, f.Flavor) || f.PassedOver)
}

// byTurn asks for the nodes that may be replaced in their places. Nodes that this plan changes are out of service for a
// while, so they count as if they had left: the next node comes from a place with more nodes.
func (l *ledger) byTurn(name roster.Cause, may func(*facts.Fact) bool) {
	q := queue(l.board, l.staying, may, byTurn)
	q.DropMins()
	for changed, v := range l.verdicts {
		if f := l.staying[changed]; v.Outcome == verdict.Changes && f != nil {
			q.Add(f.Place, -1)
			q.Keep(f.Place, -1)
		}
	}
	for f := q.next(); f != nil; f = q.next() {
		granted, more := l.asks(l.replacement(f, name))
		if !more {
			return
		}
		q.leave(f.Place, granted)
	}
}

func (l *ledger) replacement(f *facts.Fact, name roster.Cause) verdict.Want {
	return verdict.Want{Fact: f, Cause: name, What: verdict.Replaced, To: l.Policy.Templates.At(f.Place)}
}

// barred reports whether a node cannot be replaced for a cause, whatever the budget.
func (l *ledger) barred(f *facts.Fact, name roster.Cause) bool {
	return l.view().Barred(l.replacement(f, name))
}

// misplaced asks for the nodes whose moves make the spread better, counted after the pending nodes are placed.
func (l *ledger) misplaced(name roster.Cause, may func(*facts.Fact) bool) {
	movable := func(f *facts.Fact) bool { return may(f) && f.Untouched == "" && !l.barred(f, name) }
	q := queue(l.board, l.staying, movable, byTurn)
	for _, at := range l.fullPlaces {
		q.Close(at)
	}
	l.moves(q, func() int64 { return l.pending }, l.asks)
}

// moves asks for moves of nodes in queues, as long as they make the spread better and more may be granted.
func (l *ledger) moves(q queues, pending func() int64, ask func(verdict.Want) (granted, more bool)) {
	for {
		moved := q.Clone()
		moved.Grow(pending())
		from, to, ok := moved.Move()
		if !ok {
			return
		}
		f := q.in[from][0]
		granted, more := ask(verdict.Want{Fact: f, Cause: roster.Misplaced, What: verdict.Replaced, MoveTo: to,
			WhyLoses: q.WhyLoses(from)})
		if !more {
			return
		}
		q.leave(from, granted)
		for _, at := range l.fullPlaces { // the place of the node may just have become full
			q.Close(at)
		}
	}
}

// byTemplate asks for nodes that serve with the oldest template first, so that each node is new after as many batches
// as the cluster has, whatever comes meanwhile. The others begin with the newest, because a rollout that was given up
// half way is the least proven.
func (l *ledger) byTemplate(name roster.Cause, may func(*facts.Fact) bool) {
	templates := map[roster.Template]int64{} // their ages; positive if their nodes serve
	for _, f := range l.staying {
		if may(f) {
			templates[f.Template] = 1 + l.now.Age(f.Template)
			if f.Is != facts.Serving {
				templates[f.Template] *= -1
			}
		}
	}
	first := func(a, b roster.Template) int {
		return cmp.Or(cmp.Compare(templates[a], templates[b]), cmp.Compare(b, a))
	}
	for _, template := range slices.SortedFunc(maps.Keys(templates), first) {
		l.byTurn(name, func(f *facts.Fact) bool { return f.Template == template && may(f) })
	}
}

// oldestFirst asks for the nodes with the oldest servers first.
func (l *ledger) oldestFirst(name roster.Cause, may func(*facts.Fact) bool) {
	all := l.staying.ByIndex(may)
	slices.SortFunc(all, func(a, b *facts.Fact) int { return cmp.Or(a.Aged.Compare(b.Aged), a.Compare(b)) })
	for _, f := range all {
		if _, more := l.asks(l.replacement(f, name)); !more {
			return
		}
	}
}

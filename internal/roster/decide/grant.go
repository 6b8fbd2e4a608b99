package decide

import (
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// A want that is granted makes nodes leave, change, return, or be added later. Each of these has one
// function: leaves, changes, returns, and the pending nodes of grow and replace. The counts of the ledger
// follow from the verdicts.

// grant does what a want asks for.
func (l *ledger) grant(w verdict.Want) {
	switch w.What {
	case verdict.Grown:
		l.grow(w.Nodes)
	case verdict.Removed:
		l.remove(w)
	case verdict.Surplus:
		l.leaves(w)
	case verdict.TakenBack:
		l.changes(w, w.Undone.Node)
	case verdict.GivenUp:
		l.giveUp(w)
	case verdict.Revised:
		add(&l.Taken, 1, l.takes(w))
		l.change(w)
	case verdict.Returned:
		l.pending--
		l.returns(w.Fact)
		w.StandsIn = l.standsIn()
	case verdict.StandsIn:
		enough := int64(len(l.staying))+l.pending >= l.Policy.Capacity
		l.comesBack(w.Fact)
		w.StandsIn = enough
		l.Crowded = max(0, l.Crowded-1)
		l.fit()
	case verdict.Remade, verdict.Replaced:
		l.replace(w)
	}
}

// leaves takes a node off the board.
func (l *ledger) leaves(w verdict.Want) {
	l.board.Add(w.Place, -1)
	l.boardWithFull.Add(w.Place, -1)
	delete(l.staying, w.Name)
	l.grants(verdict.Verdict{Want: w, Outcome: verdict.Leaves})
}

// changes gives a node that keeps its name another template, or another server.
func (l *ledger) changes(w verdict.Want, after roster.Node) {
	w.To = after.Template
	l.grants(verdict.Verdict{Want: w, Outcome: verdict.Changes, After: after})
}

// returns puts a leaving node that comes back on the board.
func (l *ledger) returns(f *facts.Fact) {
	l.board.Add(f.Place, 1)
	l.boardWithFull.Add(f.Place, 1)
	f.StandsIn = false
	l.staying[f.Name] = f
	l.grants(verdict.Verdict{Want: verdict.Want{Fact: f}, Outcome: verdict.Returns})
}

// comesBack returns a leaving node before the new nodes are placed.
func (l *ledger) comesBack(f *facts.Fact) {
	l.back = l.back.without(f)
	l.leaving = slices.DeleteFunc(l.leaving, func(name string) bool { return name == f.Name })
	l.returns(f)
}

// grow adds nodes. Nodes that find room in full places alone wait until these are tried again.
func (l *ledger) grow(nodes int64) {
	l.pending, l.grown = nodes, true
	if l.makesFirst() {
		free := l.free(0)
		add(&free, l.drained, !l.nothing) // somebody asks for the growth
		l.pending = min(nodes, max(0, free))
		l.Crowded = nodes - l.pending
	}
	if _, l.err = l.arrive(); l.err != nil && len(l.fullPlaces) > 0 {
		board := l.board
		l.board = l.boardWithFull
		_, l.err = l.arrive()
		l.board = board
	}
	if l.owed > 0 { // nobody asked for these
		l.err = nil
	}
	if l.Grown = l.pending; l.err == nil {
		l.fit()
	}
}

// fit takes away pending nodes of the growth until the others find room.
func (l *ledger) fit() {
	for _, err := l.arrive(); err != nil && l.pending > 0; _, err = l.arrive() {
		l.pending, l.Grown, l.Short = l.pending-1, l.Grown-1, l.Short+1
	}
	l.rollout.promised = 0
	l.rollout.promise(l.pending)
}

// remove removes a candidate. The substitute of one that was under way tries the wanted template once more: it counts
// against the batch.
func (l *ledger) remove(w verdict.Want) {
	tries := w.Occupies()
	if w.NoHost {
		l.noteFull(w.Fact)
	}
	l.leaves(w)
	add(&l.Taken, 1, tries && int64(len(l.staying)) < l.Policy.Capacity)
}

// giveUp removes a node that never served. Nobody uses the node, so it does not count against the batch: one plan
// repairs a bad growth or a bad batch. A leaving node comes back if one suits. Otherwise another node comes, with a
// name, ports and a place of its own, as far as servers may be made.
func (l *ledger) giveUp(w verdict.Want) {
	if w.NoHost {
		l.noteFull(w.Fact)
	}
	add(&l.cleans, 1, w.Server.ID != "" && !w.Lost)
	add(&l.failed, 1, w.Server.ID != "" && !w.Outdated)
	l.leaves(w)
	if back := l.back.first(l.rollout.suits, l.boardWithFull, w.Place); back != nil {
		l.comesBack(back)
		back.StandsIn = w.StandsIn
		return
	}
	l.owed++
	add(&l.passing, 1, w.StandsIn)
	l.Under++                   // another one is
	add(&l.Crowded, 1, l.grown) // and the next plan makes it
}

// replace replaces a node, or makes it again, within the batch.
func (l *ledger) replace(w verdict.Want) {
	l.Taken++
	if l.Policy.Keeps(w.Row().Moves) {
		l.change(w)
		return
	}
	if l.makesFirst() && l.free(l.pending) <= 0 { // the next plan makes its substitute
		l.leaves(w)
		l.Crowded++
		return
	}
	if full, _ := l.substitute(w.Fact); full {
		l.noteFull(w.Fact)
	}
	if w.Retries() {
		l.retries[w.Template]++
	}
	if w.Row().Moves {
		l.movesTo = append(l.movesTo, w.MoveTo)
	}
	l.pending++
	add(&l.Moved, 1, l.Policy.TakesFirst())
	add(&l.passing, 1, w.StandsIn)
	l.leaves(w)
	l.rollout.promise(1)
}

// standsIn reports whether the next node that is added takes over from a node that stood in for another.
// Otherwise the next plan would remove it as one too many.
func (l *ledger) standsIn() bool {
	l.passing--
	return l.passing >= 0
}

// flavor is what a node that keeps its name gets: its own if the place offers it, unless its server is made again.
func (l *ledger) flavor(w verdict.Want, again bool) (flavor, id string) {
	if w.NoHost {
		l.fullSpots[roster.Spot{Place: w.Asked, Flavor: w.Flavor}] = time.Time{}
	} else if !again && l.Policy.Offers(w.Asked, w.Node) && !w.PassedOver {
		return w.Flavor, w.FlavorID
	}
	flavor, _ = l.Policy.FlavorOf(w.Asked, l.fullSpots)
	return flavor, l.Policy.FlavorIDs[w.Region][flavor]
}

// change changes a node that keeps its name. The node then counts as new: it has not served.
func (l *ledger) change(w verdict.Want) {
	others := l.rollout
	add(&others.current, -1, !w.Outdated)
	n, again := w.Node, l.again(w)
	if again {
		n.Place = l.now.Home(w.Name, n)
	}
	template := others.templateAt(n.Place)
	n.Served, n.Doubt, n.Retried = false, true, w.Retries() && template == w.Template
	n.Template, n.Mark = template, w.Mark.Next(template)
	if again {
		n.Generation++
	}
	n.Flavor, n.FlavorID = l.flavor(w, again)
	l.changes(w, n)
}

// again reports whether the server of a node that keeps its name is made again. A node that was never
// found has none: if there is one under another name, it stays as it is.
func (l *ledger) again(w verdict.Want) bool {
	if w.What == verdict.Revised {
		return !w.Unfound && !l.Policy.InPlace()
	}
	return w.What == verdict.Remade || l.Policy.Keeps(w.Row().Moves) && l.Policy.MakesAgain(w.Row().Updates)
}

// takes reports whether a node that never served may be in service after all, so that the batch counts it.
func (l *ledger) takes(w verdict.Want) bool {
	switch {
	case w.Unfound:
		return !l.view().Ignores(w)
	case l.First:
		return false
	}
	return w.Is.MayServe && l.Policy.TakesFirst()
}

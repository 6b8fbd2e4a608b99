package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// Ledger is what wants are granted from: the room in the places, the budget of the batch, the
// health of the cluster, and how many nodes get which template. Only decide changes it.
type Ledger struct {
	Policy roster.Policy
	now    roster.Roster
	room
	budget
	health
	Rollout rollout
	err     error // why the cluster cannot grow

	Verdicts map[string]Verdict // of the nodes whose wants were granted or refused
	returned []*facts.Fact
	// whether a substitute finds room, by the place of its node, since the last change
	known map[placement.Place]refusal
}

// budget is what a plan may replace, and what counts against it.
type budget struct {
	Size    int64 // maximum number of nodes to replace
	Taken   int64 // number of those replaced that count against it
	pending int64 // nodes that will be added: the growth, and a substitute for each node replaced
	grown   int64 // of those, the growth
	// of those, substitutes that a method which makes nothing first does not wait for
	moved    int64
	retries  map[roster.Template]int64 // of those, the second tries of nodes, by the template that was tried
	Under    Set                       // nodes under way, those that this plan revises included
	Leaving  []string                  // leaving nodes that still run
	destroys int64                     // servers that this plan destroys later, under names that go
	// of those, servers that were never in service, and leave because such nodes come back
	unused int64
	Baking []string // nodes that have to serve for longer
	Tried  []string // nodes in whose place two servers of the wanted template ended in ERROR
}

// health is how many nodes are in service.
type health struct {
	Out       Set   // nodes that are not proven in service, those that this plan takes from it included
	unchanged Set   // of those, the ones whose servers did not follow them, and were found in service since
	Sick      int64 // unhealthy nodes
	Unknown   int64 // nodes whose health should be known, and is not
	unseen    int64 // nodes of which nothing is known
	Total     int64 // all nodes
}

// Set has the names of nodes.
type Set map[string]bool

func newLedger(now roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) *Ledger {
	l := &Ledger{
		Policy:   policy,
		now:      now,
		room:     roomOf(now, all, seen, policy),
		health:   healthOf(all),
		Rollout:  rolloutOf(now, all, policy),
		Verdicts: map[string]Verdict{},
	}
	l.budget = budget{
		Size:    policy.Batch(),
		retries: map[roster.Template]int64{},
		Under:   Set{},
		Leaving: now.LeavingFrom(policy),
		Baking:  all.Baking(),
	}
	for _, name := range all.Names() {
		f := all[name]
		if f.Tried != "" && f.Tried == policy.Templates.At(f.Place).Hash() && f.Outdated {
			l.Tried = append(l.Tried, name)
		}
		if f.UnderWay() && f.Rests == "" {
			l.Under[name] = true
		}
	}
	return l
}

func healthOf(all facts.Facts) health {
	h := health{Out: Set{}, unchanged: Set{}, Total: int64(len(all))}
	for name, f := range all {
		switch {
		case f.Sick():
			h.Sick++
		case f.Server.HealthUnknown && f.Rests == "":
			h.Unknown++
		case f.Is == facts.Unknown:
			h.unseen++
		}
		if !f.Proven() || f.Dark {
			h.Out[name] = true
		}
		if f.ServesUnchanged() && !f.Dark {
			h.unchanged[name] = true
		}
	}
	return h
}

// Decide grants a want or holds its node. It is the only function that changes the ledger.
func (l *Ledger) Decide(w Want) {
	if no := l.gate(w); no.hold != "" {
		l.hold(w, no)
		return
	}
	l.known = nil
	switch w.What {
	case grown:
		l.grow(w.nodes)
	case removed, Surplus:
		l.remove(w)
	case Revised, GivenUp:
		l.revise(w)
	case returned:
		l.pending--
		l.join(w.Fact)
		l.returns(w.Fact)
	case Remade, Replaced:
		l.replace(w)
	}
}

// hold notes what holds a node. Of several causes the one counts that will pass, then the
// one whose hold says more.
func (l *Ledger) hold(w Want, no refusal) {
	before, there := l.Verdicts[w.Name]
	if there && (before.Hold.Remains() || !no.hold.Remains()) {
		return
	}
	l.Verdicts[w.Name] = l.verdict(w, Held, no)
}

// Granted reports whether a want of a node was granted.
func (l *Ledger) Granted(name string) bool {
	v, there := l.Verdicts[name]
	return there && v.Outcome != Held
}

// verdict is what was decided about a want.
func (l *Ledger) verdict(w Want, outcome Outcome, no refusal) Verdict {
	return Verdict{Name: w.Name, Node: w.Node, ID: w.Server.ID, Outcome: outcome, Cause: w.Cause, Hold: no.hold,
		Want: w, No: no}
}

// grow adds nodes. It fails where they find no room, except in places where Nova found no
// host a short time ago: it may have one by now.
func (l *Ledger) grow(nodes int64) {
	if l.err != nil {
		return
	}
	l.pending, l.grown = nodes, nodes
	l.Rollout.promise(nodes)
	_, l.err = l.arrive()
	if l.err != nil && len(l.full) > 0 {
		l.reopen()
		_, l.err = l.arrive()
	}
}

// remove removes a node for which no substitute is needed.
func (l *Ledger) remove(w Want) {
	if w.What == removed && w.Full != nil {
		l.close(*w.Full)
	}
	l.gone(w)
	if w.What == Surplus && w.Is == facts.Serving {
		l.Out[w.Name] = true // this plan takes it from service
	}
}

// gone takes a node off the board.
func (l *Ledger) gone(w Want) {
	l.leave(w.Fact)
	l.Rollout.uncount(w.Fact)
	delete(l.Under, w.Name)
	if w.What != Replaced { // else its substitute is not in service yet either
		delete(l.Out, w.Name)
		l.Baking = slices.DeleteFunc(slices.Clone(l.Baking), func(name string) bool { return name == w.Name })
	}
	if w.Server.ID != "" {
		l.destroys++
	}
	l.Tried = slices.DeleteFunc(slices.Clone(l.Tried), func(name string) bool { return name == w.Name })
	l.Verdicts[w.Name] = l.verdict(w, Leaves, refusal{})
}

// revise gives a node that never served the template that it should have. Nobody uses it, so
// it does not count against the batch, and keeps its name: no second server is made, and
// one plan repairs a bad growth or a bad batch. Where a leaving node is what is wanted that
// one comes back instead; for one that is given up, whichever it is.
func (l *Ledger) revise(w Want) {
	suits := l.Rollout.suits
	if w.What == GivenUp {
		suits = anyOf
	}
	returns, ok := l.comesBack(w.Fact, suits)
	if !ok {
		l.change(w, l.Rollout.templateAt(w.Place))
		l.Under[w.Name], l.Out[w.Name] = true, true
		return
	}
	if w.What == GivenUp {
		returns.Tried = w.Template.Hash()
	}
	l.returns(returns)
	w.Back = returns.Name
	if w.Server.ID != "" {
		l.unused++
	}
	l.gone(w)
}

// comesBack brings back a leaving node in the place of one that leaves, if there is one that
// suits. Those of slots stay in them.
func (l *Ledger) comesBack(instead *facts.Fact, suits func(*facts.Fact) bool) (*facts.Fact, bool) {
	if l.Policy.Stateful != nil {
		return nil, false
	}
	f, ok := l.back.take(suits, l.without(instead), instead.Place)
	if ok {
		l.join(f)
		l.Leaving = slices.DeleteFunc(slices.Clone(l.Leaving), func(name string) bool { return name == f.Name })
	}
	return f, ok
}

func anyOf(*facts.Fact) bool { return true }

// canReturn reports whether any leaving node can come back in the place of one that leaves.
func (l *Ledger) canReturn(instead *facts.Fact) bool {
	back := l.back
	_, ok := back.take(anyOf, l.without(instead), instead.Place)
	return ok && l.Policy.Stateful == nil
}

// without is the board of open places without a node.
func (l *Ledger) without(f *facts.Fact) *placement.Board {
	board := l.boardWithFull.Clone()
	board.Add(f.Place, -1)
	return board
}

// returns notes that a leaving node comes back. One that is not in service counts against the batch.
func (l *Ledger) returns(f *facts.Fact) {
	if !f.Proven() || f.Dark {
		l.Out[f.Name] = true
	}
	if f.UnderWay() && f.Rests == "" {
		l.Under[f.Name] = true
	}
	l.Rollout.count(f.Place, f.Template)
	l.returned = append(l.returned, f)
	l.Verdicts[f.Name] = l.verdict(Want{Fact: f}, Returns, refusal{})
}

// replace replaces a node, or makes it again, within the batch.
func (l *Ledger) replace(w Want) {
	l.Taken++
	if l.Policy.Keeps(w.Cause) {
		l.Rollout.uncount(w.Fact)
		l.change(w, l.Rollout.templateAt(w.Place))
		delete(l.Under, w.Name)
		l.Out[w.Name] = true
		return
	}
	if full, _ := l.substitute(w.Fact, l.pending); full != nil {
		l.close(*full)
	}
	if w.retries() {
		l.retries[w.Template]++
	}
	if w.Cause == roster.Misplaced {
		l.better = append(l.better, w.Better)
	}
	l.pending++
	if l.Policy.TakesFirst() {
		l.moved++
	}
	l.gone(w)
	l.Rollout.promise(1)
}

// change gives a node that keeps its name a template, or has its server made again. What it
// had counts no more.
func (l *Ledger) change(w Want, template roster.Template) {
	v := l.verdict(w, Changes, refusal{})
	v.Want.To, v.After = template, w.Node
	v.After.Served, v.After.Doubt, v.After.Retried = false, true, w.retries() && template == w.Template
	v.After.Template, v.After.Mark = template, w.Mark.Next(template)
	if w.What == Remade || l.Policy.Keeps(w.Cause) && l.Policy.MakesAgain(w.Cause) {
		v.After.Generation++
	}
	l.Rollout.count(w.Place, template)
	l.Verdicts[w.Name] = v
}

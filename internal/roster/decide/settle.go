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

// settle gives a verdict to each node that should be replaced although no want asked for it, and
// counts the nodes that remain to be replaced after this plan.
func (l *ledger) settle(next roster.Roster, seen roster.Seen) (remaining int64) {
	nodes := slices.SortedFunc(maps.Values(l.staying), func(f, g *facts.Fact) int {
		return cmp.Or(facts.TrueFirst(f.Is != facts.Serving, g.Is != facts.Serving), byTurn(f, g))
	})
	for _, f := range nodes {
		l.settleNode(f)
	}
	remaining = l.settleTarget(nodes)
	remembered := seen.FullPlaces(l.Policy)
	if slices.ContainsFunc(l.fullPlaces, func(at placement.Place) bool { return !slices.Contains(remembered, at) }) {
		remaining += l.Short // the next plan tries such a place again
	}
	if l.Policy.Update.Has(roster.Misplaced) {
		remaining += l.awaitMoves(next, seen)
	}
	for _, v := range l.verdicts {
		back := v.Outcome == verdict.Returns && renewed(v.Fact, l.Policy, false)
		again := v.What == verdict.TakenBack && v.Outcome == verdict.Changes && v.Free() &&
			l.Policy.Update.Has(roster.Outdated) && v.After.Template != l.Policy.Templates.At(v.Place)
		if v.Remains() || back || again {
			remaining++
		}
	}
	return remaining
}

// settleNode holds a node for each cause for which it should be replaced but was not.
func (l *ledger) settleNode(f *facts.Fact) {
	if l.granted(f.Name) {
		return
	}
	if f.Later { // this state does not know whether it should be replaced
		l.hold(verdict.Want{Fact: f}, verdict.Refusal{Hold: hold.Older})
	}
	for _, c := range cause.All {
		if l.Policy.Update.Has(c.Name) && c.Concerns(f) {
			l.waitsItsTurn(l.replacement(f, c.Name))
		}
	}
}

// settleTarget holds as many outdated nodes with [hold.Batch] as the target still needs, and the
// others with [hold.Target]. It returns how many nodes come back in this plan that the target needs, or that get a new
// server: they remain to be replaced, although no verdict holds them.
func (l *ledger) settleTarget(nodes []*facts.Fact) (back int64) {
	places := l.rollout.target - l.rollout.current - l.rollout.promised // nodes still to get the wanted template
	slices.SortStableFunc(nodes, func(f, g *facts.Fact) int { return facts.TrueFirst(f.Free(), g.Free()) })
	for _, f := range nodes {
		switch v := l.verdicts[f.Name]; {
		case v.Outcome == verdict.Returns && f.Outdated && l.Policy.Update.Has(roster.Outdated) && places > 0:
			places--
			back++
		case v.Outcome == verdict.Returns && renewed(f, l.Policy, true):
			back++
		case v.Outcome == verdict.Held && v.Row().Updates && f.Outdated && v.What == verdict.Replaced:
			places--
			l.holdForTarget(v, places >= 0)
		}
	}
	return back
}

// holdForTarget holds an outdated node, which the target still needs or does not.
func (l *ledger) holdForTarget(v verdict.Verdict, needs bool) {
	switch {
	case needs && v.Hold == hold.Target: // a node with the wanted template left since
		v.Refusal = verdict.Refusal{Hold: hold.Batch}
	case !needs && (!v.Free() || slices.Index(hold.All, v.Hold) > slices.Index(hold.All, hold.Target)):
		v.Refusal = verdict.Refusal{Hold: hold.Target}
	}
	l.verdicts[v.Name] = v
}

// waitsItsTurn holds a node with the hold of the gate or, if the gate would grant it, with
// [hold.Batch], because others come first.
func (l *ledger) waitsItsTurn(w verdict.Want) {
	no := l.view().Check(w)
	if no.Hold == nil {
		no.Hold = hold.Batch
	}
	l.hold(w, no)
}

// awaitMoves holds the nodes that should still move once this plan is applied and all other held nodes are replaced. It
// returns the number of new and returned nodes that should move then.
func (l *ledger) awaitMoves(next roster.Roster, seen roster.Seen) (number int64) {
	later, pending := l.later(next, seen)
	l.moves(later, func() int64 { return pending }, func(w verdict.Want) (granted, more bool) {
		if _, old := l.All[w.Name]; old {
			l.waitsItsTurn(w)
			if l.verdicts[w.Name].Hold.Done {
				return false, true
			}
		} else {
			number++
		}
		pending++
		return true, true
	})
	return number
}

// later returns the nodes that may move once this plan is applied and all other held nodes are replaced, and the number
// of substitutes that are still to be placed then.
func (l *ledger) later(next roster.Roster, seen roster.Seen) (later queues, pending int64) {
	all := maps.Clone(l.staying)
	for _, n := range l.comers {
		all[n.Name] = facts.FactOf(n.Name, n.Node, next, seen, l.Policy)
		all[n.Name].Turn = len(l.All) + int(n.Index)
	}
	board := boardOf(all, l.Policy.Regions, seen.FullPlaces(l.Policy))
	for name, v := range l.verdicts {
		if !v.Remains() || l.Policy.Keeps(v.Row().Moves) {
			continue
		}
		board.Add(v.Place, -1)
		if v.NoHost && !v.Other {
			board.Close(v.Asked)
		}
		delete(all, name)
		pending++
	}
	return queue(board, all, func(f *facts.Fact) bool {
		v, decided := l.verdicts[f.Name]
		return (!decided || v.Outcome == verdict.Returns) && f.Untouched == ""
	}, byTurn), pending
}

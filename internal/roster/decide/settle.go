package decide

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// settle gives a verdict to each node that should be replaced although no want asked for it, and
// counts the nodes that remain to be replaced after this plan.
func (p *planning) settle(next roster.Roster, seen roster.Seen) (remaining int64) {
	nodes := slices.SortedFunc(maps.Values(p.staying), func(f, g *facts.Fact) int {
		return cmp.Or(facts.TrueFirst(f.Is != facts.Serving, g.Is != facts.Serving), byTurn(f, g))
	})
	for _, f := range nodes {
		p.settleNode(f)
	}
	remaining = p.settleTarget(nodes)
	if p.policy.Update.Has(roster.Misplaced) {
		remaining += p.awaitMoves(next, seen)
	}
	for _, v := range p.verdicts {
		again := v.What == verdict.TakenBack && v.Free() && p.policy.Update.Has(roster.Outdated)
		if v.Remains() || again && v.Outcome == verdict.Changes && v.After.Template != p.policy.Templates.At(v.Place) {
			remaining++
		}
	}
	return remaining
}

// settleNode holds a node for each cause for which it should be replaced but was not.
func (p *planning) settleNode(f *facts.Fact) {
	if p.granted(f.Name) {
		return
	}
	if f.Later { // this state does not know whether it should be replaced
		p.hold(verdict.Want{Fact: f}, verdict.Refusal{Hold: hold.Older})
	}
	for _, c := range cause.All {
		if p.policy.Update.Has(c.Name) && c.Concerns(f) {
			p.waitsItsTurn(p.replacement(f, c.Name))
		}
	}
}

// settleTarget holds as many outdated nodes with HeldBatch as the target still needs, and the
// others with HeldTarget. It returns how many nodes that the target needs come back in this plan:
// they remain to be replaced, although no verdict holds them.
func (p *planning) settleTarget(nodes []*facts.Fact) (back int64) {
	places := p.rollout.target - p.rollout.current - p.rollout.promised // nodes still to get the wanted template
	for _, f := range nodes {
		v := p.verdicts[f.Name]
		if v.Outcome == verdict.Returns && f.Outdated && p.policy.Update.Has(roster.Outdated) && places > 0 {
			places--
			back++
		}
		if !forTarget(v) {
			continue
		}
		switch places--; {
		case places >= 0 && v.Hold == hold.Target: // a node with the wanted template left since
			v.Refusal = verdict.Refusal{Hold: hold.Batch}
		case places < 0 && v.Hold.After(hold.Target):
			v.Refusal = verdict.Refusal{Hold: hold.Target}
		}
		p.verdicts[f.Name] = v
	}
	return back
}

// forTarget reports whether the node is held, and would count for the target once it is replaced.
func forTarget(v verdict.Verdict) bool {
	return v.Outcome == verdict.Held && v.Cause == roster.Outdated && v.What == verdict.Replaced &&
		(!v.Hold.Done || v.Hold == hold.Target)
}

// waitsItsTurn holds a node with the hold of the gate or, if the gate would grant it, with
// HeldBatch, because others come first.
func (p *planning) waitsItsTurn(w verdict.Want) {
	no := p.view().Check(w)
	if no.Hold == nil {
		no.Hold = hold.Batch
	}
	p.hold(w, no)
}

// awaitMoves holds the nodes that should still move once this plan is applied and all other held nodes are replaced. It
// returns the number of new and returned nodes that should move then.
func (p *planning) awaitMoves(next roster.Roster, seen roster.Seen) (number int64) {
	later, pending := p.later(next, seen)
	p.moves(later, func() int64 { return pending }, func(w verdict.Want) (granted, more bool) {
		if _, old := p.All[w.Name]; old {
			p.waitsItsTurn(w)
			if p.verdicts[w.Name].Hold.Done {
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
func (p *planning) later(next roster.Roster, seen roster.Seen) (later queues, pending int64) {
	all := maps.Clone(p.staying)
	for _, n := range p.comers {
		all[n.Name] = facts.FactOf(n.Name, n.Node, next, seen, p.policy)
		all[n.Name].Turn = len(p.All) + int(n.Index)
	}
	board := boardOf(all, p.policy.Regions, seen.FullPlaces(p.policy))
	for name, v := range p.verdicts {
		if !v.Remains() || p.policy.Keeps(v.Cause) {
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
		v, decided := p.verdicts[f.Name]
		return (!decided || v.Outcome == verdict.Returns) && f.Untouched == ""
	}, byTurn), pending
}

package decide

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
)

// settle gives a verdict to each node that should be replaced and for which no want came
// up, and counts the nodes that remain to be replaced after this plan.
func (p *Planning) settle(next roster.Roster, seen roster.Seen) (remaining int64) {
	names := p.Left.Names()
	slices.SortStableFunc(names, func(a, b string) int {
		f, g := p.Left[a], p.Left[b]
		return cmp.Or(facts.TrueFirst(f.Is != facts.Serving, g.Is != facts.Serving), byTurn(f, g))
	})
	for _, name := range names {
		p.settleNode(p.Left[name])
	}
	remaining = p.settleTarget(names)
	if p.Policy.Update.Has(roster.Misplaced) {
		remaining += p.awaitMoves(next, seen)
	}
	for _, v := range p.Verdicts {
		if v.Outcome == Held && v.Hold.Remains() && v.Want.What != Nothing {
			remaining++
		}
	}
	return remaining
}

// settleNode holds a node for each cause for which it should be replaced, and was not.
func (p *Planning) settleNode(f *facts.Fact) {
	if p.Granted(f.Name) {
		return
	}
	if f.Later { // that it should be replaced is not known
		p.hold(Want{Fact: f}, refusal{hold: hold.HeldOlder})
	}
	for _, cause := range causes {
		if p.Policy.Update.Has(cause.Cause) && f.Concern(cause.Cause) {
			p.waitsItsTurn(p.replacement(f, cause.Cause))
		}
	}
}

// settleTarget holds as many outdated nodes for the batch as the target still asks for, and the
// others for the target. It returns how many of the first come back, and so are no verdicts
// that are held.
func (p *Planning) settleTarget(names []string) (back int64) {
	places := p.Aim.Target - p.Aim.Current - p.Aim.promised // for nodes of the wanted template
	for _, name := range names {
		v := p.Verdicts[name]
		if v.Outcome == Returns && p.Left[name].Outdated && p.Policy.Update.Has(roster.Outdated) && places > 0 {
			places--
			back++
		}
		if !v.forTarget() {
			continue
		}
		switch places--; {
		case places >= 0 && v.Hold == hold.HeldTarget: // a node that had the wanted template left since
			v.Hold, v.No = hold.HeldBatch, refusal{hold: hold.HeldBatch}
		case places < 0 && v.Hold.Order() > hold.HeldTarget.Order():
			v.Hold, v.No = hold.HeldTarget, refusal{hold: hold.HeldTarget}
		}
		p.Verdicts[name] = v
	}
	return back
}

// forTarget reports whether the node is held, and would count towards the target once replaced.
func (v Verdict) forTarget() bool {
	return v.Outcome == Held && v.Cause == roster.Outdated && v.Want.What == Replaced &&
		(v.Hold.Remains() || v.Hold == hold.HeldTarget)
}

// waitsItsTurn holds a node: others come first, where nothing else holds it.
func (p *Planning) waitsItsTurn(w Want) {
	no := p.gate(w)
	if no.hold == "" {
		no.hold = hold.HeldBatch
	}
	p.hold(w, no)
}

// awaitMoves holds the nodes that should still move once the plan is applied and all others
// that are held were replaced. It returns the number of new nodes among them.
func (p *Planning) awaitMoves(next roster.Roster, seen roster.Seen) (number int64) {
	rest, pending := maps.Clone(p.Left), int64(0)
	for _, n := range p.made {
		rest[n.name] = facts.FactOf(n.name, n.Node, next, seen, p.Policy)
		rest[n.name].Turn = len(p.All) + int(n.Index)
	}
	board := boardOf(rest, p.Policy.Regions, seen.FullPlaces(p.Policy))
	for name, v := range p.Verdicts {
		if v.Outcome != Held || !v.Hold.Remains() || p.Policy.Keeps(v.Cause) {
			continue
		}
		board.Add(v.Place, -1)
		if v.Want.Full != nil {
			board.Close(*v.Want.Full)
		}
		delete(rest, name)
		pending++
	}
	stays := func(f *facts.Fact) bool {
		v, decided := p.Verdicts[f.Name]
		return (!decided || v.Outcome == Returns) && f.Rests == ""
	}
	p.moves(queue(board, rest, stays, byTurn), func() int64 { return pending }, func(w Want) (granted, more bool) {
		if _, old := p.Left[w.Name]; !old || p.Verdicts[w.Name].Outcome == Returns {
			number, pending = number+1, pending+1
			return true, true
		}
		p.waitsItsTurn(w)
		if granted = p.Verdicts[w.Name].Hold.Remains(); granted {
			pending++
		}
		return granted, true
	})
	return number
}

package roster

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ErrTemplateRemoved says that a template was taken away.
var ErrTemplateRemoved = errors.New("a template cannot be taken away again: new nodes would be made from nothing")

// Plan works out the next roster: facts, wants, the ledger that decides about each of them,
// and the verdicts.
//
// Candidates are removed first. A cluster that is then too large shrinks: first
// by nodes that are not in service, then by those marked as tainted, then as placement
// takes from regions and zones, in each by the criterion; of two equally good
// places the one whose first node leaves earlier by the criterion. An update
// then chooses its batch; see [Update]. At last all new nodes, those of a growth
// and the substitutes, are placed together, each with the template of its place.
// Protected nodes are never removed or revised, and those of closed places only where
// nothing else is left to shrink by. Nodes of a region that
// lists zones only now are in the zones of their servers.
//
// Of the nodes that an update would replace, those not in service are taken
// first, then those of the causes in their order; within one, in the order in
// which placement takes from regions and zones, and for Outdated the newest of
// the outdated templates first.
//
// The errors are [ErrTemplateRemoved], a [*CandidateError], a [*ClosedError], a
// [*SlotInUseError], a [*placement.InfeasibleError] and a [*deletion.ProtectedError].
func Plan(now Roster, seen Seen, policy Policy) (Roster, Change, error) {
	p, err := prepare(now, seen, policy)
	if err != nil {
		return now, Change{}, err
	}
	p.wants(p.named, p.surplus, daysOf(p.all, p.policy), p.decide)
	return p.finish(now, seen)
}

// planning is a plan that is made.
type planning struct {
	*ledger
	all     facts // all nodes, also those that leave
	named   candidates
	surplus int64 // number of nodes too many, where candidates have left; below 0: of those that are missing
	failure failing
	notices []Notice
}

// prepare finds out what is known, before anything is decided.
func prepare(now Roster, seen Seen, policy Policy) (*planning, error) {
	now = now.zonesFrom(seen, policy.Regions).giveUp(seen, policy)
	p := &planning{failure: now.judge(policy)}
	policy = p.failure.over(policy)
	next, notices, err := now.firstTemplate(policy.Templates)
	if err != nil {
		return nil, err
	}
	p.notices = slices.Concat(notices, next.openSlots(policy))
	p.all = assess(next, seen, policy)
	if p.named, notices, err = findCandidates(next, p.all, policy); err != nil {
		return nil, err
	}
	p.notices = append(p.notices, notices...)
	p.ledger = newLedger(next, p.all, seen, policy)
	p.surplus = int64(len(p.all)-len(p.named.leave)) - policy.Capacity
	return p, nil
}

// finish makes the next roster of what was decided, and says what follows from it.
func (p *planning) finish(now Roster, seen Seen) (Roster, Change, error) {
	if p.err != nil {
		return now, Change{}, p.err
	}
	if err := p.tooFew(); err != nil {
		return now, Change{}, err
	}
	p.notices = append(p.notices, p.tellLeaving(p.all)...)
	come, err := p.arrive()
	if err != nil {
		return now, Change{}, err
	}
	for _, f := range come.returned {
		p.returns(f)
	}
	made, index, passed := p.name(come, seen.Taken)
	next := p.now.clone()
	fresh := next.withoutSlots(made)
	next.apply(p.verdicts, made, index, seen)
	next.Done = p.met()
	if err := next.closeSlots(p.verdicts, p.policy); err != nil {
		return now, Change{}, err
	}
	after := p.after(next, made, seen)
	p.notices = append(p.notices, belowMin(p.all, after, p.policy)...)
	later := p.later(next, after, seen)
	p.holds(later)
	change := Change{Remaining: later.changes(), Reverted: p.failure.record(p.all)}
	change.Verdicts = p.record(made)
	change.waits, change.baking = p.waits(change.Remaining), p.baking
	change.kept = p.kept(held(change.Verdicts, HeldProtected))
	change.outdated = after.number(func(f *fact) bool { return f.outdated })
	protects, err := protectsNobody(p.all, change, p.policy)
	if err != nil {
		return now, Change{}, err
	}
	change.Notices = slices.Concat(
		p.notices,
		protects,
		p.failure.notices(change.Reverted, p.policy),
		seen.tellOfFull(p.tried, p.policy),
		namesPassed(passed),
		p.tell(change),
		slotsWait(fresh, next, after, p.policy),
	)
	return next.giveUp(seen, p.policy), change, nil
}

// apply makes a change of a roster. Nodes that are removed are leaving ones from
// then on, unless they are known to have no server.
func (r *Roster) apply(verdicts map[string]Verdict, made []newNode, next int64, seen Seen) {
	for name, v := range verdicts {
		switch v.Outcome {
		case Changes:
			r.Nodes[name] = v.after
		case Leaves:
			n := r.Nodes[name]
			delete(r.Nodes, name)
			if !seen.Missing[name] {
				r.Leaving[name] = n
			}
		case Returns:
			r.Nodes[name] = v.Node
			delete(r.Leaving, name)
		}
	}
	for _, n := range made {
		r.Nodes[n.name] = n.Node
		delete(r.Leaving, n.name)
	}
	r.Next = next
}

// after are the facts of the cluster as the plan leaves it: of the nodes that are left,
// some were changed, some came back, and new ones come, whose turn is after all others.
func (p *planning) after(next Roster, made []newNode, seen Seen) facts {
	after := maps.Clone(p.left)
	for name, f := range p.left {
		if n := next.Nodes[name]; n.Mark != f.Mark {
			after[name] = factOf(name, n, next, seen, p.policy)
			after[name].turn = f.turn
		}
	}
	var come []newNode
	for _, f := range p.returned {
		come = append(come, newNode{f.name, f.Node})
	}
	for i, n := range append(come, made...) {
		after[n.name] = factOf(n.name, n.Node, next, seen, p.policy)
		after[n.name].turn = len(p.all) + i
	}
	return after
}

// later is the ledger of the cluster as the plan leaves it, after the same wants were decided
// without a budget: what should still be replaced, sooner or later. An outage that this plan
// ends, for instance because candidates leave, does not hold back the next plan.
func (p *planning) later(next Roster, after facts, seen Seen) *ledger {
	var named candidates
	for _, f := range p.named.again {
		if p.verdicts[f.name].Outcome == Held {
			named.again = append(named.again, after[f.name])
		}
	}
	l := newLedger(next, after, seen, p.policy)
	l.ever, l.back = true, nil // who leaves is gone by then
	l.wants(named, 0, nil, l.decide)
	return l
}

// changes is the number of nodes that are removed for a substitute, or changed.
func (l *ledger) changes() (n int64) {
	for _, v := range l.verdicts {
		if v.Outcome == Leaves || v.Outcome == Changes {
			n++
		}
	}
	return n
}

// holds adds verdicts about the nodes that should be replaced, and for which no want came
// up: what bars each for good or, where it will be replaced later, the refusal of the cause
// for that.
func (p *planning) holds(later *ledger) {
	for name, f := range p.left {
		if v, there := p.verdicts[name]; there && (v.Outcome != Held || !v.Hold.spent()) {
			continue
		}
		granted := later.verdicts[name]
		for _, cause := range []Cause{granted.Cause, Unhealthy, Outdated, TooOld} {
			w := want{fact: f, cause: cause, what: replaced, why: p.concerns(f, cause)}
			if later.granted(name) && granted.Cause == cause {
				w.what, w.why = granted.want.what, granted.want.why
			}
			if w.why == "" {
				continue
			}
			p.verdicts[name] = p.verdict(w, Held, p.hold(w, later))
			break
		}
	}
}

// hold is what holds a node: the first that says why, in the end that the batch is full.
func (p *planning) hold(w want, later *ledger) refusal {
	ask := []func(want) refusal{p.bars, p.spends}
	if !later.granted(w.name) {
		ask = []func(want) refusal{later.bars, later.spends, p.bars, p.spends}
	}
	for _, refuses := range ask {
		if no := refuses(w); no.hold != "" {
			return no
		}
	}
	return refusal{hold: HeldBatch}
}

// record has the verdicts of all nodes, by index.
func (p *planning) record(made []newNode) (verdicts []Verdict) {
	why, waits := reasons(p.all, p.verdicts), p.waits(1)
	for name, f := range p.all {
		v, there := p.verdicts[name]
		if !there {
			v = p.verdict(want{fact: f}, Stays, refusal{})
		}
		if v.Outcome == Held && v.why == "" {
			v.why = p.whyNot(v.Hold, waits)
		}
		if v.Reason = why[name]; v.Outcome == Held {
			v.Reason = v.text()
		}
		verdicts = append(verdicts, v)
	}
	for _, f := range p.returned {
		verdicts = append(verdicts, p.verdicts[f.name])
	}
	for _, n := range made {
		verdicts = append(verdicts, Verdict{Name: n.name, Node: n.Node, Outcome: Comes})
	}
	slices.SortFunc(verdicts, func(a, b Verdict) int { return compareIndex(a.Name, a.Node, b.Name, b.Node) })
	return verdicts
}

// firstTemplate gives nodes that have no template that of their place: one cannot
// know what they were made from. A node whose mark ends in the hash of another
// template was made from that one, which is not known here; it stays without.
func (r Roster) firstTemplate(templates Templates) (Roster, []Notice, error) {
	next := r.clone()
	var first, other []string
	for _, name := range r.Names() {
		n := next.Nodes[name]
		template := templates.At(n.Place)
		switch {
		case template == "" && n.Template != "":
			return r, nil, ErrTemplateRemoved
		case template == "" || n.Template != "":
		case n.Mark.of(template):
			first = append(first, name)
			if mark := n.Mark.with(template); mark != n.Mark { // that it served counts no more: its server may change
				n.Mark, n.Served, n.Doubt = mark, false, true
			}
			n.Template = template
			next.Nodes[name] = n
		default:
			other = append(other, fmt.Sprintf("%s (%s)", name, n.Mark))
		}
	}
	var notices []Notice
	if len(first) > 0 {
		notices = append(notices, notice(FirstTemplate, "%s from before there was a template: %s. The template must "+
			"say what they were made from. Where it differs, the servers of all of them change at once in this "+
			"apply, and none of them counts as in service before it was found so again.", text.Nodes(int64(len(first))),
			text.Few(first)))
	}
	if len(other) > 0 {
		notices = append(notices, notice(OtherMarks, "%s: %s. They were made from another template than this one, "+
			"and what was in it is not known here: their template is empty until update replaces them. Remove the "+
			"attachment from the state, and import it again with their template in the import id, such as "+
			"{\"cluster\": \"web\", \"templates\": [{\"image\": \"the former image\"}]}: the hash in each mark says "+
			"which node has which.", text.Nodes(int64(len(other))), text.Few(other)))
	}
	return next, notices, nil
}

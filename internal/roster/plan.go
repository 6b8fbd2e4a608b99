package roster

import (
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Plan works out the next roster: facts, wants, the gate that each of them passes, and the
// verdicts.
//
// Candidates are removed first. A cluster that is then too large shrinks. An update then
// chooses its batch; see [Update]. At last all new nodes, those of a growth and the
// substitutes, are placed together, each with the template of its place. Protected nodes are
// never removed or revised, and those of closed places only where nothing else is left to
// shrink by. Nodes of a region that lists zones only now are in the zones of their servers.
//
// Of the nodes that an update would replace, those not in service are taken first, then
// those of the causes in their order; within one, in the order in which placement takes from
// regions and zones, and for Outdated the newest of the outdated templates first.
//
// The errors are an [*ArgumentError], a [*placement.InfeasibleError] and a
// [*deletion.ProtectedError].
func Plan(now Roster, seen Seen, policy Policy) (Roster, Change, error) {
	p, err := prepare(now, seen, policy)
	if err != nil {
		return now, Change{}, err
	}
	for w := range p.wants() {
		p.decide(w)
	}
	next, made, err := p.finish(seen)
	if err != nil {
		return now, Change{}, err
	}
	change, err := p.tell(next, made, seen)
	if err != nil {
		return now, Change{}, err
	}
	return next.giveUp(seen, p.policy), change, nil
}

// planning is a plan that is made.
type planning struct {
	*ledger
	all     facts // all nodes, also those that leave
	named   candidates
	tooMany int64 // number of nodes too many, where candidates have left; below 0: of those that are missing
	failure failing
	notices []Notice

	remaining int64
	passed    []string // names that new nodes did not get
	fresh     []string // names of new nodes whose slots are new too
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
	p.tooMany = int64(len(p.all)-len(p.named.leave)) - policy.Capacity
	return p, nil
}

// finish makes the next roster of what was decided, and the verdicts about all others.
func (p *planning) finish(seen Seen) (next Roster, made []newNode, err error) {
	if p.err != nil {
		return p.now, nil, p.err
	}
	come, err := p.arrive()
	if err != nil {
		return p.now, nil, err
	}
	for _, f := range come.returned {
		p.decide(want{fact: f, what: returned})
	}
	made, index, passed := p.name(come, seen.Taken)
	p.passed = passed
	next = p.now.clone()
	p.fresh = next.withoutSlots(made)
	next.apply(p.verdicts, made, index, seen)
	next.Done, next.Adopted = p.met(), false
	p.remaining = p.settle(next, made, seen)
	return next, made, next.closeSlots(p.verdicts, p.policy)
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
			return r, nil, templateRemoved()
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

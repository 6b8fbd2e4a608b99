package roster

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// planning is a plan that is made.
type planning struct {
	*ledger
	all     facts // all nodes, also those that leave
	named   candidates
	tooMany int64 // number of nodes too many, where candidates have left; below 0: of those that are missing
	failure failing

	first     []string // nodes that have no template, and are taken for made from the one that there is now
	other     []string // nodes that have none, and whose marks are of another one, each with its mark
	noSlots   []string // slots to release that are not there
	passed    []string // names that new nodes did not get
	fresh     []string // names of new nodes whose slots are new too
	made      []newNode
	next      Roster
	remaining int64    // nodes that should still be replaced after this plan
	list      Verdicts // of all nodes, by index
}

// decideAll makes a plan: facts, wants, the gate that each of them passes, and the verdicts.
func decideAll(now Roster, seen Seen, policy Policy) (*planning, error) {
	p, err := prepare(now, seen, policy)
	if err != nil {
		return nil, err
	}
	for w := range p.wants() {
		p.decide(w)
	}
	return p, p.finish(seen)
}

// prepare finds out what is known, before anything is decided.
func prepare(now Roster, seen Seen, policy Policy) (*planning, error) {
	now = giveUp(zonesFrom(now, seen, policy.Regions), seen, policy)
	p := &planning{failure: judge(now, policy)}
	policy = p.failure.over(policy)
	next, err := p.firstTemplate(now, policy.Templates)
	if err != nil {
		return nil, err
	}
	p.noSlots = openSlots(&next, policy)
	p.all = assess(next, seen, policy)
	if p.named, err = findCandidates(next, p.all, policy); err != nil {
		return nil, err
	}
	p.ledger = newLedger(next, p.all, seen, policy)
	p.tooMany = int64(len(p.all)-len(p.named.leave)) - policy.Capacity
	return p, nil
}

// finish makes the next roster of what was decided, and the verdicts about all others.
func (p *planning) finish(seen Seen) error {
	if p.err != nil {
		return p.err
	}
	come, err := p.arrive()
	if err != nil {
		return err
	}
	for _, f := range come.returned {
		p.decide(want{fact: f, what: returned})
	}
	var index int64
	p.made, index, p.passed = p.name(come, seen.Taken)
	next := p.now.clone()
	p.fresh = withoutSlots(next, p.made)
	apply(&next, p.verdicts, p.made, index, seen)
	next.Done, next.Adopted = p.met(), false
	p.next, p.remaining = next, p.settle(next, seen)
	p.record()
	if err := closeSlots(&next, p.verdicts, p.policy); err != nil {
		return err
	}
	p.next = giveUp(next, seen, p.policy)
	return p.misspelled()
}

// record has the verdicts of all nodes, by index.
func (p *planning) record() {
	for _, f := range p.all {
		v, there := p.verdicts[f.name]
		if !there {
			v = p.verdict(want{fact: f}, Stays, refusal{})
		}
		p.list = append(p.list, v)
	}
	for _, f := range p.ledger.returned {
		p.list = append(p.list, p.verdicts[f.name])
	}
	for _, n := range p.made {
		p.list = append(p.list, Verdict{Name: n.name, Node: n.Node, Outcome: Comes})
	}
	slices.SortFunc(p.list, func(a, b Verdict) int { return compareIndex(a.Name, a.Node, b.Name, b.Node) })
}

// misspelled refuses a plan that changes a node which a protected name seems to mean.
func (p *planning) misspelled() error {
	for _, written := range p.protectsNobody() {
		for _, v := range append(p.list.Of(Leaves), p.list.Of(Changes)...) {
			if deletion.Misspelled(written, v.Name) {
				return misspelledProtection(written, v.Name)
			}
		}
	}
	return nil
}

// protectsNobody lists the protected names and ids that are no node's.
func (p *planning) protectsNobody() (unknown []string) {
	ids := set{}
	for name, f := range p.all {
		ids[name], ids[f.server.ID] = true, true
	}
	for _, n := range p.made {
		ids[n.name] = true
	}
	for _, written := range p.policy.Protected {
		if !ids[written] {
			unknown = append(unknown, written)
		}
	}
	return unknown
}

// apply makes a change of a roster. Nodes that are removed are leaving ones from
// then on, unless they are known to have no server.
func apply(r *Roster, verdicts map[string]Verdict, made []newNode, next int64, seen Seen) {
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

// firstTemplate gives nodes that have no template that of their place: one cannot know what
// they were made from. A node whose mark ends in the hash of another template was made from
// that one, which is not known here; it stays without.
func (p *planning) firstTemplate(now Roster, templates Templates) (Roster, error) {
	next := now.clone()
	for _, name := range now.Names() {
		n := next.Nodes[name]
		template := templates.At(n.Place)
		switch {
		case template == "" && n.Template != "":
			return now, templateRemoved()
		case template == "" || n.Template != "":
		case n.Mark.of(template):
			p.first = append(p.first, name)
			if mark := n.Mark.with(template); mark != n.Mark { // that it served counts no more: its server may change
				n.Mark, n.Served, n.Doubt = mark, false, true
			}
			n.Template = template
			next.Nodes[name] = n
		default:
			p.other = append(p.other, fmt.Sprintf("%s (%s)", name, n.Mark))
		}
	}
	return next, nil
}

// zonesFrom gives the nodes of regions that list zones now, and did not before, the zones
// of their servers.
func zonesFrom(r Roster, seen Seen, regions []placement.Region) Roster {
	r = r.clone()
	for _, nodes := range []map[string]Node{r.Nodes, r.Leaving} {
		for name, n := range nodes {
			if n.Zone == "" && zoned(regions, n.Region) {
				n.Zone = seen.Servers[name].Zone
				nodes[name] = n
			}
		}
	}
	return r
}

// giveUp forgets the leaving nodes whose servers somebody keeps: they are not going to
// be gone, so nothing waits for that, and they are no nodes that could come back.
func giveUp(r Roster, seen Seen, policy Policy) Roster {
	r = r.clone()
	maps.DeleteFunc(r.Leaving, func(name string, _ Node) bool {
		return policy.keepsServer(name, seen.Servers[name].ID)
	})
	return r
}

// Package decide makes a plan. Wants say which nodes should change and why; the ledger has the
// room, the budget and the health of the cluster; the gate grants a want or returns its hold.
// Nothing changes without passing the gate.
package decide

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// Planning is a plan while it is made.
type Planning struct {
	*Ledger
	All     facts.Facts // all nodes, including the ones that the plan removes
	Named   candidates
	tooMany int64 // number of nodes above the capacity after the candidates left; below 0 if nodes are missing
	Failure facts.Judged

	First     []string // nodes without a template, which count as made from the given one
	Other     []string // nodes without a template whose marks are of another template, each with its mark
	NoSlots   []string // names of slots to release that do not exist
	New       namer    // new nodes
	Next      roster.Roster
	Remaining int64    // number of nodes that should still be replaced after this plan
	List      Verdicts // verdicts about all nodes, by index
}

// Plan makes a plan: it works out the facts, passes each want through the gate, and collects the
// verdicts.
func Plan(now roster.Roster, seen roster.Seen, policy roster.Policy) (*Planning, error) {
	p, err := Prepare(now, seen, policy)
	if err != nil {
		return nil, err
	}
	for w := range p.Wants() {
		p.Decide(w)
	}
	return p, p.finish(seen)
}

// Prepare works out the facts before anything is decided.
func Prepare(now roster.Roster, seen roster.Seen, policy roster.Policy) (*Planning, error) {
	now = zonesFrom(now, seen, policy.Regions)
	giveUp(now, seen, policy)
	p := &Planning{Failure: facts.Judge(now, policy)}
	policy = p.Failure.Over(policy)
	next, err := p.firstTemplate(now, policy.Templates)
	if err != nil {
		return nil, err
	}
	p.NoSlots = prepareSlots(&next, policy)
	p.All = facts.Assess(next, seen, policy)
	if p.Named, err = findCandidates(next, p.All, policy); err != nil {
		return nil, err
	}
	p.Ledger = newLedger(next, p.All, seen, policy)
	p.tooMany = int64(len(p.All)-len(p.Named.leave)) - policy.Capacity
	if p.tooMany > 0 {
		standIns := p.Left.Number(func(f *facts.Fact) bool { return f.StandsIn })
		extra := min(p.tooMany, standIns, p.Left.Number(p.stranded))
		p.tooMany -= extra
		p.Rollout.widen(extra, p.Left.Number(func(f *facts.Fact) bool { return p.stranded(f) && !f.Outdated }))
	}
	return p, nil
}

// finish adds the new nodes, makes the next roster, and collects the verdicts about all nodes.
func (p *Planning) finish(seen roster.Seen) error {
	if p.err != nil {
		return p.err
	}
	come, err := p.arrive()
	if err != nil {
		return err
	}
	for _, f := range come.returned {
		p.Decide(Want{Fact: f, What: returned})
	}
	p.Rollout.promised = come.wanted // nodes that come back keep their own templates
	p.New = p.name(come, seen.Taken)
	next := p.now.Clone()
	if next.Before == nil {
		next.Before = map[string]roster.Node{}
	}
	p.apply(&next, seen)
	next.Done, next.Adopted = p.met(), false
	p.Remaining = p.settle(next, seen)
	p.record()
	if err := finishSlots(&next, p.Verdicts, p.Policy); err != nil {
		return err
	}
	giveUp(next, seen, p.Policy)
	p.Next = next
	return p.misspelled()
}

// record lists the verdicts about all nodes, by index.
func (p *Planning) record() {
	for _, f := range p.All {
		v, there := p.Verdicts[f.Name]
		if !there {
			v = Verdict{Want: Want{Fact: f}, Outcome: Stays}
		}
		p.List = append(p.List, v)
	}
	for _, f := range p.returned {
		p.List = append(p.List, p.Verdicts[f.Name])
	}
	for _, n := range p.New.made {
		p.List = append(p.List, Verdict{Want: Want{Fact: n}, Outcome: Comes})
	}
	slices.SortFunc(p.List, func(a, b Verdict) int { return roster.CompareIndex(a.Name, a.Node, b.Name, b.Node) })
}

// misspelled refuses a plan that changes a node if the list of protected nodes seems to misspell
// its name.
func (p *Planning) misspelled() error {
	for _, written := range p.ProtectsNobody() {
		for _, v := range append(p.List.With(Leaves), p.List.With(Changes)...) {
			if deletion.Misspelled(written, v.Name) {
				return misspelledProtection.with(written, v.Name)
			}
		}
	}
	return nil
}

// ProtectsNobody lists the protected names and ids that belong to no node.
func (p *Planning) ProtectsNobody() (unknown []string) {
	ids := Set{}
	for name, f := range p.All {
		ids[name], ids[f.Server.ID] = true, true
	}
	for _, n := range p.New.made {
		ids[n.Name] = true
	}
	for _, written := range p.Policy.Protected {
		if !ids[written] {
			unknown = append(unknown, written)
		}
	}
	return unknown
}

// apply changes a roster as the verdicts say. A removed node becomes a leaving one, unless the
// last look found no server for it.
func (p *Planning) apply(r *roster.Roster, seen roster.Seen) {
	for name, v := range p.Verdicts {
		switch v.Outcome {
		case Changes:
			_, undone := r.Before[name]
			switch unseen := p.Policy.InPlace() && v.After.Generation == v.Generation; {
			case v.What == TakenBack:
				delete(r.Before, name)
			case unseen && !undone:
				r.Before[name] = v.Node
			}
			r.Nodes[name] = v.After
		case Leaves:
			delete(r.Before, name)
			n := r.Nodes[name]
			n.StandsIn, n.Named = v.What == Replaced, v.named()
			delete(r.Nodes, name)
			if !seen.Missing[name] {
				r.Leaving[name] = n
			}
		case Returns:
			r.Nodes[name] = v.Node
			delete(r.Leaving, name)
		}
	}
	for _, n := range p.New.made {
		r.Nodes[n.Name] = n.Node
		delete(r.Leaving, n.Name)
		r.Next = max(r.Next, n.Index+1)
	}
}

// firstTemplate gives nodes without a template the template of their place, because nobody knows
// what they were made from. If the mark of a node has the hash of another template, the node was
// made from that one, which is not known here; it stays without a template. An import knows the image.
func (p *Planning) firstTemplate(now roster.Roster, templates roster.Templates) (roster.Roster, error) {
	next := now.Clone()
	for _, name := range now.Names() {
		n := next.Nodes[name]
		template := templates.At(n.Place).WithImage(n.Image)
		switch {
		case template == "" && n.Template != "":
			return now, templateRemoved.with()
		case template == "" || n.Template != "":
		case n.Mark.Matches(template):
			p.First = append(p.First, name)
			if mark := n.Mark.With(template); mark != n.Mark { // its server may change, so it must serve again
				n.Mark, n.Served, n.Doubt = mark, false, true
			}
			n.Template, n.Image = template, ""
			next.Nodes[name] = n
		default:
			p.Other = append(p.Other, fmt.Sprintf("%s (%s)", name, n.Mark))
		}
	}
	return next, nil
}

// zonesFrom gives nodes without a zone the zones of their servers if their regions list zones now.
func zonesFrom(r roster.Roster, seen roster.Seen, regions []placement.Region) roster.Roster {
	r = r.Clone()
	for _, nodes := range []map[string]roster.Node{r.Nodes, r.Leaving} {
		for name, n := range nodes {
			if n.Zone == "" && roster.Zoned(regions, n.Region) {
				n.Zone = seen.Servers[name].Zone
				nodes[name] = n
			}
		}
	}
	return r
}

// giveUp forgets the leaving nodes whose servers somebody keeps: nothing waits until these servers
// are gone, and the nodes cannot come back.
func giveUp(r roster.Roster, seen roster.Seen, policy roster.Policy) {
	maps.DeleteFunc(r.Leaving, func(name string, _ roster.Node) bool {
		return policy.KeepsServer(name, seen.Servers[name].ID)
	})
}

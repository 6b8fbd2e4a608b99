// Package decide makes a plan. Wants say who should change and why; the ledger has the room, the
// budget and the health of the cluster; the gate grants a want or names what holds it. Nothing
// changes that has not passed the gate.
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

// Planning is a plan that is made.
type Planning struct {
	*Ledger
	All     facts.Facts // all nodes, also those that leave
	Named   candidates
	tooMany int64 // number of nodes too many, where candidates have left; below 0: of those that are missing
	Failure facts.Judged

	First     []string // nodes that have no template, and are taken for made from the one that there is now
	Other     []string // nodes that have none, and whose marks are of another one, each with its mark
	NoSlots   []string // slots to release that are not there
	Passed    []string // names that new nodes did not get
	Fresh     []string // names of new nodes whose slots are new too
	made      []newNode
	Next      roster.Roster
	Remaining int64    // nodes that should still be replaced after this plan
	List      Verdicts // of all nodes, by index
}

// Plan makes a plan: facts, wants, the gate that each of them passes, and the verdicts.
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

// Prepare finds out what is known, before anything is decided.
func Prepare(now roster.Roster, seen roster.Seen, policy roster.Policy) (*Planning, error) {
	now = giveUp(zonesFrom(now, seen, policy.Regions), seen, policy)
	p := &Planning{Failure: facts.Judge(now, policy)}
	policy = p.Failure.Over(policy)
	next, err := p.FirstTemplate(now, policy.Templates)
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
	return p, nil
}

// finish makes the next roster of what was decided, and the verdicts about all others.
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
	p.Rollout.promised = come.wanted // what comes back keeps its own template
	var index int64
	p.made, index, p.Passed = p.name(come, seen.Taken)
	next := p.now.Clone()
	p.Fresh = withoutSlots(next, p.made)
	apply(&next, p.Verdicts, p.made, index, seen)
	next.Done, next.Adopted = p.met(), false
	p.Next, p.Remaining = next, p.settle(next, seen)
	p.record()
	if err := finishSlots(&next, p.Verdicts, p.Policy); err != nil {
		return err
	}
	p.Next = giveUp(next, seen, p.Policy)
	return p.misspelled()
}

// record has the verdicts of all nodes, by index.
func (p *Planning) record() {
	for _, f := range p.All {
		v, there := p.Verdicts[f.Name]
		if !there {
			v = p.verdict(Want{Fact: f}, Stays, refusal{})
		}
		p.List = append(p.List, v)
	}
	for _, f := range p.returned {
		p.List = append(p.List, p.Verdicts[f.Name])
	}
	for _, n := range p.made {
		p.List = append(p.List, Verdict{Name: n.name, Node: n.Node, Outcome: Comes})
	}
	slices.SortFunc(p.List, func(a, b Verdict) int { return roster.CompareIndex(a.Name, a.Node, b.Name, b.Node) })
}

// misspelled refuses a plan that changes a node which a protected name seems to mean.
func (p *Planning) misspelled() error {
	for _, written := range p.ProtectsNobody() {
		for _, v := range append(p.List.With(Leaves), p.List.With(Changes)...) {
			if deletion.Misspelled(written, v.Name) {
				return misspelledProtection(written, v.Name)
			}
		}
	}
	return nil
}

// ProtectsNobody lists the protected names and ids that are no node's.
func (p *Planning) ProtectsNobody() (unknown []string) {
	ids := Set{}
	for name, f := range p.All {
		ids[name], ids[f.Server.ID] = true, true
	}
	for _, n := range p.made {
		ids[n.name] = true
	}
	for _, written := range p.Policy.Protected {
		if !ids[written] {
			unknown = append(unknown, written)
		}
	}
	return unknown
}

// apply makes a change of a roster. Nodes that are removed are leaving ones from
// then on, unless they are known to have no server.
func apply(r *roster.Roster, verdicts map[string]Verdict, made []newNode, next int64, seen roster.Seen) {
	for name, v := range verdicts {
		switch v.Outcome {
		case Changes:
			r.Nodes[name] = v.After
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

// FirstTemplate gives nodes that have no template that of their place: one cannot know what
// they were made from. A node whose mark ends in the hash of another template was made from
// that one, which is not known here; it stays without.
func (p *Planning) FirstTemplate(now roster.Roster, templates roster.Templates) (roster.Roster, error) {
	next := now.Clone()
	for _, name := range now.Names() {
		n := next.Nodes[name]
		template := templates.At(n.Place)
		switch {
		case template == "" && n.Template != "":
			return now, templateRemoved()
		case template == "" || n.Template != "":
		case n.Mark.Matches(template):
			p.First = append(p.First, name)
			if mark := n.Mark.With(template); mark != n.Mark { // that it served counts no more: its server may change
				n.Mark, n.Served, n.Doubt = mark, false, true
			}
			n.Template = template
			next.Nodes[name] = n
		default:
			p.Other = append(p.Other, fmt.Sprintf("%s (%s)", name, n.Mark))
		}
	}
	return next, nil
}

// zonesFrom gives the nodes of regions that list zones now, and did not before, the zones
// of their servers.
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

// giveUp forgets the leaving nodes whose servers somebody keeps: they are not going to
// be gone, so nothing waits for that, and they are no nodes that could come back.
func giveUp(r roster.Roster, seen roster.Seen, policy roster.Policy) roster.Roster {
	r = r.Clone()
	maps.DeleteFunc(r.Leaving, func(name string, _ roster.Node) bool {
		return policy.KeepsServer(name, seen.Servers[name].ID)
	})
	return r
}

package roster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ErrTemplateRemoved says that a template was taken away.
var ErrTemplateRemoved = errors.New("a template cannot be taken away again: the nodes made from its revisions would lose what they are made from")

// CandidateError names a candidate that must not be removed.
type CandidateError struct {
	Name string
	Why  string // it is protected
}

func (e *CandidateError) Error() string {
	return fmt.Sprintf("The node %q is a candidate for removal and %s.", e.Name, e.Why)
}

// Plan works out the next roster.
//
// Nodes of a region that lists zones only now are in the zones of their servers.
//
// Candidates are removed first. A cluster that is then too large shrinks: first
// by nodes that are not in service, then by those marked as tainted, then as placement
// takes from regions and zones, in each by the criterion; of two equally good
// places the one whose first node leaves earlier by the criterion. An update
// then chooses its batch; see [Update]. At last all new nodes, those of a growth
// and the substitutes, are placed together, of the wanted revision of the
// template. Protected nodes are never removed or revised.
//
// Of the nodes that an update would replace, those not in service are taken
// first, then those of the causes in their order; within one, in the order in
// which placement takes from regions and zones, and for Outdated the highest of
// the outdated revisions first. A plan replaces at most the batch size of nodes,
// and takes none from service while as many nodes of the wanted revision, those
// of this plan included, are not in service yet.
//
// The errors are [ErrTemplateRemoved], a [*CandidateError], a
// [*placement.InfeasibleError] and a [*deletion.ProtectedError].
func Plan(now Roster, seen Seen, policy Policy) (Roster, Change, error) {
	now = now.settle(seen, policy.Regions)
	p := &planner{policy: policy, seen: seen, now: now, next: now.clone(), full: map[Place]bool{}, left: map[string]departure{}}
	if err := p.revise(); err != nil {
		return now, Change{}, err
	}
	p.learn()
	if err := p.removeCandidates(); err != nil {
		return now, Change{}, err
	}
	missing := policy.Capacity - int64(len(p.next.Nodes))
	if err := p.shrink(-missing); err != nil {
		return now, Change{}, err
	}
	missing = max(missing, 0)
	if err := p.room(missing); err != nil {
		return now, Change{}, err
	}
	if err := p.add(missing + p.replace(missing)); err != nil {
		return now, Change{}, err
	}
	p.change.Remaining = p.remaining()
	p.tell()
	p.forget()
	p.record()
	return p.next, p.change, nil
}

type planner struct {
	policy Policy
	seen   Seen
	now    Roster // before the plan
	next   Roster // as it becomes
	change Change
	wanted int64 // revision of new nodes

	rank      map[string]int       // the turn of each node by the criterion
	waits     map[string]bool      // nodes under way: of the wanted revision and not in service
	sick      int64                // number of unhealthy nodes
	protected map[string]string    // why a node is protected
	full      map[Place]bool       // places where Nova found no host for a node that is replaced
	left      map[string]departure // why nodes were removed or revised
	lost      map[Place]*loss      // what places lose, for reasons
	days      map[day]int          // how many nodes of a place were made on a day, for reasons

	blocked []string // nodes that an update would replace, and whose substitutes find no room
	noRoom  error    // why
}

// learn works out what the rest goes by: who is protected, in which turn nodes
// leave, which are under way and how many are unhealthy.
func (p *planner) learn() {
	p.protected = map[string]string{}
	facts := make([]node.Node, 0, len(p.next.Nodes))
	for _, name := range p.next.Names() {
		n := p.next.Nodes[name]
		fact := p.seen.Servers[name]
		if fact.ID == "" {
			fact.ID = name
		}
		switch {
		case slices.Contains(p.policy.Protected, name), slices.Contains(p.policy.Protected, fact.ID):
			p.protected[name] = "is listed as protected"
		case fact.Locked:
			p.protected[name] = "is locked"
		case fact.Protected:
			p.protected[name] = "is marked as protected"
		}
		if !p.seen.looked(name) {
			// It was made by the apply before this plan: nothing is younger.
			fact.CreatedAt = time.Unix(1<<40, n.Index)
		}
		if p.policy.Template != nil {
			fact.ProfileCreatedAt = time.UnixMilli(n.Revision) // a revision is as old as its number is low
		}
		fact.Name = name
		facts = append(facts, fact)
	}
	p.rank = make(map[string]int, len(facts))
	for i, n := range deletion.Order(facts, p.policy.Criteria) {
		p.rank[n.Name] = i
	}
	p.waits = map[string]bool{}
	for name, n := range p.next.Nodes {
		if n.Revision == p.wanted && p.trouble(name) != "" {
			p.waits[name] = true
		}
		if p.unhealthy(name) != "" {
			p.sick++
		}
	}
}

func (p *planner) free(name string) bool { return p.protected[name] == "" }

func (p *planner) removeCandidates() error {
	names := map[string]string{}
	for name, server := range p.seen.Servers {
		names[server.ID] = name
	}
	for _, candidate := range p.policy.Candidates {
		name := candidate
		if _, there := p.now.Nodes[name]; !there {
			name = names[candidate]
		}
		_, there := p.next.Nodes[name]
		_, gone := p.left[name]
		switch {
		case gone:
		case !there && !slices.Contains(p.policy.Done, candidate):
			p.notice(UnknownCandidate, "No node has the name, or a server with the id, %q: nothing is removed for it. Remove it from the list of candidates, or correct it.", candidate)
		case !there:
		case !p.free(name):
			return &CandidateError{name, p.protected[name]}
		default:
			p.markFull(name)
			p.remove(name, departure{why: "named in candidates"})
		}
	}
	return nil
}

// shrink removes a number of nodes.
func (p *planner) shrink(count int64) error {
	var unseen []string
	for _, turn := range []struct {
		is   func(name string) bool
		mins bool
	}{
		{func(name string) bool { return p.useless(name) }, false},
		{func(name string) bool { return p.seen.Servers[name].Tainted }, false},
		{func(string) bool { return true }, true},
	} {
		if count <= 0 {
			return nil
		}
		b := p.board(func(name string) bool { return p.free(name) && turn.is(name) }, turn.mins)
		for ; count > 0; count-- {
			name, spot, ok := b.leaving()
			if !ok {
				break
			}
			if !p.seen.looked(name) {
				unseen = append(unseen, name)
			}
			p.remove(name, departure{why: p.choice(name), place: true, beyond: b.beyond(spot)})
			b.leave(spot, true)
		}
		if count > 0 && turn.mins {
			return p.tooFew(b.regions, count)
		}
	}
	if len(unseen) > 0 {
		p.notice(UnseenChosen, "%s would be removed, although no refresh has looked for servers since the last apply made them: %s. Refresh first, so that the choice is based on what runs.", text.Nodes(int64(len(unseen))), text.Few(byIndex(p.now.Nodes, unseen)))
	}
	return nil
}

// tooFew says why count more nodes cannot be removed.
func (p *planner) tooFew(regions []placement.Region, count int64) error {
	var protected int64
	for name := range p.next.Nodes {
		if !p.free(name) {
			protected++
		}
	}
	if others := int64(len(p.next.Nodes)) - protected; count > others {
		removed := int64(len(p.now.Nodes) - len(p.next.Nodes))
		return &deletion.ProtectedError{Asked: count + removed, Others: others + removed, Protected: protected, Who: p.protections()}
	}
	if _, err := placement.DistributeRegions(regions, -count); err != nil {
		return err
	}
	return fmt.Errorf("%d more nodes cannot be removed", count)
}

// protections says of each protected node why it is.
func (p *planner) protections() []string {
	var list []string
	for _, name := range p.next.Names() {
		if why := p.protected[name]; why != "" {
			list = append(list, name+" "+why)
		}
	}
	return list
}

// remove takes a node off the roster.
func (p *planner) remove(name string, why departure) {
	p.left[name] = why
	delete(p.next.Nodes, name)
}

// room fails unless count nodes find places.
func (p *planner) room(count int64) error {
	_, err := placement.DistributeRegions(p.count().regions, count)
	return err
}

// add places new nodes, and names them place by place.
func (p *planner) add(count int64) error {
	b := p.count()
	changes, err := placement.DistributeRegions(b.regions, count)
	if err != nil {
		return err
	}
	counts := map[Place]int64{}
	for i, c := range changes {
		if len(b.regions[i].Zones) == 0 {
			counts[Place{Region: b.regions[i].Name}] = c.Nodes
		}
		for j, n := range c.Zones {
			counts[Place{b.regions[i].Name, b.regions[i].Zones[j].Name}] = n
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(counts), Place.compare) {
		for range counts[at] {
			name := p.newName()
			p.next.Nodes[name] = Node{Index: p.next.Next, Place: at, Revision: p.wanted}
			p.next.Next++
			p.rank[name] = len(p.rank) // after all others
			p.change.Created = append(p.change.Created, name)
		}
	}
	return nil
}

// newName is the name of the next node. Another pattern may make names that are
// there already: those indices are left out.
func (p *planner) newName() string {
	for {
		name := p.policy.Name(p.next.Next)
		if _, taken := p.now.Nodes[name]; !taken {
			return name
		}
		p.next.Next++
	}
}

// record lists what changed.
func (p *planner) record() {
	for _, name := range byIndex(p.now.Nodes, slices.Collect(maps.Keys(p.left))) {
		d := Departure{Name: name, Node: p.now.Nodes[name], ID: p.seen.Servers[name].ID, Reason: p.reason(name)}
		if _, stays := p.next.Nodes[name]; stays {
			p.change.Revised = append(p.change.Revised, d)
		} else {
			p.change.Departed = append(p.change.Departed, d)
		}
	}
	p.change.Replaced = p.replaced()
}

package decide

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// arrivals are the nodes that come.
type arrivals struct {
	returned []*facts.Fact    // leaving nodes that come back to their own places
	counts   placement.Counts // new nodes by place
	wanted   int64            // number of new nodes that get the wanted template
}

// arrive decides which of the pending nodes come back and where the new ones are placed. Leaving
// nodes with the right template come back first, in their own places, even if another place is a
// little better; new nodes are placed where the spread needs them.
func (l *ledger) arrive() (arrivals, error) {
	board, withFull, back, r := l.board.Clone(), l.boardWithFull.Clone(), l.back, l.rollout
	r.promised = 0
	var come arrivals
	for range l.pending {
		// A full place takes a node that comes back, because the node has a host.
		suits := func(f *facts.Fact) bool {
			at, _ := withFull.Counted(f.Place) // if nodes move, no other place makes the spread better
			return r.suits(f) && (len(l.movesTo) == 0 || slices.Contains(l.movesTo, at))
		}
		f := back.first(suits, withFull, placement.Place{})
		switch {
		case f != nil:
			back = back.without(f)
			board.Add(f.Place, 1)
			withFull.Add(f.Place, 1)
			come.returned = append(come.returned, f)
			add(&r.current, 1, !f.Outdated)
		case !r.reached():
			come.wanted++
			r.promise(1)
		}
	}
	var err error
	come.counts, err = board.Distribute(l.pending - int64(len(come.returned)))
	return come, err
}

// name gives new nodes their indices and names, place by place. The first nodes of a template are
// the second tries. The names of other servers are passed over.
func (l *ledger) name(come arrivals, others []string) namer {
	names := newNamer(l.now, l.verdicts, others, l.Policy)
	retries, wanted, rooms := maps.Clone(l.retries), come.wanted, map[string]map[string]int64{}
	for region, flavors := range l.Policy.Rooms {
		rooms[region] = maps.Clone(flavors)
	}
	for _, at := range come.counts.Places() {
		for range come.counts[at] {
			n := names.newNode(at)
			n.Template = l.Policy.Templates.At(at)
			if settled := l.rollout.settled.At(at); wanted <= 0 && settled != "" {
				n.Template = settled
			}
			wanted--
			n.Flavor = l.flavorIn(at, rooms[at.Region])
			n.FlavorID = l.Policy.FlavorIDs[at.Region][n.Flavor]
			n.Generation++
			n.Mark = n.Mark.Next(n.Template)
			n.Doubt, n.Retried, n.StandsIn = true, retries[n.Template] > 0, l.standsIn()
			retries[n.Template]--
			names.made = append(names.made, n)
		}
	}
	return names
}

// flavorIn returns the first flavor that a place has a host and a quota for, or else a host, and
// takes it from the rooms of the quotas.
func (l *ledger) flavorIn(at placement.Place, rooms map[string]int64) string {
	full := maps.Clone(l.fullSpots)
	for flavor, n := range rooms {
		if n <= 0 {
			full[roster.Spot{Place: at, Flavor: flavor}] = time.Time{}
		}
	}
	flavor, ok := l.Policy.FlavorOf(at, full)
	if !ok {
		flavor, _ = l.Policy.FlavorOf(at, l.fullSpots)
	}
	if _, bound := rooms[flavor]; bound {
		rooms[flavor]--
	}
	return flavor
}

// namer gives names to new nodes. Without slots an index is never used twice, and a new node gets no name that a node
// has. With slots a new node takes the kept slot of its place with the lowest index, or else a new slot with the lowest
// free index.
type namer struct {
	now    roster.Roster
	policy roster.Policy
	next   int64          // index below which all indices are taken
	kept   []string       // names of kept slots
	slots  map[int64]bool // indices of slots
	others []string       // names of servers that are no nodes
	made   []*facts.Fact  // new nodes
	passed []string       // names of other servers that a new node would have got
	fresh  []string       // names of new nodes in no kept slot
}

func newNamer(now roster.Roster, verdicts map[string]verdict.Verdict, others []string, policy roster.Policy) namer {
	if policy.Stateful == nil {
		return namer{now: now, policy: policy, next: now.Next, others: others}
	}
	n := namer{now: now, policy: policy, kept: now.KeptSlots(), slots: map[int64]bool{}, others: others}
	n.kept = slices.DeleteFunc(n.kept, func(name string) bool {
		return verdicts[name].Outcome == verdict.Returns
	})
	for _, s := range now.Slots {
		n.slots[s.Index] = true
	}
	return n
}

// newNode returns a node in a place, without a template. If the server of the earlier node of
// its slot still runs, that server is made again for the new node.
func (n *namer) newNode(at placement.Place) *facts.Fact {
	free := func(name string) bool { return n.now.Slots[name].Fits(at) && !n.passes(name) }
	if i := slices.IndexFunc(n.kept, free); i >= 0 {
		name := n.kept[i]
		slot, last := n.now.Slots[name], n.now.Leaving[name]
		n.kept = slices.Delete(n.kept, i, i+1)
		at.Zone = cmp.Or(slot.Zone, at.Zone)
		return &facts.Fact{Name: name, Node: roster.Node{Index: slot.Index, Place: at, Generation: last.Generation,
			Mark: last.Mark}}
	}
	name := n.policy.Name(n.next)
	for n.slots[n.next] || n.used(name) || n.passes(name) {
		n.next++
		name = n.policy.Name(n.next)
	}
	n.next++
	n.fresh = append(n.fresh, name)
	return &facts.Fact{Name: name, Node: roster.Node{Index: n.next - 1, Place: at}}
}

// passes reports whether another server has a name, and notes that it was passed over.
func (n *namer) passes(name string) bool {
	if !slices.Contains(n.others, name) {
		return false
	}
	if !slices.Contains(n.passed, name) {
		n.passed = append(n.passed, name)
	}
	return true
}

// used reports whether no new node may get a name.
func (n *namer) used(name string) bool {
	if _, there := n.now.Known(name); there {
		return true
	}
	_, slot := n.now.Slots[name]
	return slot || n.now.Had(name) || n.policy.Stateful != nil && slices.Contains(n.policy.Stateful.Release, name)
}

// prepareSlots gives a slot to each node, and removes the released slots. It returns the names of
// slots to release that do not exist. Without Stateful there are no slots.
func prepareSlots(r *roster.Roster, policy roster.Policy) (unknown []string) {
	if policy.Stateful == nil {
		r.Slots = nil
		return nil
	}
	for name, slot := range r.Slots {
		if _, inUse := r.Nodes[name]; !inUse && slot.Template == "" { // it was imported
			slot.Volumes = policy.Templates.At(slot.Place).Volumes()
			r.Slots[name] = slot
		}
	}
	r.FillSlots(roster.Stateful{Retain: true})
	follow(r, policy.Regions)
	volumes := map[string]bool{}
	for _, slot := range r.Slots {
		for _, volume := range slot.Volumes.List() {
			volumes[volume] = true
		}
	}
	for _, name := range policy.Stateful.Release {
		if _, there := r.Slots[name]; !there && !volumes[name] {
			unknown = append(unknown, name)
		}
		if _, inUse := r.Nodes[name]; !inUse {
			delete(r.Slots, name)
		}
	}
	return unknown
}

// follow gives a slot the place of its node if its own place is not listed any more: the cloud has given a zone another
// name, or everything has been moved out of it.
func follow(r *roster.Roster, listed []placement.Region) {
	for name, n := range r.Nodes {
		slot := r.Slots[name]
		if !placement.Lists(listed, slot.Place) && placement.Lists(listed, n.Place) {
			slot.Place = n.Place
			r.Slots[name] = slot
		}
	}
}

// finishSlots gives slots to the nodes that a plan added, and removes the slots of nodes that it
// removed, unless the slots are kept.
func finishSlots(r *roster.Roster, verdicts map[string]verdict.Verdict, policy roster.Policy) error {
	if policy.Stateful == nil {
		return nil
	}
	var inUse []string
	for _, name := range policy.Stateful.Release {
		if _, there := r.Nodes[name]; there {
			inUse = append(inUse, name)
		}
	}
	if len(inUse) > 0 {
		return slotsInUse.with(text.Few(inUse))
	}
	for name, v := range verdicts {
		if v.Outcome == verdict.Leaves && (!policy.Stateful.Retain || slices.Contains(policy.Stateful.Release, name)) {
			delete(r.Slots, name)
		}
	}
	r.FillSlots(*policy.Stateful)
	return nil
}

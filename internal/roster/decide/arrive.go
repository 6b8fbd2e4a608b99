package decide

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// arrivals are the nodes that come.
type arrivals struct {
	returned []*facts.Fact    // leaving ones, in their own places
	counts   placement.Counts // new ones
	wanted   int64            // how many of the new ones get the wanted template
}

// arrive decides where the pending nodes come from and go to. Leaving nodes of the
// template that is the turn of a node come first, in their own places, even where
// another place is a little better; new ones go where the spread needs them.
func (l *Ledger) arrive() (arrivals, error) {
	board, withFull, back, r := l.board.Clone(), l.boardWithFull.Clone(), l.back, l.Rollout
	r.promised = 0
	var come arrivals
	for range l.pending {
		// it has a host
		f, ok := back.take(func(f *facts.Fact) bool { return r.suits(f) && l.takesBack(f) }, withFull, placement.Place{})
		switch {
		case ok:
			board.Add(f.Place, 1)
			withFull.Add(f.Place, 1)
			come.returned = append(come.returned, f)
			r.count(f.Place, f.Template)
		case !r.reached():
			come.wanted++
			r.promise(1)
		}
	}
	var err error
	come.counts, err = board.Distribute(l.pending - int64(len(come.returned)))
	return come, err
}

// newNode is a node that a plan adds.
type newNode struct {
	name string
	roster.Node
}

// name gives new nodes their indices and names, place by place. The first ones are the
// second tries. Names that others have are passed over.
func (l *Ledger) name(come arrivals, others []string) (nodes []newNode, next int64, passed []string) {
	names := newNamer(l.now, l.returned, others, l.Policy)
	retries := maps.Clone(l.retries)
	wanted := share(come.counts, come.wanted)
	for _, at := range come.counts.Places() {
		for range come.counts[at] {
			n := names.newNode(at)
			n.Template = l.Policy.Templates.At(at)
			if settled := l.Rollout.settled.At(at); wanted[at] == 0 && settled != "" {
				n.Template = settled
			}
			wanted[at] = max(0, wanted[at]-1)
			n.Generation++
			n.Mark = n.Mark.Next(n.Template)
			n.Doubt, n.Retried = true, retries[n.Template] > 0
			retries[n.Template]--
			nodes = append(nodes, n)
			next = max(next, n.Index+1)
		}
	}
	return nodes, max(l.now.Next, next), names.passed
}

// namer hands out names. Without slots an index is never used twice, and a name that
// a node has, or that a removed one may have had under another pattern, is left out.
// With them a new node takes a kept slot of its place, the lowest index first, or else
// a new slot of the lowest index that is free.
type namer struct {
	now    roster.Roster
	policy roster.Policy
	next   int64 // all indices below are taken
	kept   []string
	slots  map[int64]bool // indices of slots
	others []string       // names that servers have which are no nodes
	passed []string       // those of them that a new node would have got
}

func newNamer(now roster.Roster, returned []*facts.Fact, others []string, policy roster.Policy) *namer {
	if policy.Stateful == nil {
		return &namer{now: now, policy: policy, next: now.Next, others: others}
	}
	n := &namer{now: now, policy: policy, kept: now.KeptSlots(), slots: map[int64]bool{}, others: others}
	n.kept = slices.DeleteFunc(n.kept, func(name string) bool {
		return slices.ContainsFunc(returned, func(f *facts.Fact) bool { return f.Name == name })
	})
	for _, s := range now.Slots {
		n.slots[s.Index] = true
	}
	return n
}

// take is a node in a place, without a template. Where the server of the one that had
// the slot before still runs, the new node has it made again.
func (n *namer) newNode(at placement.Place) newNode {
	free := func(name string) bool { return n.now.Slots[name].Fits(at) && !n.passes(name) }
	if i := slices.IndexFunc(n.kept, free); i >= 0 {
		name := n.kept[i]
		slot, last := n.now.Slots[name], n.now.Leaving[name]
		n.kept = slices.Delete(n.kept, i, i+1)
		at.Zone = cmp.Or(slot.Zone, at.Zone)
		return newNode{name, roster.Node{Index: slot.Index, Place: at, Generation: last.Generation, Mark: last.Mark}}
	}
	for n.slots[n.next] || n.used(n.policy.Name(n.next)) || n.passes(n.policy.Name(n.next)) {
		n.next++
	}
	n.next++
	return newNode{n.policy.Name(n.next - 1), roster.Node{Index: n.next - 1, Place: at}}
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

// used reports whether a name is not to be given to a new node.
func (n *namer) used(name string) bool {
	if _, there := n.now.Known(name); there {
		return true
	}
	if n.policy.Stateful != nil {
		_, slot := n.now.Slots[name]
		return slot || slices.Contains(n.policy.Stateful.Release, name)
	}
	for naming, next := range n.now.Former {
		if naming.Gave(name, next) {
			return true
		}
	}
	return false
}

// share deals a number of nodes out to places, one to each in turn, so that a
// canary is in as many places as it can be.
func share(counts placement.Counts, number int64) placement.Counts {
	dealt := placement.Counts{}
	for places := counts.Places(); number > 0 && len(places) > 0; {
		places = slices.DeleteFunc(places, func(at placement.Place) bool { return dealt[at] == counts[at] })
		for _, at := range places {
			if number == 0 {
				break
			}
			dealt[at]++
			number--
		}
	}
	return dealt
}

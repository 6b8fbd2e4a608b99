package roster

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// arrivals are the nodes that come.
type arrivals struct {
	returned []*fact          // leaving ones, in their own places
	counts   placement.Counts // new ones
	wanted   int64            // how many of the new ones get the wanted template
}

// place decides where a number of nodes come from and go to. Leaving nodes of the
// template that is the turn of a node come first, in their own places, even where
// another place is a little better; new ones go where the spread needs them.
func place(left facts, count int64, back pool, a aim, full []placement.Place, policy Policy) (arrivals, error) {
	board := boardOf(left, policy.Regions, full)
	var come arrivals
	for range count {
		f, ok := back.take(a, board, placement.Place{})
		switch {
		case ok:
			board.Add(f.Place, 1)
			come.returned = append(come.returned, f)
		case !a.reached():
			come.wanted++
		}
		a.give(1)
	}
	var err error
	come.counts, err = board.Distribute(count - int64(len(come.returned)))
	return come, err
}

// newNode is a node that a plan adds.
type newNode struct {
	name string
	Node
}

// name gives new nodes their indices and names, place by place. A name that a
// node has, or that a removed one may have had under another pattern, is left out.
func name(come arrivals, a aim, now Roster, policy Policy) (nodes []newNode, next int64) {
	next = now.Next
	wanted := share(come.counts, come.wanted)
	for _, at := range come.counts.Places() {
		for range come.counts[at] {
			for now.used(policy.Name(next)) {
				next++
			}
			template := policy.Templates.At(at)
			if settled := a.settled.At(at); wanted[at] == 0 && settled != "" {
				template = settled
			}
			wanted[at] = max(0, wanted[at]-1)
			n := Node{Index: next, Place: at, Template: template, Generation: 1, Mark: mark(template)}
			nodes = append(nodes, newNode{policy.Name(next), n})
			next++
		}
	}
	return nodes, next
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

// used reports whether a node has a name, or may have had it.
func (r Roster) used(name string) bool {
	if _, taken := r.Nodes[name]; taken {
		return true
	}
	if _, leaving := r.Leaving[name]; leaving {
		return true
	}
	for naming, next := range r.Former {
		if naming.gave(name, next) {
			return true
		}
	}
	return false
}

package decide

import (
	"cmp"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// queues is a board with the nodes that may leave each place, in order. The board keeps all
// other nodes.
type queues struct {
	*placement.Board
	in    map[placement.Place][]*facts.Fact
	order func(a, b *facts.Fact) int
}

// boardOf returns a board of nodes on which full places are closed.
func boardOf(all facts.Facts, listed []placement.Region, full []placement.Place) *placement.Board {
	nodes := placement.Counts{}
	for _, f := range all {
		nodes[f.Place]++
	}
	board := placement.NewBoard(listed, nodes)
	for _, at := range full {
		board.Close(at)
	}
	return board
}

// byTurn orders nodes by the criterion. A node that comes back has no turn yet: its index decides.
func byTurn(a, b *facts.Fact) int {
	return cmp.Or(cmp.Compare(a.Turn, b.Turn), a.Compare(b))
}

// queue returns the nodes that may leave, in an order.
func queue(
	board *placement.Board, all facts.Facts, may func(*facts.Fact) bool, order func(a, b *facts.Fact) int,
) queues {
	q := queues{board.Clone(), map[placement.Place][]*facts.Fact{}, order}
	kept := placement.Counts{}
	for _, f := range all {
		if !may(f) {
			kept[f.Place]++
			continue
		}
		at, _ := q.Counted(f.Place)
		q.in[at] = append(q.in[at], f)
	}
	for at, nodes := range kept {
		q.Keep(at, nodes)
	}
	for _, nodes := range q.in {
		slices.SortFunc(nodes, order)
	}
	return q
}

// next returns the next node to leave, or nil: the first in the queue of the place that placement
// chooses. If two places are equally good, the node that comes first in the order of the queues
// leaves.
func (q queues) next() *facts.Fact {
	at, ok := q.First(func(x, y placement.Place) int {
		if len(q.in[x]) == 0 || len(q.in[y]) == 0 {
			return cmp.Compare(len(q.in[y]), len(q.in[x]))
		}
		return q.order(q.in[x][0], q.in[y][0])
	})
	if !ok {
		return nil
	}
	return q.in[at][0]
}

// leave takes the first node of a place from its queue. If the node does not leave after all, the
// board keeps it.
func (q queues) leave(at placement.Place, leaves bool) {
	at, _ = q.Counted(at)
	q.in[at] = q.in[at][1:]
	if leaves {
		q.Add(at, -1)
	} else {
		q.Keep(at, 1)
	}
}

package decide

import (
	"cmp"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// queues are a board with the nodes that may leave each place, in their turn. All
// other nodes are kept.
type queues struct {
	*placement.Board
	in    map[placement.Place][]string
	all   facts.Facts
	order func(a, b *facts.Fact) int
}

// boardOf is the board of the nodes that are left, with the places closed where
// Nova found no host.
func boardOf(all facts.Facts, listed []placement.Region, full []placement.Place) *placement.Board {
	board := placement.NewBoard(listed, all.Counts())
	for _, at := range full {
		board.Close(at)
	}
	return board
}

// byTurn orders nodes by the criterion. A node that comes back has no turn yet: its index decides.
func byTurn(a, b *facts.Fact) int {
	return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
}

// queue lines up the nodes that may leave, in an order.
func queue(board *placement.Board, all facts.Facts, may func(*facts.Fact) bool, order func(a,
	b *facts.Fact) int) queues {
	q := queues{board.Clone(), map[placement.Place][]string{}, all, order}
	for name, f := range all {
		if at, _ := q.Counted(f.Place); may(f) {
			q.in[at] = append(q.in[at], name)
		} else {
			q.Keep(at, 1)
		}
	}
	for _, names := range q.in {
		slices.SortFunc(names, func(x, y string) int { return order(all[x], all[y]) })
	}
	return q
}

// next is the next node to leave: of the place that placement says, the first in
// the queue. Of two equally good places it is the one whose first node comes first
// in the order of the queues.
func (q queues) next() (*facts.Fact, bool) {
	at, ok := q.First(func(x, y placement.Place) int {
		if len(q.in[x]) == 0 || len(q.in[y]) == 0 {
			return cmp.Compare(len(q.in[y]), len(q.in[x]))
		}
		return q.order(q.all[q.in[x][0]], q.all[q.in[y][0]])
	})
	if !ok {
		return nil, false
	}
	return q.all[q.in[at][0]], true
}

// leave removes the first node of a place or, if it does not leave after all,
// makes it one of those that stay.
func (q queues) leave(at placement.Place, leaves bool) {
	at, _ = q.Counted(at)
	q.in[at] = q.in[at][1:]
	if leaves {
		q.Add(at, -1)
	} else {
		q.Keep(at, 1)
	}
}

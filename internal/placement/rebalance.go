package placement

import "slices"

// Move takes one node from a bin to another; both are indices into the bins.
type Move struct{ From, To int }

// Rebalance returns the moves, in turn and at most limit of them, that bring
// the bins to the best plan for the nodes that are there. Each move takes the
// node that a removal would take first to the bin that an addition would fill
// first, for as long as that is strictly better; so the best plan is reached in
// the fewest moves. The time taken grows with the number of moves.
func Rebalance(bins []Bin, limit int64) ([]Move, error) {
	if err := check(bins, 0); err != nil {
		return nil, err
	}
	bins = slices.Clone(bins)
	var moves []Move
	for int64(len(moves)) < limit {
		m, ok := bestMove(bins)
		if !ok {
			break
		}
		bins[m.From].Current--
		bins[m.To].Current++
		moves = append(moves, m)
	}
	return moves, nil
}

// bestMove finds the next move, if one is worth it.
func bestMove(bins []Bin) (Move, bool) {
	from, to := -1, -1
	for i, b := range bins {
		if b.Current > b.lower() && (from < 0 || b.leavesBefore(bins[from])) {
			from = i
		}
		if b.Headroom(1) > 0 && (to < 0 || b.takesBefore(bins[to])) {
			to = i
		}
	}
	if from < 0 || to < 0 || from == to {
		return Move{}, false
	}
	src, dst := bins[from], bins[to]
	must := src.leaveTurn() < inTurn || dst.takeTurn() < inTurn
	return Move{from, to}, must || src.last().cost(dst.next()) > 0
}

// inTurn is the turn of bins that are within their bounds; lower turns go first.
const inTurn = 2

func (b Bin) leaveTurn() int {
	switch {
	case b.Weight == 0:
		return 0
	case b.Current > b.upper(b.Current):
		return 1
	}
	return inTurn
}

func (b Bin) takeTurn() int {
	if b.Current < b.Min {
		return 0
	}
	return inTurn
}

func (b Bin) leavesBefore(c Bin) bool {
	if t, u := b.leaveTurn(), c.leaveTurn(); t != u {
		return t < u
	}
	return b.last().compare(c.last()) > 0
}

func (b Bin) takesBefore(c Bin) bool {
	if t, u := b.takeTurn(), c.takeTurn(); t != u {
		return t < u
	}
	return b.next().compare(c.next()) < 0
}

// last is the node that a removal takes, next the one that an addition makes.
func (b Bin) last() unit { return b.span(0, 0).unit(b.Current - 1) }
func (b Bin) next() unit { return b.span(0, 0).unit(b.Current) }

package placement

import (
	"fmt"
	"slices"
	"strings"
)

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

// Spot is a zone in a region, both by index; the zone is -1 in a region that
// has none.
type Spot struct{ Region, Zone int }

// RegionMove takes one node from a spot to another.
type RegionMove struct{ From, To Spot }

// RebalanceRegions does the same on two levels: it moves nodes between regions
// for as long as that is better, then between the zones within each, in the
// order of the regions' names.
func RebalanceRegions(regions []Region, limit int64) ([]RegionMove, error) {
	regions = slices.Clone(regions)
	order := make([]int, len(regions))
	for i, r := range regions {
		if err := check(r.Zones, 0); err != nil {
			return nil, fmt.Errorf("region %q: %w", r.Name, err)
		}
		regions[i].Zones = slices.Clone(r.Zones)
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(regions[i].Name, regions[j].Name) })
	var moves []RegionMove
	for int64(len(moves)) < limit {
		m, ok := bestRegionMove(regions, order)
		if !ok {
			break
		}
		regions[m.From.Region].add(m.From.Zone, -1)
		regions[m.To.Region].add(m.To.Zone, 1)
		moves = append(moves, m)
	}
	return moves, nil
}

func bestRegionMove(regions []Region, order []int) (RegionMove, bool) {
	bins := make([]Bin, len(regions))
	for i, r := range regions {
		bins[i] = r.bin(1)
	}
	if m, ok := bestMove(bins); ok {
		from, to := Spot{m.From, firstToLeave(regions[m.From].Zones)}, Spot{m.To, firstToTake(regions[m.To].Zones)}
		return RegionMove{from, to}, true
	}
	for _, i := range order {
		if m, ok := bestMove(regions[i].Zones); ok {
			return RegionMove{Spot{i, m.From}, Spot{i, m.To}}, true
		}
	}
	return RegionMove{}, false
}

func (r *Region) add(zone int, n int64) {
	if zone < 0 {
		r.Current += n
		return
	}
	r.Zones[zone].Current += n
}

// firstToLeave is the index of the bin that a removal takes from, or -1.
func firstToLeave(bins []Bin) int {
	from := -1
	for i, b := range bins {
		if b.Current > b.lower() && (from < 0 || b.leavesBefore(bins[from])) {
			from = i
		}
	}
	return from
}

// firstToTake is the index of the bin that an addition fills, or -1.
func firstToTake(bins []Bin) int {
	to := -1
	for i, b := range bins {
		if b.Headroom(1) > 0 && (to < 0 || b.takesBefore(bins[to])) {
			to = i
		}
	}
	return to
}

// bestMove finds the next move, if one is worth it.
func bestMove(bins []Bin) (Move, bool) {
	from, to := firstToLeave(bins), firstToTake(bins)
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

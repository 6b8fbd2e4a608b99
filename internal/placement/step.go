package placement

import (
	"cmp"
	"slices"
	"strings"
)

// leaving is the spot of [Board.First].
func leaving(regions []Region, tie func(a, b spot) int) (spot, bool) {
	within := func(i int) int {
		return firstToLeave(regions[i].Zones, func(j, k int) int { return tie(spot{i, j}, spot{i, k}) })
	}
	i := firstToLeave(firstLevel(regions, 0), func(i, j int) int { return tie(spot{i, within(i)}, spot{j, within(j)}) })
	if i < 0 {
		return spot{}, false
	}
	return spot{i, within(i)}, true
}

// moving is the move of [Board.Move].
func moving(regions []Region) (from, to spot, ok bool) {
	bins := firstLevel(regions, 1)
	if i, j, ok := bestMove(bins); ok {
		return spot{i, firstToLeave(regions[i].Zones, noTie)}, spot{j, firstToTake(regions[j].Zones)}, true
	}
	order := make([]int, len(regions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(regions[i].Name, regions[j].Name) })
	for _, i := range order {
		region := regions[i].bin(0)
		takes := !region.Closed && region.leaveTurn() == inTurn // as many nodes as it has
		if j, k, ok := bestMove(regions[i].Zones); ok && takes {
			return spot{i, j}, spot{i, k}, true
		}
	}
	other := firstToTake(bins)
	for _, i := range order {
		zones := regions[i].Zones
		j := firstToLeave(zones, noTie)
		must := j >= 0 && zones[j].leaveTurn() < inTurn && bins[i].Current > bins[i].lower()
		if other >= 0 && must && firstToTake(zones) < 0 {
			return spot{i, j}, spot{other, firstToTake(regions[other].Zones)}, true
		}
	}
	return spot{}, spot{}, false
}

// firstLevel are the regions as the first level sees them, looked at up to room.
func firstLevel(regions []Region, room int64) []Bin {
	list := make([]Bin, len(regions))
	for i, r := range regions {
		list[i] = r.bin(room)
	}
	return list
}

func noTie(int, int) int { return 0 }

// firstToLeave is the index of the bin that a removal takes from, or -1.
func firstToLeave(bins []Bin, tie func(i, j int) int) int {
	from := -1
	for i, b := range bins {
		if b.Current > b.lower() && (from < 0 || b.leavesBefore(bins[from], func() int { return tie(i, from) })) {
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

// bestMove finds the next move between bins, if one is worth it.
func bestMove(bins []Bin) (from, to int, ok bool) {
	from, to = firstToLeave(bins, noTie), firstToTake(bins)
	if from < 0 || to < 0 {
		return 0, 0, false
	}
	must := bins[from].leaveTurn() < inTurn || bins[to].takeTurn() < inTurn
	return from, to, must || bins[from].last().cost(bins[to].next()) > 0
}

// The turns of bins: lower ones go first.
const (
	unlisted    = iota
	outOfBounds // above its cap or, where nodes are added, below its min
	inTurn
)

func (b Bin) leaveTurn() int {
	switch {
	case b.Weight == 0:
		return unlisted
	case b.aboveCap() > 0:
		return outOfBounds
	}
	return inTurn
}

func (b Bin) takeTurn() int {
	if b.Current < b.Min {
		return outOfBounds
	}
	return inTurn
}

// leavesBefore reports whether a removal takes from b before it takes from c.
func (b Bin) leavesBefore(c Bin, tie func() int) bool {
	order := cmp.Or(cmp.Compare(b.leaveTurn(), c.leaveTurn()), c.last().worth(b.last()))
	if order == 0 {
		order = cmp.Or(tie(), strings.Compare(c.Name, b.Name))
	}
	return order < 0
}

// takesBefore reports whether an addition fills b before it fills c.
func (b Bin) takesBefore(c Bin) bool {
	return cmp.Or(cmp.Compare(b.takeTurn(), c.takeTurn()), b.next().compare(c.next())) < 0
}

// last is the node that a removal takes, next the one that an addition makes.
func (b Bin) last() unit { return unit{b.Current - 1, b.weight(), b.Name} }
func (b Bin) next() unit { return unit{b.Current, b.weight(), b.Name} }

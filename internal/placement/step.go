package placement

import (
	"cmp"
	"slices"
	"strings"
)

// leaving returns the spot of [Board.First].
func (b *Board) leaving(tie func(a, b spot) int) (spot, bool) {
	within := func(i int) int {
		zones := binBounds(b.regions[i].Zones)
		return firstToLeave(zones, func(j, k int) int { return tie(spot{i, j}, spot{i, k}) })
	}
	i := firstToLeave(boundsOf(b.regions), func(i, j int) int { return tie(spot{i, within(i)}, spot{j, within(j)}) })
	if i < 0 {
		return spot{}, false
	}
	return spot{i, within(i)}, true
}

// moving returns the move of [Board.Move].
func (b *Board) moving() (from, to spot, ok bool) {
	if from, to, ok = b.movingOut(); ok {
		return from, to, true
	}
	order := make([]int, len(b.regions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(b.regions[i].Name, b.regions[j].Name) })
	for _, i := range order {
		region := b.regions[i]
		takes := region.Weight > 0 && !region.closed() && !region.aboveCap() // keeps the number of its nodes
		if j, k, ok := bestMove(binBounds(region.Zones)); ok && takes {
			return spot{i, j}, spot{i, k}, true
		}
	}
	return spot{}, spot{}, false
}

// movingOut returns the next move between regions, if it makes the spread better. A node of a zone that is not listed
// or above its cap may stay in its region, if that is the best place for it.
func (b *Board) movingOut() (from, to spot, ok bool) {
	list := boundsOf(b.regions)
	for i, v := range list {
		list[i] = v.keeping(min(v.mins, v.nodes)) // no move takes nodes that a region's zones need
	}
	i := firstToLeave(list, noTie)
	if i < 0 {
		return from, to, false
	}
	from = spot{i, firstToLeave(binBounds(b.regions[i].Zones), noTie)}
	without := b.Clone()
	without.add(from, -1)
	rest := slices.Clone(list)
	rest[i] = without.regions[i].bounds()
	k := firstToTake(rest)
	if k < 0 {
		return from, to, false
	}
	to = spot{k, firstToTake(binBounds(without.regions[k].Zones))}
	must := list[i].leaveTurn() < inTurn
	if k == i {
		return from, to, must
	}
	return from, to, must || rest[k].takeTurn() < inTurn || list[i].last().cost(rest[k].next()) > 0
}

func noTie(int, int) int { return 0 }

// firstToLeave returns the index of the bin that a removal takes from, or -1.
func firstToLeave(list []bounds, tie func(i, j int) int) int {
	from := -1
	for i, v := range list {
		if v.removable() > 0 && (from < 0 || v.leavesBefore(list[from], func() int { return tie(i, from) })) {
			from = i
		}
	}
	return from
}

// firstToTake returns the index of the bin that an addition fills, or -1.
func firstToTake(list []bounds) int {
	to := -1
	for i, v := range list {
		if v.room() > 0 && (to < 0 || v.takesBefore(list[to])) {
			to = i
		}
	}
	return to
}

// bestMove returns the next move between bins, if it makes the spread better.
func bestMove(list []bounds) (from, to int, ok bool) {
	from, to = firstToLeave(list, noTie), firstToTake(list)
	if from < 0 || to < 0 {
		return 0, 0, false
	}
	must := list[from].leaveTurn() < inTurn || list[to].takeTurn() < inTurn
	return from, to, must || list[from].last().cost(list[to].next()) > 0
}

// The turns of bins: a lower turn comes first.
const (
	unlisted    = iota
	outOfBounds // above a cap or, for additions, below a min
	inTurn
)

func (v bounds) leaveTurn() int {
	switch {
	case v.nodes > v.listed:
		return unlisted
	case v.nodes > v.within:
		return outOfBounds
	}
	return inTurn
}

func (v bounds) takeTurn() int {
	if v.nodes < v.mins {
		return outOfBounds
	}
	return inTurn
}

// leavesBefore reports whether a removal takes from v before it takes from w.
func (v bounds) leavesBefore(w bounds, tie func() int) bool {
	order := cmp.Or(cmp.Compare(v.leaveTurn(), w.leaveTurn()), w.last().worth(v.last()))
	if order == 0 {
		order = cmp.Or(tie(), strings.Compare(w.name, v.name))
	}
	return order < 0
}

// takesBefore reports whether an addition fills v before it fills w.
func (v bounds) takesBefore(w bounds) bool {
	return cmp.Or(cmp.Compare(v.takeTurn(), w.takeTurn()), v.next().compare(w.next())) < 0
}

// next is the unit that an addition makes, and last the unit that a removal takes.
func (v bounds) next() unit { return unit{v.nodes, v.weight, v.name} }
func (v bounds) last() unit {
	if v.leaveTurn() == unlisted {
		v.weight = 1 // the fullest of the places that are not listed comes first
	}
	return unit{v.nodes - 1, v.weight, v.name}
}

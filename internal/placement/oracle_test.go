package placement

import (
	"cmp"
	"slices"
)

// The slow oracle follows the text of the rule one node at a time, and finds the best plan of all by trying each.

// greedy adds (or removes, if count is negative) one node after the other. It returns nil if one finds no place. Its
// numbers are small: it compares in plain integers.
func greedy(bins []Bin, count int64) []int64 {
	bins = slices.Clone(bins)
	changes := make([]int64, len(bins))
	for ; count > 0; count-- {
		i := first(bins, func(b Bin) bool { return b.Weight > 0 && !b.Closed && (b.Cap == Unlimited || b.Current < b.Cap) }, func(a, b Bin) int {
			return cmp.Or(
				compareTrue(a.Current < a.Min, b.Current < b.Min),
				cmp.Compare((2*a.Current+1)*b.Weight, (2*b.Current+1)*a.Weight),
				cmp.Compare(b.Weight, a.Weight),
				cmp.Compare(a.Name, b.Name),
			)
		})
		if i < 0 {
			return nil
		}
		bins[i].Current++
		changes[i]++
	}
	for ; count < 0; count++ {
		i := first(bins, func(b Bin) bool { return b.Current > b.Min && b.Current > b.Kept }, func(a, b Bin) int {
			if a.Weight == 0 && b.Weight == 0 {
				return cmp.Or(cmp.Compare(b.Current, a.Current), cmp.Compare(b.Name, a.Name))
			}
			return cmp.Or(
				compareTrue(a.Weight == 0, b.Weight == 0),
				compareTrue(a.Cap != Unlimited && a.Current > a.Cap, b.Cap != Unlimited && b.Current > b.Cap),
				cmp.Compare((2*b.Current-1)*a.Weight, (2*a.Current-1)*b.Weight),
				cmp.Compare(a.Weight, b.Weight),
				cmp.Compare(b.Name, a.Name),
			)
		})
		if i < 0 {
			return nil
		}
		bins[i].Current--
		changes[i]--
	}
	return changes
}

// upper is the largest number of nodes that a bin may hold, at most limit.
func upper(b Bin, limit int64) int64 {
	switch {
	case b.Weight == 0:
		return 0
	case b.Closed || b.Maintenance:
		limit = min(limit, b.Current)
	}
	if b.Cap != Unlimited {
		limit = min(limit, b.Cap)
	}
	return limit
}

// lower is the smallest number of nodes that removals leave in a bin.
func lower(b Bin) int64 { return min(max(b.Min, b.Kept), b.Current) }

func counts(bins []Bin) (held []int64) {
	for _, b := range bins {
		held = append(held, b.Current)
	}
	return held
}

// compareTrue orders true before false.
func compareTrue(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func first(bins []Bin, ok func(Bin) bool, compare func(a, b Bin) int) int {
	best := -1
	for i, b := range bins {
		if ok(b) && (best < 0 || compare(b, bins[best]) < 0) {
			best = i
		}
	}
	return best
}

// score rates counts: first by the parts of the rule that come first, then by the objective sum((n-q)^2/w), times a
// constant that makes it whole. Smaller is better.
func score(bins []Bin, held []int64) []int64 {
	var unlisted, aboveCap, belowMin, total, weights, objective int64
	product := int64(1)
	for i, b := range bins {
		switch b.Weight {
		case 0:
			unlisted += held[i]
		default:
			product *= b.Weight
			weights += b.Weight
			total += held[i]
			aboveCap += max(0, held[i]-upper(b, held[i]))
			belowMin += max(0, upper(b, b.Min)-held[i])
		}
	}
	for i, b := range bins {
		if b.Weight > 0 {
			d := held[i]*weights - total*b.Weight // (n-q) * W
			objective += d * d * (product / b.Weight)
		}
	}
	return []int64{unlisted, aboveCap, belowMin, objective}
}

// bruteForce returns the score of the best of all plans, or nil if there is none.
func bruteForce(bins []Bin, count int64) []int64 {
	var best []int64
	held := counts(bins)
	var try func(i int, left int64)
	try = func(i int, left int64) {
		if i == len(bins) {
			if s := score(bins, held); left == 0 && (best == nil || slices.Compare(s, best) < 0) {
				best = s
			}
			return
		}
		room, step := min(max(count, 0), bins[i].bounds().room()), int64(1)
		if count < 0 {
			room, step = bins[i].Current-lower(bins[i]), -1
		}
		for n := int64(0); n <= min(room, left*step); n++ {
			held[i] = bins[i].Current + n*step
			try(i+1, left-n*step)
		}
		held[i] = bins[i].Current
	}
	try(0, count)
	return best
}

// slowMove returns the next move of one node by the text of the rule: out of the region that a removal takes from,
// into the region that an addition then fills, if that node must leave or the score gets better; otherwise within a
// region, in the order of names.
func slowMove(regions []Region) (from, to spot, ok bool) {
	if i := slowLoses(regions, func(i int) int64 { return slowTop(regions[i]).Min }); i >= 0 {
		from = spot{i, slowStep(regions[i].Zones, -1)}
		rank, w, n := slowRank(regions[i]), max(regions[i].Weight, 1), slowTop(regions[i]).Current
		left := copied(regions)
		binAt(left, from).Current--
		var tops []Bin
		for _, r := range left {
			tops = append(tops, slowTop(r))
		}
		if k := slowStep(tops, 1); k >= 0 {
			better := tops[k].Current < tops[k].Min || (2*n-1)*tops[k].Weight > (2*tops[k].Current+1)*w
			if rank < 2 || k != i && better {
				return from, spot{k, slowStep(left[k].Zones, 1)}, true
			}
		}
	}
	order := make([]string, len(regions))
	for i, r := range regions {
		order[i] = r.Name
	}
	slices.Sort(order)
	for _, name := range order {
		i := slices.IndexFunc(regions, func(r Region) bool { return r.Name == name })
		r, zones := regions[i], regions[i].Zones
		fixed := r.Closed || r.Weight == 0 || r.Cap != Unlimited && slowTop(r).Current > r.Cap
		if j, k := slowStep(zones, -1), slowStep(zones, 1); !fixed && slowBetter(zones, j, k) {
			return spot{i, j}, spot{i, k}, true
		}
	}
	return spot{}, spot{}, false
}

// slowRank is 0 for a region that is not listed, or can lose a node in a zone that is not; 1 for a region above its
// cap, or that can lose a node above a zone's cap; 2 for others.
func slowRank(r Region) int {
	rank := func(b Bin) int {
		switch {
		case b.Weight == 0:
			return 0
		case b.Cap != Unlimited && b.Current > b.Cap:
			return 1
		}
		return 2
	}
	best := rank(slowTop(r))
	for _, z := range r.Zones {
		if z.Current > z.Min && z.Current > z.Kept {
			best = min(best, rank(z))
		}
	}
	return best
}

// slowWeight is the weight of a region that loses a node. Weights do not count for a region that is not listed.
func slowWeight(r Region) int64 {
	if slowRank(r) == 0 {
		return 1
	}
	return r.Weight
}

// slowLoses returns the region that a removal takes from, or -1. Each region keeps a number of nodes.
func slowLoses(regions []Region, keeps func(i int) int64) int {
	best := -1
	for i, r := range regions {
		top := slowTop(r)
		if top.Current <= max(keeps(i), top.Kept) {
			continue
		}
		if best >= 0 {
			w, n := slowWeight(r), top.Current
			v, m := slowWeight(regions[best]), slowTop(regions[best]).Current
			if cmp.Or(
				cmp.Compare(slowRank(r), slowRank(regions[best])),
				cmp.Compare((2*m-1)*w, (2*n-1)*v),
				cmp.Compare(w, v),
				cmp.Compare(regions[best].Name, r.Name),
			) > 0 {
				continue
			}
		}
		best = i
	}
	return best
}

// slowPlace returns the region, and the zone in it, that one node is added to or removed from (step -1), or -1.
func slowPlace(regions []Region, step int64) (region, zone int) {
	if step < 0 {
		if region = slowLoses(regions, func(i int) int64 { return regions[i].Min }); region < 0 {
			return -1, -1
		}
		return region, slowStep(regions[region].Zones, step)
	}
	tops := make([]Bin, len(regions))
	for i, r := range regions {
		tops[i] = slowTop(r)
		for _, z := range r.Zones {
			if z.Current < z.Min && slowStep([]Bin{z}, 1) == 0 {
				tops[i].Min = max(tops[i].Min, tops[i].Current+1)
			}
		}
	}
	if region = slowStep(tops, step); region < 0 {
		return -1, -1
	}
	return region, slowStep(regions[region].Zones, step)
}

// slowTop is a region as one bin: it needs as many nodes as its zones need, and takes nodes if one of its zones does.
func slowTop(r Region) Bin {
	if len(r.Zones) == 0 {
		return r.Bin
	}
	b := r.Bin
	b.Current = 0
	open := false
	var need, kept int64
	for _, z := range r.Zones {
		kept += min(max(z.Min, z.Kept), z.Current)
		b.Current += z.Current
		takes := z.Weight > 0 && !z.Closed
		open = open || takes && (z.Cap == Unlimited || z.Current < z.Cap)
		for n := int64(1); n <= z.Min; n++ {
			if n <= z.Current || takes && (z.Cap == Unlimited || n <= z.Cap) {
				need++
			}
		}
	}
	b.Min, b.Kept = max(b.Min, need), max(b.Kept, kept)
	b.Closed = b.Closed || !open
	return b
}

// slowStep returns the index of the bin that one node is added to, or removed from (step -1), or -1.
func slowStep(bins []Bin, step int64) int { return slices.Index(greedy(bins, step), step) }

// slowBetter reports whether moving a node from i to j makes the score better.
func slowBetter(bins []Bin, i, j int) bool {
	if i < 0 || j < 0 || i == j {
		return false
	}
	held := counts(bins)
	before := score(bins, held)
	held[i]--
	held[j]++
	return slices.Compare(score(bins, held), before) < 0
}

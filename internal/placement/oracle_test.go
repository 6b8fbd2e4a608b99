package placement

import (
	"cmp"
	"slices"
)

// The slow oracle: one node at a time by a plain reading of the rule, and the
// best plan of all by trying every one.

// greedy adds (or removes, count negative) one node after the other. Its
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
		bins[i].Current--
		changes[i]--
	}
	return changes
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

// score rates counts: what the rule puts first comes first, then the objective
// sum((n-q)^2/w), times a constant that makes it whole. Smaller is better.
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
			aboveCap += max(0, held[i]-b.upper(held[i]))
			belowMin += max(0, b.upper(b.Min)-held[i])
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
		room, step := bins[i].Headroom(max(count, 0)), int64(1)
		if count < 0 {
			room, step = bins[i].Current-bins[i].lower(), -1
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

// slowMove is the next move of one node by a plain reading of the rule: where a
// removal takes from and an addition fills, if that makes the score better; over
// regions first, then in each region by name. Then, out of a zone that is not
// listed or above its cap, to another region if its own is full.
func slowMove(regions []Region) (from, to spot, ok bool) {
	tops := make([]Bin, len(regions))
	for i, r := range regions {
		tops[i] = slowTop(r)
	}
	zone := func(i int, step int64) int { return slowStep(regions[i].Zones, step) }
	if i, j := slowStep(tops, -1), slowStep(tops, 1); slowBetter(tops, i, j) {
		return spot{i, zone(i, -1)}, spot{j, zone(j, 1)}, true
	}
	var order []int
	for len(order) < len(regions) {
		next := -1
		for i, r := range regions {
			if !slices.Contains(order, i) && (next < 0 || r.Name < regions[next].Name) {
				next = i
			}
		}
		order = append(order, next)
	}
	for _, i := range order {
		fixed := regions[i].Closed || regions[i].Weight == 0 || regions[i].Cap != Unlimited && tops[i].Current > regions[i].Cap
		if j, k := zone(i, -1), zone(i, 1); !fixed && slowBetter(regions[i].Zones, j, k) {
			return spot{i, j}, spot{i, k}, true
		}
	}
	for _, i := range order {
		if tops[i].Current <= tops[i].Min || tops[i].Current <= tops[i].Kept || zone(i, -1) < 0 || zone(i, 1) >= 0 {
			continue
		}
		z := regions[i].Zones[zone(i, -1)]
		if j := slowStep(tops, 1); j >= 0 && (z.Weight == 0 || z.Cap != Unlimited && z.Current > z.Cap) {
			return spot{i, zone(i, -1)}, spot{j, zone(j, 1)}, true
		}
	}
	return spot{}, spot{}, false
}

// slowPlace is the region, and the zone in it, that one node is added to or
// removed from (step -1); -1 if there is none.
func slowPlace(regions []Region, step int64) (region, zone int) {
	tops := make([]Bin, len(regions))
	for i, r := range regions {
		tops[i] = slowTop(r)
		if len(r.Zones) > 0 && step < 0 {
			tops[i].Min = r.Min // a removal keeps what is there of the zones' mins, and no more
		}
		for _, z := range r.Zones {
			if step > 0 && z.Current < z.Min && slowStep([]Bin{z}, 1) == 0 {
				tops[i].Min = max(tops[i].Min, tops[i].Current+1)
			}
		}
	}
	if region = slowStep(tops, step); region < 0 {
		return -1, -1
	}
	return region, slowStep(regions[region].Zones, step)
}

// slowTop is a region as one bin: it needs what its zones need, and takes nodes
// where one of its zones does.
func slowTop(r Region) Bin {
	if len(r.Zones) == 0 {
		return r.Bin
	}
	b := r.Bin
	b.Current = 0
	open := false
	var need int64
	b.Kept = 0
	for _, z := range r.Zones {
		b.Kept += min(max(z.Min, z.Kept), z.Current)
		b.Current += z.Current
		takes := z.Weight > 0 && !z.Closed
		open = open || takes && (z.Cap == Unlimited || z.Current < z.Cap)
		for n := int64(1); n <= z.Min; n++ {
			if n <= z.Current || takes && (z.Cap == Unlimited || n <= z.Cap) {
				need++
			}
		}
	}
	b.Min = max(b.Min, need)
	b.Closed = b.Closed || !open
	return b
}

// slowStep is the index of the bin that one node is added to, or removed from
// (step -1); -1 if there is none.
func slowStep(bins []Bin, step int64) int {
	for _, b := range bins {
		if step < 0 && b.Current > b.Min && b.Current > b.Kept || step > 0 && b.Weight > 0 && !b.Closed && (b.Cap == Unlimited || b.Current < b.Cap) {
			return slices.Index(greedy(bins, step), step)
		}
	}
	return -1
}

// slowBetter reports whether to move a node from i to j makes the score better.
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

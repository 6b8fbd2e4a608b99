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
		i := first(bins, func(b Bin) bool { return b.Current > b.Min }, func(a, b Bin) int {
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

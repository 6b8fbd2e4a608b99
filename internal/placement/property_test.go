package placement

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// genBins draws up to most bins with small numbers, so that ties and bounds occur often.
func genBins(most int) *rapid.Generator[[]Bin] {
	return rapid.Custom(func(t *rapid.T) []Bin {
		list := make([]Bin, rapid.IntRange(1, most).Draw(t, "bins"))
		for i := range list {
			list[i] = Bin{Name: string(rune('A' + i)), Weight: rapid.SampledFrom([]int64{0, 1, 1, 1, 2, 3, 5}).Draw(t, "weight"),
				Cap: rapid.SampledFrom([]int64{Unlimited, Unlimited, 0, 1, 2, 3, 4}).Draw(t, "cap"), Current: rapid.Int64Range(0, 5).Draw(t, "current"),
				Closed: rapid.IntRange(0, 9).Draw(t, "closed") == 0}
			c := list[i].Cap
			list[i].Min = rapid.Int64Range(0, min(2, max(c, -2*c))).Draw(t, "min")
			list[i].Kept = max(0, rapid.Int64Range(-3, list[i].Current).Draw(t, "kept"))
		}
		return list
	})
}

func TestOptimalAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := genBins(4).Draw(t, "list")
		count := rapid.Int64Range(-12, 12).Draw(t, "count")
		best := bruteForce(list, count)
		changes, err := Distribute(list, count)
		var infeasible *InfeasibleError
		if errors.As(err, &infeasible) != (best == nil) {
			t.Fatalf("error %v, but brute force found %v", err, best)
		}
		if err == nil {
			if got := score(list, after(list, changes)); !slices.Equal(got, best) {
				t.Fatalf("plan %v scores %v, the best is %v", changes, got, best)
			}
		}
	})
}

// TestEqualsUnitGreedy: planning many nodes at once gives the same result as planning one at a time, in any order of
// the bins.
func TestEqualsUnitGreedy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.Permutation(genBins(8).Draw(t, "list")).Draw(t, "shuffled")
		for i := range list {
			if list[i].Weight > 0 {
				list[i].Weight = rapid.Int64Range(1, 1000).Draw(t, "any weight")
			}
		}
		count := rapid.Int64Range(-30, 200).Draw(t, "count")
		changes, err := Distribute(list, count)
		if want := greedy(list, count); !slices.Equal(changes, want) || (err == nil) != (want != nil) {
			t.Fatalf("got %v, one at a time gives %v", changes, want)
		}
	})
}

// TestMoving: the moves reach the best spread of the nodes with the fewest moves, and no move leaves the best spread.
func TestMoving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := genBins(4).Draw(t, "list")
		best, fewest := bestAnywhere(list)
		moved, moves := slices.Clone(list), int64(0)
		for {
			from, to, ok := bestMove(binBounds(moved))
			if !ok {
				break
			}
			moved[from].Current--
			moved[to].Current++
			if moves++; moves > fewest {
				t.Fatalf("%d moves to %v, %d would do", moves, counts(moved), fewest)
			}
		}
		if got := score(list, counts(moved)); !slices.Equal(got, best) {
			t.Fatalf("%d moves to %v score %v, the best is %v", moves, counts(moved), got, best)
		}
	})
}

// bestAnywhere tries every spread of the nodes that moves can reach, and returns the best score and the fewest moves
// to it.
func bestAnywhere(bins []Bin) (best []int64, fewest int64) {
	held := make([]int64, len(bins))
	var total int64
	for _, b := range bins {
		total += b.Current
	}
	var try func(i int, left int64)
	try = func(i int, left int64) {
		if i == len(bins) {
			if left > 0 {
				return
			}
			var moves int64
			for j, b := range bins {
				moves += max(0, held[j]-b.Current)
			}
			s := score(bins, held)
			if c := slices.Compare(s, best); best == nil || c < 0 || c == 0 && moves < fewest {
				best, fewest = s, moves
			}
			return
		}
		b := bins[i]
		for n := lower(b); n <= min(left, b.Current+b.bounds().room()); n++ {
			held[i] = n
			try(i+1, left-n)
		}
	}
	try(0, total)
	return best, fewest
}

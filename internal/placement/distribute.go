package placement

import (
	"math/bits"
	"slices"
)

// Distribute plans the addition of count nodes to the bins or, where count is
// negative, the removal of that many. It returns the change of each bin in the
// order of bins: all changes have the sign of count and add up to it.
//
// Additions fill bins below their min first. Removals empty bins that nobody
// lists any more (weight 0) first, the fullest of them before the others, then
// take what bins hold above their cap. Beyond that each node goes to the bin
// with the smallest (2n+1)/w (ties: larger weight, then name ascending), and
// leaves the bin with the largest (2n-1)/w (ties: smaller weight, then name
// descending).
//
// The time taken is O(k log k) for k bins and does not depend on count.
//
// The error is an [*InfeasibleError] where the bins cannot take or give up so
// many nodes, and names every offending bin where one makes no sense.
func Distribute(bins []Bin, count int64) ([]int64, error) {
	if err := check(bins, count); err != nil {
		return nil, err
	}
	list := binBounds(bins)
	if !feasible(list, count) {
		rooms := make([]Room, len(bins))
		for i, b := range bins {
			rooms[i] = roomOf(b, list[i], count)
		}
		return nil, &InfeasibleError{Count: count, Rooms: rooms}
	}
	return spread(list, count), nil
}

// feasible reports whether there is room for count nodes or, where count is
// negative, whether that many can be removed.
func feasible(list []bounds, count int64) bool {
	missing := max(count, -count)
	for _, v := range list {
		missing -= min(missing, v.most(count))
	}
	return missing == 0
}

// most is the number of nodes that can be added or, where count is negative,
// removed.
func (v bounds) most(count int64) int64 {
	if count < 0 {
		return v.loose()
	}
	return v.room()
}

// spread is the plan for a feasible count: the change of each of the bounds.
func spread(list []bounds, count int64) []int64 {
	held, steps := nodesOf(list), []func(bounds) int64{bounds.first, func(v bounds) int64 { return v.high }}
	move := raise
	if count < 0 {
		even, listed := slices.Clone(list), make([]int64, len(list))
		for i, v := range list {
			even[i].weight, listed[i] = 1, v.listed // no weight counts for what is not listed
		}
		held, count = sink(even, held, listed, -count)
		move = sink
		steps = []func(bounds) int64{
			func(v bounds) int64 { return v.within },
			func(v bounds) int64 { return v.low },
		}
	}
	for _, step := range steps {
		ends := make([]int64, len(list))
		for i, v := range list {
			ends[i] = step(v)
		}
		held, count = move(list, held, ends, count)
	}
	for i, v := range list {
		held[i] -= v.nodes
	}
	return held
}

// raise adds up to count nodes to bins that hold some, below their tops. It
// returns what they hold then, and the number of nodes that found no room.
func raise(list []bounds, held, tops []int64, count int64) ([]int64, int64) {
	spans := make([]span, len(list))
	var nodes int64
	for i, v := range list {
		spans[i] = span{held[i], tops[i], v.weight, v.name}
		nodes += min(count-nodes, tops[i]-held[i])
	}
	return fill(spans, nodes), count - nodes
}

// sink removes up to count nodes from bins that hold some, above their bottoms.
// It returns what they hold then, and the number of nodes that were not there.
//
// To take the most expensive nodes out of a span is to fill it again, from its
// bottom, with the nodes that stay.
func sink(list []bounds, held, bottoms []int64, count int64) ([]int64, int64) {
	spans := make([]span, len(list))
	var nodes int64
	for i, v := range list {
		spans[i] = span{bottoms[i], held[i], v.weight, v.name}
		nodes += held[i] - bottoms[i]
	}
	taken := min(count, nodes)
	return fill(spans, nodes-taken), count - taken
}

func nodesOf(list []bounds) []int64 {
	held := make([]int64, len(list))
	for i, v := range list {
		held[i] = v.nodes
	}
	return held
}

// span is a bin as fill sees it: it holds lo nodes and may hold hi.
type span struct {
	lo, hi int64
	weight int64
	name   string
}

func (s span) unit(n int64) unit { return unit{n, s.weight, s.name} }

// maxLevel is the highest level that fill looks at: 2*maxLevel+1 is below 2^63.
const maxLevel int64 = 1 << 62

// fill adds the count cheapest units to the spans and returns what each then
// holds. The spans must have room for them.
//
// The level of a unit is its place in the row of units of the heaviest span:
// level m has the cost (2m+1)/w of that span's unit m. From one level to the
// next no span gains more than one unit, because none is heavier. So bisection
// finds the last level that is filled by at most count units, and what is left
// is less than one unit a span: those are sorted. Spans that are full at the
// highest level are done, and the heaviest of the others sets the levels again.
//
// For example, 6 units for the empty spans A of weight 3 and B of weight 1. A
// sets the levels, of which B's first two units cost as much as levels 1 and 4:
//
//	level          0    1    2    3    4
//	cost of A's    1/3  3/3  5/3  7/3  9/3
//	cost of B's         1/1            3/1
//	units so far   1    3    4    5    7
//
// Level 3 is the last that 6 units fill: A has 4 and B has 1. The unit that is
// left is the cheaper of A's fifth (9/3) and B's second (3/1); they cost the
// same, and the larger weight wins. So A ends with 5 and B with 1.
func fill(spans []span, count int64) []int64 {
	held, open := make([]int64, len(spans)), make([]int, len(spans))
	for i, s := range spans {
		held[i], open[i] = s.lo, i
	}
	for count > 0 {
		var heaviest int64
		for _, i := range open {
			heaviest = max(heaviest, spans[i].weight)
		}
		// Whether the units up to the level are more than count.
		overflows := func(level int64) bool {
			left := count
			for _, i := range open {
				left -= spans[i].units(level, heaviest) - held[i]
				if left < 0 {
					return true
				}
			}
			return false
		}
		level := bisect(maxLevel, overflows)
		var next []int
		for _, i := range open {
			if level > 0 {
				n := spans[i].units(level-1, heaviest)
				count -= n - held[i]
				held[i] = n
			}
			if held[i] < spans[i].hi {
				next = append(next, i)
			}
		}
		if level < maxLevel {
			slices.SortFunc(next, func(i, j int) int {
				return spans[i].unit(held[i]).compare(spans[j].unit(held[j]))
			})
			for _, i := range next[:count] {
				held[i]++
			}
			break
		}
		open = next
	}
	return held
}

// bisect returns the smallest n in [0, end) with f(n) true, or end where there
// is none. Once true, f must stay true. It is [sort.Search] for int64, because
// an int has 32 bits on some platforms.
func bisect(end int64, f func(int64) bool) int64 {
	low, high := int64(0), end
	for low < high {
		middle := low + (high-low)/2
		if f(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// units is the number of nodes of the span that cost no more than the level's
// (2*level+1)/heaviest, within its bounds.
func (s span) units(level, heaviest int64) int64 {
	// (2n+1)/weight <= (2*level+1)/heaviest holds for the first
	// (x+1)/2 units, x being the quotient below; weight <= heaviest keeps it
	// within 64 bits.
	hi, lo := bits.Mul64(uint64(2*level+1), uint64(s.weight))
	x, _ := bits.Div64(hi, lo, uint64(heaviest))
	return min(max(int64((x+1)/2), s.lo), s.hi)
}

package placement

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Distribute plans the addition of count nodes to the bins or, if count is negative, the removal of that many. It
// returns the change of each bin in the order of bins. All changes have the sign of count, and add up to it.
//
// Additions first fill bins below their min. Removals first empty bins that are not listed any more (weight 0), the
// fullest first, then take nodes above caps. After that each added node goes to the bin with the smallest (2n+1)/w
// (ties: larger weight, then name ascending), and each removed node leaves the bin with the largest (2n-1)/w (ties:
// smaller weight, then name descending).
//
// The time is O(k log k) for k bins and does not depend on count.
//
// The error is an [*InfeasibleError] if the bins cannot take or lose so many nodes. Any other error names every bin
// that makes no sense.
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

// feasible reports whether count nodes can be added or, if count is negative, removed.
func feasible(list []bounds, count int64) bool {
	missing := max(count, -count)
	for _, v := range list {
		missing -= min(missing, v.most(count))
	}
	return missing == 0
}

// most returns the number of nodes that can be added or, if count is negative, removed.
func (v bounds) most(count int64) int64 {
	if count < 0 {
		return v.removable()
	}
	return v.room()
}

// spread returns the change of each of the bounds, for a feasible count.
func spread(list []bounds, count int64) []int64 {
	held, steps := nodesOf(list), []func(bounds) int64{bounds.first, func(v bounds) int64 { return v.high }}
	move := raise
	if count < 0 {
		even, listed := slices.Clone(list), make([]int64, len(list))
		for i, v := range list {
			even[i].weight, listed[i] = 1, v.listed // weights do not count for places that are not listed
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

// raise adds up to count nodes to bins that hold some, below their tops. It returns how many nodes the bins hold
// then, and the number of nodes that found no room.
func raise(list []bounds, held, tops []int64, count int64) ([]int64, int64) {
	spans := make([]span, len(list))
	var nodes int64
	for i, v := range list {
		spans[i] = span{held[i], tops[i], v.weight, v.name}
		nodes += min(count-nodes, tops[i]-held[i])
	}
	return fill(spans, nodes), count - nodes
}

// sink removes up to count nodes from bins that hold some, above their bottoms. It returns how many nodes the bins
// hold then, and the number of nodes that could not be removed.
//
// Removing the most expensive nodes of a span means filling the span again from its bottom with the nodes that stay.
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

// fill adds the count cheapest units to the spans and returns how many units each holds then. The spans must have
// room for them.
//
// The level of a unit is its place in the row of units of the heaviest span: level m has the cost (2m+1)/w of that
// span's unit m. From one level to the next no span gains more than one unit, because no span is heavier. So
// bisection finds the last level that at most count units fill, and less than one unit for each span is left: the
// spans are sorted for these. Spans that are full at the highest level are done, and the heaviest of the others sets
// the levels again.
//
// For example, fill adds 6 units to the empty spans A of weight 3 and B of weight 1. A sets the levels. B's first two
// units cost as much as levels 1 and 4:
//
//	level          0    1    2    3    4
//	cost of A's    1/3  3/3  5/3  7/3  9/3
//	cost of B's         1/1            3/1
//	units so far   1    3    4    5    7
//
// Level 3 is the last that 6 units fill: A has 4 and B has 1. One unit is left: A's fifth (9/3) or B's second (3/1).
// They cost the same, and the larger weight wins. So A ends with 5 and B with 1.
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
		// overflows reports whether there are more than count units up to the level.
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

// bisect returns the smallest n in [0, end) for which f is true, or end if there is none. Once true, f must stay
// true. It is [sort.Search] for int64, because an int has 32 bits on some platforms.
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

// units returns the number of nodes of the span, within its bounds, that cost no more than the level's
// (2*level+1)/heaviest.
func (s span) units(level, heaviest int64) int64 {
	// (2n+1)/weight <= (2*level+1)/heaviest holds for the first (x+1)/2 units, where x is the quotient below; weight
	// <= heaviest keeps it within 64 bits.
	hi, lo := bits.Mul64(uint64(2*level+1), uint64(s.weight))
	x, _ := bits.Div64(hi, lo, uint64(heaviest))
	return min(max(int64((x+1)/2), s.lo), s.hi)
}

// InfeasibleError means that the places cannot take, or cannot lose, the requested number of nodes. Its text is the
// policy documents' sentence; Detail has the numbers.
type InfeasibleError struct {
	Count int64  // nodes to add; negative for nodes to remove
	Rooms []Room // in the order of the places; a region that is limited by its zones is replaced by them
}

// Room is how many nodes a place could take (or, on removal, lose) at most.
type Room struct {
	Name  string
	Nodes int64  // never more than the requested count
	Limit string // limit in a few words: "(cap 2)"; "" without one
}

func (e *InfeasibleError) Error() string {
	return "There is no feasible plan to handle all nodes."
}

// Detail says in one sentence how many nodes find room, where, and what limits each place.
func (e *InfeasibleError) Detail() string {
	parts := make([]string, len(e.Rooms))
	for i, r := range e.Rooms {
		parts[i] = strings.TrimRight(fmt.Sprintf("%s %d %s", r.Name, r.Nodes, r.Limit), " ")
	}
	where := "no place is listed"
	if len(parts) > 0 {
		where = strings.Join(parts, ", ")
	}
	if e.Count < 0 {
		return fmt.Sprintf("%s must be removed, but only %d can be: %s.", text.Nodes(-e.Count), e.Room(), where)
	}
	return fmt.Sprintf("%s must be added, but there is room for %d: %s.", text.Nodes(e.Count), e.Room(), where)
}

// Room returns how many nodes could be added (or, on removal, removed).
func (e *InfeasibleError) Room() (nodes int64) {
	for _, r := range e.Rooms {
		nodes += r.Nodes
	}
	return nodes
}

func asInfeasible(err error) (*InfeasibleError, bool) { return errors.AsType[*InfeasibleError](err) }

// roomOf returns how many of the requested nodes a bin could take, or lose, within its bounds, and what limits it.
func roomOf(b Bin, v bounds, asked int64) Room {
	room := Room{Name: b.Name, Nodes: min(max(asked, -asked), v.most(asked))}
	if all := asked < 0 && room.Nodes == b.Current; room.Nodes < max(asked, -asked) && !all {
		room.Limit = "(" + b.limit(asked) + ")"
	}
	return room
}

// roomsOf returns the rooms of regions within their bounds. A region that is limited by its zones is replaced by
// them.
func roomsOf(regions []Region, list []bounds, asked int64) []Room {
	var rooms []Room
	for i, r := range regions {
		if len(r.Zones) == 0 || r.Bin.bounds().most(asked) == list[i].most(asked) {
			rooms = append(rooms, roomOf(r.Bin, list[i], asked))
			continue
		}
		for _, z := range r.Zones {
			room := roomOf(z, z.bounds(), asked)
			room.Name = Place{r.Name, z.Name}.String()
			if z.Weight > 0 || z.closed() || room.Nodes > 0 {
				rooms = append(rooms, room)
			}
		}
	}
	return rooms
}

// Package placement spreads nodes over weighted, capped bins: over regions,
// and over the availability zones in them.
//
// The ideal share of a bin i of a cluster of N nodes is q(i) = N * w(i) / W,
// with W the sum of all weights. A plan is the exact minimiser of
//
//	sum over i of (n(i) - q(i))^2 / w(i)
//
// within the bounds: additions only raise counts, removals only lower them, no
// count passes its cap and none falls below its min. That is apportionment by
// the method of Webster and Sainte-Laguë. The objective is separable and
// convex, so giving out one node after the other at the least marginal cost,
// (2n+1)/w, solves it exactly; this package does so for all nodes at once.
//
// Everything here is pure and deterministic: the same bins give the same plan,
// whatever their order, and all comparisons are made in integers.
package placement

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
)

// Unlimited is the Cap of a bin that has none.
const Unlimited = -1

// DefaultWeight is the weight of a region or zone that names none.
const DefaultWeight = 100

// MaxNodes bounds the nodes of a plan, those that are there and those that are
// asked for. It keeps every sum and every (2n+1) well inside 64 bits.
const MaxNodes = 1_000_000_000_000_000

// Bin is a region or an availability zone: a place that takes nodes.
type Bin struct {
	Name    string
	Weight  int64 // relative share, positive; 0: a place that nobody lists any more, it only ever loses nodes
	Cap     int64 // maximum number of nodes; [Unlimited]: no cap
	Min     int64 // least number of nodes: filled before anything else where nodes may be added, and never removed
	Current int64 // nodes that are there now
	Kept    int64 // nodes of those that no removal takes, because they are protected
	Closed  bool  // listed, but takes no nodes now; those that it has count, and removals treat it like any other

	// Maintenance says that an operator closed the bin: it takes no nodes, and gives
	// up none. No move takes from it, and a removal only what no other bin can give.
	Maintenance bool

	// Why says, for people, why the bin is closed ("is not available") or where
	// its cap comes from ("quota: 9 of 10 instances in use"). "" for a cap that
	// is configured.
	Why string
}

// Headroom is the number of nodes that the bin can still take, at most limit.
func (b Bin) Headroom(limit int64) int64 { return min(limit, b.bounds().room()) }

// closed reports whether the bin takes no nodes now.
func (b Bin) closed() bool { return b.Closed || b.Maintenance }

// aboveCap reports whether the bin has more nodes than its cap.
func (b Bin) aboveCap() bool { return b.Cap != Unlimited && b.Current > b.Cap }

// ideal returns the share q(i) = total * w(i) / W of each bin, in their order.
func ideal(bins []Bin, total int64) []*big.Rat {
	sum := new(big.Int)
	for _, b := range bins {
		sum.Add(sum, big.NewInt(b.Weight))
	}
	shares := make([]*big.Rat, len(bins))
	for i, b := range bins {
		shares[i] = new(big.Rat)
		if b.Weight > 0 {
			nodes := new(big.Int).Mul(big.NewInt(total), big.NewInt(b.Weight))
			shares[i].SetFrac(nodes, sum)
		}
	}
	return shares
}

// check refuses what no plan can be made from.
func check(bins []Bin, count int64) error {
	if count > MaxNodes || count < -MaxNodes {
		return fmt.Errorf("a change of %d nodes is more than can be planned (%d)", count, int64(MaxNodes))
	}
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	seen := make(map[string]bool, len(bins))
	total := max(count, 0)
	for _, b := range bins {
		switch {
		case seen[b.Name]:
			wrong("%q is named twice", b.Name)
		case b.Weight < 0:
			wrong("the weight of %q is %d; a weight is positive, or 0 for a place no longer listed", b.Name, b.Weight)
		case b.Cap < Unlimited:
			wrong("the cap of %q is %d; a cap is 0 or more, or -1 for none", b.Name, b.Cap)
		case b.Current < 0 || b.Current > MaxNodes:
			wrong("%q has %d nodes, which is outside 0 to %d", b.Name, b.Current, int64(MaxNodes))
		case b.Min < 0 || b.Min > MaxNodes:
			wrong("the min of %q is %d, which is outside 0 to %d", b.Name, b.Min, int64(MaxNodes))
		default:
			if total += b.Current; total > MaxNodes {
				return fmt.Errorf("a cluster of more than %d nodes cannot be planned", int64(MaxNodes))
			}
		}
		seen[b.Name] = true
	}
	return errors.Join(errs...)
}

// unit is the (n+1)-th node of a bin: the one that raises its count from n.
type unit struct {
	n      int64
	weight int64
	name   string
}

// cost compares the marginal costs (2n+1)/w of two units, exactly.
func (u unit) cost(v unit) int {
	uh, ul := bits.Mul64(uint64(2*u.n+1), uint64(v.weight))
	vh, vl := bits.Mul64(uint64(2*v.n+1), uint64(u.weight))
	return cmp.Or(cmp.Compare(uh, vh), cmp.Compare(ul, vl))
}

// worth orders units by cost and, of equals, by the larger weight.
func (u unit) worth(v unit) int { return cmp.Or(u.cost(v), cmp.Compare(v.weight, u.weight)) }

// compare orders units by the turn in which they are added: the cheapest first,
// of equals the larger weight, then the name. Removal takes them in the opposite
// order, so that it undoes an addition.
func (u unit) compare(v unit) int { return cmp.Or(u.worth(v), cmp.Compare(u.name, v.name)) }

// Package placement spreads nodes over weighted, capped bins: over regions, and over the availability zones in them.
//
// The ideal share of a bin i of a cluster of N nodes is q(i) = N * w(i) / W, where W is the sum of all weights. A
// plan is the exact minimum of
//
//	sum over i of (n(i) - q(i))^2 / w(i)
//
// within the bounds: additions only raise counts, removals only lower them, no count exceeds its cap and none falls
// below its min. This is apportionment by the method of Webster and Sainte-Laguë. The objective is separable and
// convex, so adding one node after the other at the least marginal cost, (2n+1)/w, solves it exactly; this package
// adds all nodes at once.
//
// The package is pure and deterministic: the same bins give the same plan, in any order, and all comparisons are made
// in integers.
package placement

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// Unlimited is the Cap of a bin without a cap.
const Unlimited = -1

// DefaultWeight is the weight of a region or zone by default.
const DefaultWeight = 100

// MaxNodes is the maximum number of nodes of a plan, existing and requested ones. It keeps every sum and every (2n+1)
// well inside 64 bits.
const MaxNodes = 1_000_000_000_000_000

// Bin is a region or an availability zone: a place that takes nodes.
type Bin struct {
	Name    string
	Weight  int64 // relative share, positive; 0 for a place that is not listed any more, which only loses nodes
	Cap     int64 // maximum number of nodes, or [Unlimited]
	Min     int64 // minimum number of nodes: additions reach it before anything else, and removals keep it
	Current int64 // number of existing nodes
	Kept    int64 // number of existing nodes that are protected: removals keep them
	Closed  bool  // listed, but takes no nodes now; its nodes count, and removals treat it like any other bin

	// Maintenance means that an operator closed the bin: it neither takes nor loses nodes. No move takes from it, and
	// a removal takes only nodes that no other bin can give.
	Maintenance bool

	// Why says, for people, why the bin is closed ("is not available") or where its cap comes from ("quota: 9 of 10
	// instances in use"). It is "" for a cap that is configured.
	Why string
}

// closed reports whether the bin takes no nodes now.
func (b Bin) closed() bool { return b.Closed || b.Maintenance }

// aboveCap reports whether the bin has more nodes than its cap.
func (b Bin) aboveCap() bool { return b.Cap != Unlimited && b.Current > b.Cap }

// ideal returns the share q(i) = total * w(i) / W of each bin, in the order of the bins.
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

// check refuses bins and counts that cannot be planned.
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

// unit is the (n+1)-th node of a bin: it raises the bin's count from n.
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

// worth orders units by cost, and equal ones by the larger weight.
func (u unit) worth(v unit) int { return cmp.Or(u.cost(v), cmp.Compare(v.weight, u.weight)) }

// compare orders units in the order in which they are added: the cheapest first, then the larger weight, then the
// name. Removals use the opposite order, so that they undo additions.
func (u unit) compare(v unit) int { return cmp.Or(u.worth(v), cmp.Compare(u.name, v.name)) }

// limit says what keeps the bin from taking more nodes or, if the change is negative, from losing more: "cap 2", "min
// 1", "not available".
func (b Bin) limit(change int64) string {
	switch {
	case change < 0 && b.Closed && b.Kept >= b.Current:
		return b.state() + ", and keeps its nodes"
	case change < 0 && b.Kept > b.Min:
		return fmt.Sprintf("%d protected", b.Kept)
	case change < 0:
		return fmt.Sprintf("min %d", b.Min)
	case b.Weight == 0:
		return "not listed"
	case b.closed():
		return b.state()
	}
	return cmp.Or(b.Why, fmt.Sprintf("cap %d", b.Cap))
}

// surplus says why removals take from the bin before all others, or returns "".
func (b Bin) surplus() string {
	switch {
	case b.Weight == 0:
		return "not listed"
	case b.aboveCap():
		return fmt.Sprintf("above its cap of %d", b.Cap)
	}
	return ""
}

// why says why a closed bin takes no nodes: "is not available".
func (b Bin) why() string {
	if b.Maintenance {
		return "is closed"
	}
	return cmp.Or(b.Why, "takes no nodes now")
}

// state is why without its verb: "not available".
func (b Bin) state() string {
	return strings.TrimPrefix(strings.TrimPrefix(b.why(), "is "), "has ")
}

// note says in a few words what limits a bin with its nodes.
func (b Bin) note() string {
	surplus := b.surplus()
	switch {
	case b.Maintenance:
		return b.state()
	case b.Weight == 0 && b.Closed:
		return surplus + ", " + b.state()
	case surplus != "":
		return surplus + ": removed first"
	case b.Closed:
		return b.state()
	case b.Current == b.Cap: // "cap" or "quota"
		return "full: " + strings.FieldsFunc(b.limit(1), func(r rune) bool { return r == ' ' || r == ':' })[0]
	case b.Current < b.Min:
		return "below min"
	}
	return ""
}

// bounds has the numbers of nodes that a plan needs to know about a bin, or about a region with its zones. They
// divide its nodes by the turn in which they are removed or added:
//
//	0 ......... low ......... within ......... listed ......... nodes ......... first ......... high
//	    kept      removed last   removed second   removed first     added first     added last
type bounds struct {
	name   string
	weight int64 // 1 if the place is not listed, so that only its nodes count
	nodes  int64 // number of existing nodes

	low    int64 // nodes that removals keep
	within int64 // nodes that are listed and within all caps
	listed int64 // nodes that are in listed places

	mins  int64 // nodes that its min and the mins of its zones need
	short int64 // nodes that are missing for the mins of zones, whatever the other zones have
	high  int64 // maximum number of nodes after additions
}

// bounds returns the bounds of a bin without parts.
func (b Bin) bounds() bounds {
	v := bounds{name: b.Name, weight: max(b.Weight, 1), nodes: b.Current}
	v.low = min(max(b.Min, b.Kept), b.Current)
	v.within, v.listed, v.high = b.Current, b.Current, MaxNodes
	switch {
	case b.Weight == 0:
		v.within, v.listed, v.high = 0, 0, b.Current
	case b.Cap != Unlimited:
		v.within, v.high = min(b.Cap, b.Current), max(min(b.Cap, MaxNodes), b.Current)
	}
	if b.closed() {
		v.high = b.Current
	}
	v.mins = min(b.Min, v.high)
	return v.keeping(v.low)
}

// bounds returns the bounds of a region: its own, and the sums over its zones. A region takes and loses only as many
// nodes as its zones can. It also has the nodes that its zones have beyond their caps, or that are in zones that are
// not listed.
func (r Region) bounds() bounds {
	v := r.Bin.bounds()
	if len(r.Zones) == 0 {
		return v
	}
	var low, within, listed, room, mins int64
	for _, zone := range r.Zones {
		z := zone.bounds()
		low += z.low
		within += z.within
		listed += z.listed
		room = min(MaxNodes, room+z.room())
		mins += z.mins
		v.short += max(0, z.mins-z.nodes)
	}
	v.within, v.listed = min(v.within, within), min(v.listed, listed)
	v.high = min(v.high, v.nodes+room)
	v.mins = min(max(v.mins, mins), v.high)
	return v.keeping(low)
}

// keeping returns the bounds if removals keep at least low nodes.
func (v bounds) keeping(low int64) bounds {
	v.low = max(v.low, low)
	v.within, v.listed = max(v.within, v.low), max(v.listed, v.low)
	return v
}

// room returns the number of nodes that can be added.
func (v bounds) room() int64 { return v.high - v.nodes }

// removable returns the number of nodes that can be removed.
func (v bounds) removable() int64 { return v.nodes - v.low }

// first returns the number of nodes up to which additions come before all others.
func (v bounds) first() int64 { return max(v.nodes, min(max(v.mins, v.nodes+v.short), v.high)) }

// boundsOf returns the bounds of regions, in the order of the regions.
func boundsOf(regions []Region) []bounds {
	list := make([]bounds, len(regions))
	for i, r := range regions {
		list[i] = r.bounds()
	}
	return list
}

func binBounds(bins []Bin) []bounds {
	list := make([]bounds, len(bins))
	for i, b := range bins {
		list[i] = b.bounds()
	}
	return list
}

package placement

import (
	"errors"
	"fmt"
	"math/big"
)

// Region is a bin with the availability zones in it.
type Region struct {
	Bin         // Current is ignored where there are zones: it is their sum
	Zones []Bin // in any order; none: the region itself takes the nodes
}

// RegionChange is the change of a region and that of each of its zones, in the
// order of the zones.
type RegionChange struct {
	Nodes int64
	Zones []int64
}

// DistributeRegions plans on two levels: count nodes over the regions, then
// each region's share over its zones. The changes are in the order of regions.
//
// A region takes no more than its zones can, and gives up no more than they
// can. One with a zone below its min is below its own. Zones belong to their
// region: those of one name in two regions are two zones. For bounds, order and
// errors see [Distribute].
func DistributeRegions(regions []Region, count int64) ([]RegionChange, error) {
	bins := make([]Bin, len(regions))
	for i, r := range regions {
		if err := check(r.Zones, 0); err != nil {
			return nil, fmt.Errorf("region %q: %w", r.Name, err)
		}
		bins[i] = r.bin(max(count, 0))
		if count > 0 {
			bins[i].Min = max(bins[i].Min, bins[i].Current+r.short())
		}
	}
	shares, err := Distribute(bins, count)
	if infeasible, ok := errors.AsType[*InfeasibleError](err); ok {
		for i, r := range regions {
			infeasible.Rooms[i].Limit = r.limit(count)
		}
	}
	if err != nil {
		return nil, err
	}
	changes := make([]RegionChange, len(regions))
	for i, r := range regions {
		changes[i].Nodes = shares[i]
		if len(r.Zones) == 0 {
			continue
		}
		if changes[i].Zones, err = Distribute(r.Zones, shares[i]); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// Total is the region with the nodes of all its zones.
func (r Region) Total() Bin { return r.bin(0) }

// bin is the region as the first level sees it, bounded by what its zones can
// take (looked at up to room) and must keep. Where nodes may be added its min is
// at least the sum of its zones'.
func (r Region) bin(room int64) Bin {
	if len(r.Zones) == 0 {
		return r.Bin
	}
	b := r.Bin
	b.Current, b.Kept = 0, 0
	var headroom, needs int64
	for _, z := range r.Zones {
		b.Current += z.Current
		b.Kept += z.lower()
		needs += min(z.Min, z.Current) + z.short()
		headroom = min(room, headroom+z.Headroom(room))
	}
	if room > 0 {
		b.Min = max(b.Min, needs)
	}
	if headroom < room {
		b.Cap = b.upper(b.Current + headroom)
	}
	return b
}

// short is the number of nodes that zones need up to their mins.
func (r Region) short() (nodes int64) {
	for _, z := range r.Zones {
		nodes += z.short()
	}
	return nodes
}

// Hold returns the regions for a removal that leaves alone what is not usable
// now: closed regions and zones keep all their nodes.
func Hold(regions []Region) []Region {
	held := make([]Region, len(regions))
	for i, r := range regions {
		held[i] = Region{Bin: r.hold(r.Closed), Zones: make([]Bin, len(r.Zones))}
		for j, z := range r.Zones {
			held[i].Zones[j] = z.hold(r.Closed || z.Closed)
		}
	}
	return held
}

func (b Bin) hold(closed bool) Bin {
	if closed {
		b.Closed, b.Kept = true, b.Current
	}
	return b
}

// CountRegions returns the listed regions and zones with the nodes that counts
// (region, then zone) has for them. After them, by name, come those that nobody
// lists where nodes are; see [Count]. A region that lists no zones counts those
// of all zones.
func CountRegions(listed []Region, counts map[string]map[string]int64) []Region {
	totals := make(map[string]int64, len(counts))
	for region, zones := range counts {
		for _, n := range zones {
			totals[region] += n
		}
	}
	bins := make([]Bin, len(listed))
	for i, r := range listed {
		bins[i] = r.Bin
	}
	var regions []Region
	for i, b := range Count(bins, totals) {
		region := Region{Bin: b}
		if i < len(listed) && len(listed[i].Zones) > 0 {
			region.Zones = Count(listed[i].Zones, counts[b.Name])
		}
		regions = append(regions, region)
	}
	return regions
}

// Nodes is the number of nodes that are in the region now.
func (r Region) Nodes() int64 {
	if len(r.Zones) == 0 {
		return r.Current
	}
	var nodes int64
	for _, z := range r.Zones {
		nodes += z.Current
	}
	return nodes
}

// IdealZones returns the ideal share of each zone of a region: of the region's
// own share, so that shares of all zones add up to the cluster.
func IdealZones(region *big.Rat, zones []Bin) []*big.Rat {
	shares := Ideal(zones, 1)
	for i, share := range shares {
		shares[i] = share.Mul(share, region)
	}
	return shares
}

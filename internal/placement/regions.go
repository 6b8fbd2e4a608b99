package placement

import (
	"errors"
	"fmt"
)

// regionChange is the change of a region and that of each of its zones, in the
// order of the zones.
type regionChange struct {
	nodes int64
	zones []int64
}

// distributeRegions plans on two levels: count nodes over the regions, then
// each region's share over its zones. The changes are in the order of regions.
func distributeRegions(regions []Region, count int64) ([]regionChange, error) {
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
		infeasible.Rooms = roomsOf(regions, count)
	}
	if err != nil {
		return nil, err
	}
	changes := make([]regionChange, len(regions))
	for i, r := range regions {
		changes[i].nodes = shares[i]
		if len(r.Zones) == 0 {
			continue
		}
		if changes[i].zones, err = Distribute(r.Zones, shares[i]); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

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

// hold returns the regions for a change that leaves some of them, and some zones,
// alone: those keep all their nodes.
func hold(regions []Region, alone func(Bin) bool) []Region {
	held := make([]Region, len(regions))
	for i, r := range regions {
		held[i] = Region{Bin: r.hold(alone(r.Bin)), Zones: make([]Bin, len(r.Zones))}
		for j, z := range r.Zones {
			held[i].Zones[j] = z.hold(alone(r.Bin) || alone(z))
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

package placement

import "fmt"

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
// can. Zones belong to their region: those of one name in two regions are two
// zones. For bounds, order and errors see [Distribute].
func DistributeRegions(regions []Region, count int64) ([]RegionChange, error) {
	bins := make([]Bin, len(regions))
	for i, r := range regions {
		if err := check(r.Zones, 0); err != nil {
			return nil, fmt.Errorf("region %q: %w", r.Name, err)
		}
		bins[i] = r.bin(max(count, 0))
	}
	shares, err := Distribute(bins, count)
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

// bin is the region as the first level sees it, bounded by what its zones can
// take (looked at up to room) and must keep.
func (r Region) bin(room int64) Bin {
	if len(r.Zones) == 0 {
		return r.Bin
	}
	b := r.Bin
	b.Current = 0
	var headroom, kept int64
	for _, z := range r.Zones {
		b.Current += z.Current
		headroom += min(room-headroom, z.Headroom(room))
		kept += z.lower()
	}
	b.Min = max(b.Min, kept)
	if headroom < room {
		b.Cap = b.upper(b.Current + headroom)
	}
	return b
}

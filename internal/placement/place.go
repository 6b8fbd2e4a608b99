package placement

import (
	"cmp"
	"maps"
	"slices"
)

// Place is a region and an availability zone in it. An empty zone leaves the choice to Nova.
type Place struct {
	Region string `json:"region,omitempty"`
	Zone   string `json:"zone,omitempty"`
}

// String returns "RegionOne/az-1", or the region alone.
func (p Place) String() string {
	if p.Zone == "" {
		return p.Region
	}
	return p.Region + "/" + p.Zone
}

// Compare orders places by region, then by zone.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Region, q.Region), cmp.Compare(p.Zone, q.Zone))
}

// Counts are numbers of nodes by place: existing ones, or additions (negative numbers are removals).
type Counts map[Place]int64

// Total returns the sum of all numbers.
func (c Counts) Total() (total int64) {
	for _, n := range c {
		total += n
	}
	return total
}

// ByRegion adds up the numbers of each region.
func (c Counts) ByRegion() map[string]int64 {
	regions := map[string]int64{}
	for at, n := range c {
		regions[at.Region] += n
	}
	return regions
}

// ByZone returns the absolute numbers by region and zone: removals are positive too.
func (c Counts) ByZone() map[string]map[string]int64 {
	regions := map[string]map[string]int64{}
	for at, n := range c {
		if regions[at.Region] == nil {
			regions[at.Region] = map[string]int64{}
		}
		regions[at.Region][at.Zone] = max(n, -n)
	}
	return regions
}

// Places lists the places in their order.
func (c Counts) Places() []Place { return slices.SortedFunc(maps.Keys(c), Place.Compare) }

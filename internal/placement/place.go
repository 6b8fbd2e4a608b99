package placement

import (
	"cmp"
	"encoding/json"
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

// By is a map by place. In JSON it is a map by region of maps by zone.
type By[V any] map[Place]V

// MarshalJSON writes the map. Equal maps have equal texts.
func (m By[V]) MarshalJSON() ([]byte, error) {
	regions := map[string]map[string]V{}
	for at, v := range m {
		if regions[at.Region] == nil {
			regions[at.Region] = map[string]V{}
		}
		regions[at.Region][at.Zone] = v
	}
	return json.Marshal(regions)
}

// UnmarshalJSON reads a text of MarshalJSON.
func (m *By[V]) UnmarshalJSON(text []byte) error {
	var regions map[string]map[string]V
	if err := json.Unmarshal(text, &regions); err != nil {
		return err
	}
	*m = By[V]{}
	for region, zones := range regions {
		for zone, v := range zones {
			(*m)[Place{region, zone}] = v
		}
	}
	return nil
}

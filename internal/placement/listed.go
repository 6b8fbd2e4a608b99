package placement

import "slices"

// Zoned reports whether a region is listed with zones.
func Zoned(listed []Region, region string) bool {
	return slices.ContainsFunc(listed, func(r Region) bool { return r.Name == region && len(r.Zones) > 0 })
}

// Choice is a place as a server asks for it: where a region lists no zones Nova chooses one.
func Choice(listed []Region, at Place) Place {
	if !Zoned(listed, at.Region) {
		at.Zone = ""
	}
	return at
}

// Lists reports whether a place is listed.
func Lists(listed []Region, at Place) bool {
	return slices.ContainsFunc(listed, func(r Region) bool {
		return r.Name == at.Region && (at.Zone == "" || len(r.Zones) == 0 ||
			slices.ContainsFunc(r.Zones, func(z Bin) bool { return z.Name == at.Zone }))
	})
}

// Places lists the zones of a region or, without any, the region itself.
func (r Region) Places() (places []Place) {
	for _, zone := range r.Zones {
		places = append(places, Place{Region: r.Name, Zone: zone.Name})
	}
	if len(r.Zones) == 0 {
		places = append(places, Place{Region: r.Name})
	}
	return places
}

// Regions lists the regions and zones that have nodes, by name, so that these nodes lie where they should. A region
// with a node in no zone lists no zones.
func (c Counts) Regions() (regions []Region) {
	free := func(name string) Bin { return Bin{Name: name, Cap: Unlimited} }
	for _, at := range c.Places() {
		if len(regions) == 0 || regions[len(regions)-1].Name != at.Region {
			regions = append(regions, Region{Bin: free(at.Region)})
		}
		region := &regions[len(regions)-1]
		if c[Place{Region: at.Region}] == 0 {
			region.Zones = append(region.Zones, free(at.Zone))
		}
	}
	return regions
}

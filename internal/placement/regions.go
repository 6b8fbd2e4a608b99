package placement

import "fmt"

// distribute plans on two levels: count nodes over the regions, then each region's share over its zones.
func (b *Board) distribute(count int64) (Counts, error) {
	bins := make([]Bin, len(b.regions))
	for i, r := range b.regions {
		if err := check(r.Zones, 0); err != nil {
			return nil, fmt.Errorf("region %q: %w", r.Name, err)
		}
		bins[i] = r.Bin
	}
	if err := check(bins, count); err != nil {
		return nil, err
	}
	list := boundsOf(b.regions)
	if !feasible(list, count) {
		return nil, &InfeasibleError{Count: count, Rooms: roomsOf(b.regions, list, count)}
	}
	changes := Counts{}
	add := func(i, zone int, n int64) {
		if n != 0 {
			changes[b.place(spot{i, zone})] = n
		}
	}
	for i, n := range spread(list, count) {
		if len(b.regions[i].Zones) == 0 {
			add(i, -1, n)
			continue
		}
		for j, m := range spread(binBounds(b.regions[i].Zones), n) {
			add(i, j, m)
		}
	}
	return changes, nil
}

// hold returns the regions for a change in which the places that alone selects keep all their nodes.
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

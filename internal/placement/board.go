package placement

import (
	"cmp"
	"maps"
	"slices"
)

// Region is a region with the availability zones that are listed in it.
type Region struct {
	Bin
	Zones []Bin // in any order; without zones the region itself takes the nodes
}

// Board is a cluster as placement sees it: the listed places and, after them by name, the places that are not listed
// but have nodes, each with the number of its nodes. Every plan of where nodes are placed uses a board.
//
// It has two levels: nodes are spread over the regions, and the share of each region over its zones. A region takes
// and loses only as many nodes as its zones can. A region with a zone below its min counts as below its own min. A
// region with nodes in a zone that is not listed, or above a zone's cap, is the first to lose them. Zones belong to
// their region: zones of one name in two regions are two zones.
//
// If a region lists no zones, its nodes are counted in the region, whatever their zone. If it lists zones, a node
// without a zone is counted in a zone without a name, which is not listed.
type Board struct {
	regions []Region
	spots   map[Place]spot
}

// spot is a place by the indices of its region and zone on the board; the zone is -1 in a region that lists no zones.
type spot struct{ region, zone int }

// NewBoard returns a board of the listed places with the given nodes.
func NewBoard(listed []Region, nodes Counts) *Board {
	byRegion, byZone := nodes.ByRegion(), map[string]map[string]int64{}
	for at, n := range nodes {
		if byZone[at.Region] == nil {
			byZone[at.Region] = map[string]int64{}
		}
		byZone[at.Region][at.Zone] += n
	}
	bins := make([]Bin, len(listed))
	for i, r := range listed {
		bins[i] = r.Bin
	}
	var regions []Region
	for i, b := range count(bins, byRegion) {
		region := Region{Bin: b}
		if i < len(listed) && len(listed[i].Zones) > 0 {
			region.Zones = count(listed[i].Zones, byZone[b.Name])
			for j := range region.Zones {
				region.Zones[j].Maintenance = region.Zones[j].Maintenance || b.Maintenance
			}
		}
		regions = append(regions, region)
	}
	return newBoard(regions)
}

// newBoard returns the board of regions that already have their nodes.
func newBoard(regions []Region) *Board {
	b := &Board{regions: regions, spots: map[Place]spot{}}
	for i, r := range regions {
		if len(r.Zones) > 0 {
			regions[i].Current = 0
		} else {
			b.spots[Place{Region: r.Name}] = spot{i, -1}
		}
		for j, z := range r.Zones {
			b.spots[Place{r.Name, z.Name}] = spot{i, j}
			regions[i].Current += z.Current
		}
	}
	return b
}

// count returns the listed bins with their numbers of nodes and, after them by name, a bin for each other place with
// nodes.
func count(listed []Bin, counts map[string]int64) []Bin {
	bins := slices.Clone(listed)
	names := make(map[string]bool, len(bins))
	for i, b := range bins {
		names[b.Name] = true
		bins[i].Current = counts[b.Name]
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if !names[name] && counts[name] > 0 {
			bins = append(bins, Bin{Name: name, Current: counts[name]})
		}
	}
	return bins
}

// Clone returns a copy that can be changed.
func (b *Board) Clone() *Board {
	regions := slices.Clone(b.regions)
	for i := range regions {
		regions[i].Zones = slices.Clone(regions[i].Zones)
	}
	return &Board{regions, b.spots}
}

// Counted returns the place in which the nodes of a place are counted: the place itself or, in a region that lists no
// zones, the region. It returns false for a place that is neither listed nor has nodes.
func (b *Board) Counted(at Place) (Place, bool) {
	if _, there := b.spots[at]; there {
		return at, true
	}
	whole := Place{Region: at.Region}
	s, there := b.spots[whole]
	return whole, there && s.zone < 0
}

// counted returns the spot in which the nodes of a place are counted.
func (b *Board) counted(at Place) (spot, bool) {
	at, there := b.Counted(at)
	return b.spots[at], there
}

func (b *Board) at(s spot) *Bin {
	if s.zone < 0 {
		return &b.regions[s.region].Bin
	}
	return &b.regions[s.region].Zones[s.zone]
}

// place returns the place of a spot.
func (b *Board) place(s spot) Place {
	region := b.regions[s.region]
	if s.zone < 0 {
		return Place{Region: region.Name}
	}
	return Place{region.Name, region.Zones[s.zone].Name}
}

// Add adds nodes to a place, or removes them if the number is negative. It returns false, and does nothing, if the
// place is not on the board.
func (b *Board) Add(at Place, nodes int64) bool {
	s, there := b.counted(at)
	if there {
		b.add(s, nodes)
	}
	return there
}

func (b *Board) add(s spot, nodes int64) {
	b.regions[s.region].Current += nodes
	if s.zone >= 0 {
		b.regions[s.region].Zones[s.zone].Current += nodes
	}
}

// Keep protects a number of further nodes of a place from removals. It returns false, and does nothing, if the place
// is not on the board.
func (b *Board) Keep(at Place, nodes int64) bool {
	s, there := b.counted(at)
	if there {
		b.at(s).Kept += nodes
	}
	return there
}

// Close closes a place, so that it takes no nodes. A place without a zone is the whole region.
func (b *Board) Close(at Place) {
	for i := range b.regions {
		if b.regions[i].Name == at.Region && at.Zone == "" {
			b.regions[i].Closed = true
		}
	}
	if s, there := b.spots[at]; there {
		b.at(s).Closed = true
	}
}

// Why says why a listed place takes no nodes now, such as "is not available", or "" if it takes some.
func (b *Board) Why(at Place) string {
	s, there := b.counted(at)
	if !there {
		return ""
	}
	switch region, bin := b.regions[s.region], b.at(s); {
	case region.Weight == 0:
	case region.closed():
		return region.why()
	case bin.closed():
		return bin.why()
	}
	return ""
}

// Takes reports whether a place can take one more node: it is listed, neither it nor its region is closed, and both
// are below their caps.
func (b *Board) Takes(at Place) bool {
	s, there := b.counted(at)
	if !there {
		return false
	}
	return b.regions[s.region].bounds().room() > 0 && b.at(s).bounds().room() > 0
}

// keepMaintained returns the board on which places that are closed for maintenance keep all their nodes.
func (b *Board) keepMaintained() *Board {
	closed := func(bin Bin) bool { return bin.Maintenance }
	some := func(r Region) bool { return closed(r.Bin) || slices.ContainsFunc(r.Zones, closed) }
	if !slices.ContainsFunc(b.regions, some) {
		return b
	}
	return &Board{hold(b.regions, closed), b.spots}
}

// HoldRegion keeps all nodes of a region.
func (b *Board) HoldRegion(name string) {
	for i := range b.regions {
		if b.regions[i].Name == name {
			b.regions[i] = hold(b.regions[i:i+1], func(Bin) bool { return true })[0]
		}
	}
}

// DropMins sets the mins of all places to 0.
func (b *Board) DropMins() {
	for i := range b.regions {
		b.regions[i].Min = 0
		for j := range b.regions[i].Zones {
			b.regions[i].Zones[j].Min = 0
		}
	}
}

// LowerMins lowers each min to the number of nodes of the place on another board, which has the same places.
func (b *Board) LowerMins(to *Board) {
	for i := range b.regions {
		b.regions[i].Min = min(b.regions[i].Min, to.regions[i].Current)
		for j := range b.regions[i].Zones {
			zone := &b.regions[i].Zones[j]
			zone.Min = min(zone.Min, to.regions[i].Zones[j].Current)
		}
	}
}

// Distribute plans the addition of count nodes or, if count is negative, the removal of that many. It returns the
// change of each place that changes. For order, bounds and errors see [Distribute]. A place that is closed for
// maintenance loses only nodes that no other place can give.
func (b *Board) Distribute(count int64) (Counts, error) {
	changes, err := b.keepMaintained().distribute(count)
	infeasible, ok := asInfeasible(err)
	if !ok || count >= 0 {
		return changes, err
	}
	if _, err := b.distribute(count); err != nil {
		return nil, err
	}
	changes, err = b.keepMaintained().distribute(-infeasible.Room())
	if err != nil {
		return nil, err
	}
	rest, err := b.after(changes).distribute(count + infeasible.Room())
	for at, n := range rest {
		changes[at] += n
	}
	return changes, err
}

// Grow adds a number of nodes, as many as find room, and keeps them.
func (b *Board) Grow(nodes int64) {
	added, err := b.Distribute(nodes)
	if infeasible, ok := asInfeasible(err); ok {
		added, _ = b.Distribute(infeasible.Room())
	}
	for at, n := range added {
		b.Add(at, n)
		b.Keep(at, n)
	}
}

// First returns the place from which a removal takes its next node, as [Board.Distribute] with a count of -1 does,
// but looks at each place only once. If two places are equally good to take from, tie compares them; if it returns 0,
// their names decide. First returns false if no place may lose a node.
func (b *Board) First(tie func(p, q Place) int) (Place, bool) {
	for _, board := range []*Board{b.keepMaintained(), b} {
		if s, ok := board.leaving(func(x, y spot) int { return tie(b.place(x), b.place(y)) }); ok {
			return b.place(s), true
		}
	}
	return Place{}, false
}

// Move returns the next move of one node that makes the spread strictly better: from the place that a removal takes
// from, to the place that an addition then fills. It looks at regions first, then at the zones within each, in the
// order of the regions' names. A node of a zone that is not listed or above its cap moves within its region or to
// another one, wherever an addition would place it. No move takes from a place that is closed for maintenance.
func (b *Board) Move() (from, to Place, ok bool) {
	x, y, ok := b.keepMaintained().moving()
	if !ok {
		return from, to, false
	}
	return b.place(x), b.place(y), true
}

// WhyLoses says why removals take from a place before all others ("it is not listed") or after them. It returns "" if
// only the place's share decides.
func (b *Board) WhyLoses(at Place) string {
	s, there := b.counted(at)
	if !there {
		return ""
	}
	region, bin := b.regions[s.region].Bin, b.at(s)
	switch why := cmp.Or(bin.surplus(), region.surplus()); {
	case bin.Maintenance:
		return "it is closed, and no open place can lose a node"
	case why != "":
		return "it is " + why
	}
	return ""
}

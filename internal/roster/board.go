package roster

import (
	"cmp"
	"math"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// board is the cluster as placement sees it, with the nodes that may leave each
// place in their turn.
type board struct {
	regions []placement.Region
	spots   map[Place]placement.Spot
	queues  map[placement.Spot][]string
	kept    map[placement.Spot]int64 // nodes that stay
	turn    func(name string) int    // a node's turn by the criterion
}

// count is the board of which no node may leave.
func (p *planner) count() *board {
	b := &board{spots: map[Place]placement.Spot{}, queues: map[placement.Spot][]string{}, kept: map[placement.Spot]int64{}, turn: p.turn}
	b.regions = placement.CountRegions(p.policy.Regions, p.next.Counts())
	for i := range b.regions {
		region := &b.regions[i]
		at := Place{Region: region.Name}
		b.spots[at] = placement.Spot{Region: i, Zone: -1}
		region.Closed = region.Closed || p.full[at]
		for j := range region.Zones {
			zone := &region.Zones[j]
			at := Place{region.Name, zone.Name}
			b.spots[at] = placement.Spot{Region: i, Zone: j}
			zone.Closed = zone.Closed || p.full[at]
		}
	}
	return b
}

// board is the board of which the nodes that are free may leave; where mins are
// kept, a listed place keeps its min as well.
func (p *planner) board(free func(name string) bool, keepMins bool) *board {
	b := p.count()
	for name, n := range p.next.Nodes {
		if at := b.spot(n.Place); free(name) {
			b.queues[at] = append(b.queues[at], name)
		} else {
			b.kept[at]++
		}
	}
	for _, queue := range b.queues {
		slices.SortFunc(queue, func(x, y string) int { return cmp.Compare(p.turn(x), p.turn(y)) })
	}
	for i := range b.regions {
		region := &b.regions[i]
		if !keepMins {
			region.Min = 0
			for j := range region.Zones {
				region.Zones[j].Min = 0
			}
		}
		b.hold(placement.Spot{Region: i, Zone: -1})
		for j := range region.Zones {
			b.hold(placement.Spot{Region: i, Zone: j})
		}
	}
	return b
}

// hold makes a bin keep the nodes that stay in it.
func (b *board) hold(spot placement.Spot) {
	bin := placement.At(b.regions, spot)
	bin.Min = max(bin.Min, b.kept[spot])
}

// turn is the place of a node in the order of the criterion.
func (p *planner) turn(name string) int { return p.rank[name] }

// spot is where a node is counted: in its zone, or in its region where that
// lists no zones.
func (b *board) spot(at Place) placement.Spot {
	if spot, ok := b.spots[at]; ok && (spot.Zone >= 0 || len(b.regions[spot.Region].Zones) == 0) {
		return spot
	}
	return b.spots[Place{Region: at.Region}]
}

// place is the name of a spot.
func (b *board) place(spot placement.Spot) Place {
	region := b.regions[spot.Region]
	if spot.Zone < 0 {
		return Place{Region: region.Name}
	}
	return Place{region.Name, region.Zones[spot.Zone].Name}
}

// leaving is the next node to leave: of the place that placement says, the first
// in the queue. Of two equally good places the one whose first node leaves
// earlier by the criterion.
func (b *board) leaving() (name string, spot placement.Spot, ok bool) {
	spot, ok = placement.Leaving(b.regions, func(x, y placement.Spot) int {
		return cmp.Compare(b.firstTurn(x), b.firstTurn(y))
	})
	if !ok {
		return "", spot, false
	}
	return b.queues[spot][0], spot, true
}

// firstTurn is the turn of the first node in a queue.
func (b *board) firstTurn(spot placement.Spot) int {
	if len(b.queues[spot]) == 0 {
		return math.MaxInt
	}
	return b.turn(b.queues[spot][0])
}

// leave removes the first node of a spot or, if it does not leave after all,
// makes it one of those that stay.
func (b *board) leave(spot placement.Spot, leaves bool) {
	b.queues[spot] = b.queues[spot][1:]
	placement.At(b.regions, spot).Current--
	if !leaves {
		b.arrive(spot, 1)
	}
}

// arrive counts nodes that have no name yet; they stay.
func (b *board) arrive(spot placement.Spot, n int64) {
	placement.At(b.regions, spot).Current += n
	b.kept[spot] += n
	b.hold(spot)
}

// settle counts nodes that are placed.
func (b *board) settle(changes []placement.RegionChange) {
	for i, c := range changes {
		if len(b.regions[i].Zones) == 0 {
			b.arrive(placement.Spot{Region: i, Zone: -1}, c.Nodes)
		}
		for j, n := range c.Zones {
			b.arrive(placement.Spot{Region: i, Zone: j}, n)
		}
	}
}

// beyond says why removals take from a spot before all others, "" where that is
// only its share.
func (b *board) beyond(spot placement.Spot) string {
	if why := beyond(*placement.At(b.regions, spot)); why != "" {
		return why
	}
	return beyond(b.regions[spot.Region].Total())
}

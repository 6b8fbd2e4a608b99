package roster

import (
	"cmp"
	"errors"
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
	rank    map[string]int // a node's turn by the criterion
}

// count is the board of which no node may leave.
func (p *planner) count() *board {
	b := &board{spots: map[Place]placement.Spot{}, queues: map[placement.Spot][]string{}, rank: p.rank}
	b.regions = placement.CountRegions(p.policy.Regions, p.next.Counts())
	for i, region := range b.regions {
		if len(region.Zones) == 0 {
			b.spots[Place{Region: region.Name}] = placement.Spot{Region: i, Zone: -1}
		}
		for j, zone := range region.Zones {
			b.spots[Place{region.Name, zone.Name}] = placement.Spot{Region: i, Zone: j}
		}
	}
	b.shut(p.full)
	return b
}

// shut closes places.
func (b *board) shut(full map[Place]bool) {
	for at := range full {
		shut(b.regions, at)
	}
}

// shut closes a place; one without a zone is the whole region.
func shut(regions []placement.Region, at Place) {
	for i := range regions {
		if regions[i].Name != at.Region {
			continue
		}
		if at.Zone == "" {
			regions[i].Closed = true
		}
		for j := range regions[i].Zones {
			if zone := &regions[i].Zones[j]; zone.Name == at.Zone {
				zone.Closed = true
			}
		}
	}
}

// board is the board of which the nodes that are free may leave; where mins are
// kept, a listed place keeps its min as well.
func (p *planner) board(free func(name string) bool, keepMins bool) *board {
	b := p.count()
	for name, n := range p.next.Nodes {
		if at := b.spot(n.Place); free(name) {
			b.queues[at] = append(b.queues[at], name)
		} else {
			placement.At(b.regions, at).Kept++
		}
	}
	for _, queue := range b.queues {
		slices.SortFunc(queue, func(x, y string) int { return cmp.Compare(p.rank[x], p.rank[y]) })
	}
	for i := range b.regions {
		region := &b.regions[i]
		if !keepMins {
			region.Min = 0
			for j := range region.Zones {
				region.Zones[j].Min = 0
			}
		}
	}
	return b
}

// spot is where a node is counted: in its zone, or in its region where that
// lists no zones.
func (b *board) spot(at Place) placement.Spot {
	if spot, ok := b.spots[at]; ok {
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
	return b.rank[b.queues[spot][0]]
}

// leave removes the first node of a spot or, if it does not leave after all,
// makes it one of those that stay.
func (b *board) leave(spot placement.Spot, leaves bool) {
	b.queues[spot] = b.queues[spot][1:]
	if leaves {
		placement.At(b.regions, spot).Current--
	} else {
		placement.At(b.regions, spot).Kept++
	}
}

// grown returns the regions once a number of nodes are added, which stay; as many
// as find room.
func (b *board) grown(count int64) []placement.Region {
	regions := clone(b.regions)
	changes, err := placement.DistributeRegions(regions, count)
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		changes, _ = placement.DistributeRegions(regions, infeasible.Room())
	}
	for i, c := range changes {
		for j, n := range c.Zones {
			regions[i].Zones[j].Current += n
			regions[i].Zones[j].Kept += n
		}
		regions[i].Current += c.Nodes // counts only where there are no zones
		regions[i].Kept += c.Nodes
	}
	return regions
}

// clone is a copy of regions that can be changed.
func clone(regions []placement.Region) []placement.Region {
	regions = slices.Clone(regions)
	for i := range regions {
		regions[i].Zones = slices.Clone(regions[i].Zones)
	}
	return regions
}

// beyond says why removals take from a spot before all others, "" where that is
// only its share.
func (b *board) beyond(spot placement.Spot) string {
	if why := beyond(*placement.At(b.regions, spot)); why != "" {
		return why
	}
	return beyond(b.regions[spot.Region].Total())
}

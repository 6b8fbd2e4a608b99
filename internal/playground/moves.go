package playground

import (
	"fmt"
	"math/big"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Move is one node that is added or removed, and how its place was chosen.
type Move struct {
	Place  string  `json:"place"`
	Levels []Level `json:"levels"` // the regions, and the zones of the one that was chosen
}

// Level is a choice between places.
type Level struct {
	Of      string   `json:"of"` // "regions", or the region that the zones are in
	Options []Option `json:"options"`
}

// Option is a place that could have been chosen.
type Option struct {
	Name   string `json:"name"`
	Sum    string `json:"sum"` // "(2 × 3 + 1) / 200 = 0.0350"
	Note   string `json:"note"`
	Chosen bool   `json:"chosen"`
}

// moves are the steps from a roster to the next, in the order in which placement
// makes them, and the number of those that are left out.
func moves(listed []placement.Region, before, after roster.Roster) ([]Move, int64, error) {
	counts, then := before.Counts(), after.Counts()
	delta := int64(len(after.Nodes) - len(before.Nodes))
	grows, total := delta > 0, max(delta, -delta)
	var list []Move
	for range min(total, maxSteps) {
		regions := placement.CountRegions(listed, counts)
		spot, err := choose(regions, grows, then)
		if err != nil {
			return nil, 0, err
		}
		at := roster.Place{Region: regions[spot.Region].Name}
		move := Move{Levels: []Level{level("regions", totals(regions), spot.Region, grows)}}
		if spot.Zone >= 0 {
			zones := regions[spot.Region].Zones
			at.Zone = zones[spot.Zone].Name
			move.Levels = append(move.Levels, level(at.Region, zones, spot.Zone, grows))
		}
		move.Place = at.String()
		list = append(list, move)
		if counts[at.Region] == nil {
			counts[at.Region] = map[string]int64{}
		}
		if grows {
			counts[at.Region][at.Zone]++
		} else {
			counts[at.Region][at.Zone]--
		}
	}
	return list, total - int64(len(list)), nil
}

// choose is the place of the next node. Of places that are equally good to take
// from, the one is chosen that loses nodes in the end: there the age of the nodes
// decided.
func choose(regions []placement.Region, grows bool, then map[string]map[string]int64) (placement.Spot, error) {
	if grows {
		changes, err := placement.DistributeRegions(regions, 1)
		for i, c := range changes {
			if c.Nodes == 0 {
				continue
			}
			for j, n := range c.Zones {
				if n > 0 {
					return placement.Spot{Region: i, Zone: j}, nil
				}
			}
			return placement.Spot{Region: i, Zone: -1}, nil
		}
		return placement.Spot{}, err
	}
	surplus := func(s placement.Spot) int64 {
		bin := placement.At(regions, s)
		zone := bin.Name
		if s.Zone < 0 {
			zone = ""
		}
		return bin.Current - then[regions[s.Region].Name][zone]
	}
	spot, ok := placement.Leaving(regions, func(a, b placement.Spot) int {
		switch x, y := surplus(a) > 0, surplus(b) > 0; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	if !ok {
		return spot, fmt.Errorf("no place may lose a node")
	}
	return spot, nil
}

// totals are the regions with the nodes of their zones.
func totals(regions []placement.Region) []placement.Bin {
	bins := make([]placement.Bin, len(regions))
	for i, r := range regions {
		bins[i] = r.Bin
		bins[i].Current = r.Nodes()
		full := len(r.Zones) > 0
		for _, z := range r.Zones {
			full = full && z.Headroom(1) == 0
		}
		bins[i].Closed = full
	}
	return bins
}

// level is a choice between bins with its arithmetic.
func level(of string, bins []placement.Bin, chosen int, grows bool) Level {
	l := Level{Of: of}
	for i, b := range bins {
		o := Option{Name: b.Name, Chosen: i == chosen}
		sign, n := "-", 2*b.Current-1
		if grows {
			sign, n = "+", 2*b.Current+1
		}
		if b.Weight > 0 {
			o.Sum = fmt.Sprintf("(2 × %d %s 1) / %d = %s", b.Current, sign, b.Weight, big.NewRat(n, b.Weight).FloatString(4))
		}
		switch {
		case b.Weight == 0:
			o.Note = "not listed"
		case grows && b.Headroom(1) == 0:
			o.Sum, o.Note = "", "full"
		case grows && b.Current < b.Min:
			o.Note = fmt.Sprintf("below its min of %d", b.Min)
		case !grows && b.Current == 0:
			o.Sum, o.Note = "", "empty"
		case !grows && b.Current <= b.Min:
			o.Sum, o.Note = "", fmt.Sprintf("keeps its min of %d", b.Min)
		case !grows && b.Cap != placement.Unlimited && b.Current > b.Cap:
			o.Note = fmt.Sprintf("above its cap of %d", b.Cap)
		}
		l.Options = append(l.Options, o)
	}
	return l
}

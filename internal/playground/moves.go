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
	Levels []Level `json:"levels"` // the regions, and the zones of the chosen region
}

// Level is a choice between places.
type Level struct {
	Of      string   `json:"of"` // "regions", or the region of the zones
	Options []Option `json:"options"`
}

// Option is a place that could have been chosen.
type Option struct {
	Name   string `json:"name"`
	Sum    string `json:"sum"` // "(2 × 3 + 1) / 200 = 0.0350"
	Note   string `json:"note"`
	Chosen bool   `json:"chosen"`
}

// moves returns the steps from a roster to the next, in the order in which placement makes them, and the number of
// steps that are left out.
func moves(listed []placement.Region, before, after roster.Roster) ([]Move, int64, error) {
	counts, then := before.Counts(), after.Counts()
	delta := int64(len(after.Nodes) - len(before.Nodes))
	step, total := int64(1), delta
	if delta < 0 {
		step, total = -1, -delta
	}
	var list []Move
	for range min(total, maxSteps) {
		board := placement.NewBoard(listed, counts)
		at, err := choose(board, step, then)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, Move{at.String(), levels(board, at, step > 0)})
		counts[at] += step
	}
	return list, total - int64(len(list)), nil
}

// choose returns the place of the next node. If places are equally good to take from, the place that loses nodes in
// the end is chosen: there the age of the nodes decided.
func choose(board *placement.Board, step int64, then placement.Counts) (placement.Place, error) {
	if step > 0 {
		change, err := board.Distribute(step)
		for at := range change { // the only one
			return at, nil
		}
		return placement.Place{}, err
	}
	surplus := map[placement.Place]bool{}
	for _, row := range board.Rows() {
		surplus[row.Place] = row.Bin.Current > then[row.Place]
	}
	at, ok := board.First(func(p, q placement.Place) int {
		switch x, y := surplus[p], surplus[q]; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	if !ok {
		return at, fmt.Errorf("no place may lose a node")
	}
	return at, nil
}

// levels returns the choices that lead to a place: between the regions, and between the zones of its region.
func levels(board *placement.Board, at placement.Place, grows bool) []Level {
	regions, zones := Level{Of: "regions"}, Level{Of: at.Region}
	full := map[string]bool{} // regions without a zone that has room
	for _, row := range board.Rows() {
		if row.IsZone {
			_, before := full[row.Region]
			full[row.Region] = row.Bin.Headroom(1) == 0 && (full[row.Region] || !before)
		}
	}
	for _, row := range board.Rows() {
		switch {
		case !row.IsZone:
			row.Bin.Closed = full[row.Region]
			regions.Options = append(regions.Options, option(row.Bin, row.Region == at.Region, grows))
		case row.Region == at.Region:
			zones.Options = append(zones.Options, option(row.Bin, row.Zone == at.Zone, grows))
		}
	}
	if len(zones.Options) == 0 {
		return []Level{regions}
	}
	return []Level{regions, zones}
}

// option returns a place that could be chosen, with its arithmetic.
func option(b placement.Bin, chosen, grows bool) Option {
	o := Option{Name: b.Name, Chosen: chosen}
	sign, n := "-", 2*b.Current-1
	if grows {
		sign, n = "+", 2*b.Current+1
	}
	if b.Weight > 0 {
		o.Sum = fmt.Sprintf("(2 × %d %s 1) / %d = %s",
			b.Current, sign, b.Weight, big.NewRat(n, b.Weight).FloatString(4))
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
	return o
}

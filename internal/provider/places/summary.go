package places

import (
	"fmt"
	"math/big"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Summary is a table for people: a line for each bin, with its nodes now and
// after the change, its ideal share of all nodes, its cap, and a note.
func Summary(kind string, bins []placement.Bin, changes []int64, notes map[string]string) string {
	var now, after int64
	for i, b := range bins {
		now += b.Current
		after += b.Current + changes[i]
	}
	rows := [][]string{{kind, "now", "after", "ideal", "cap", ""}}
	for i, share := range placement.Ideal(bins, after) {
		rows = append(rows, append([]string{PlaceName(bins[i].Name)}, BinCells(bins[i], changes[i], share, notes[bins[i].Name])...))
	}
	rows = append(rows, []string{"total", fmt.Sprint(now), fmt.Sprint(after), "", "", ""})
	return text.Table(rows, 1)
}

// PlaceName shows the place of nodes that have none yet.
func PlaceName(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// BinCells are a bin's nodes now and after, its ideal share, its cap, and a note.
func BinCells(b placement.Bin, change int64, share *big.Rat, note string) []string {
	ideal, most := share.FloatString(2), fmt.Sprint(b.Cap)
	if b.Cap == placement.Unlimited {
		most = "-"
	}
	if b.Weight == 0 {
		ideal, most, note = "-", "-", "not listed"
	}
	return []string{fmt.Sprint(b.Current), fmt.Sprint(b.Current + change), ideal, most, note}
}

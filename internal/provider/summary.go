package provider

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// summary is a table for people: a line for each bin, with its nodes now and
// after the change, its ideal share of all nodes, its cap, and a note.
func summary(kind string, bins []placement.Bin, changes []int64, notes map[string]string) string {
	var now, after int64
	for i, b := range bins {
		now += b.Current
		after += b.Current + changes[i]
	}
	rows := [][]string{{kind, "now", "after", "ideal", "cap", ""}}
	for i, share := range placement.Ideal(bins, after) {
		rows = append(rows, append([]string{placeName(bins[i].Name)}, binCells(bins[i], changes[i], share, notes[bins[i].Name])...))
	}
	rows = append(rows, []string{"total", fmt.Sprint(now), fmt.Sprint(after), "", "", ""})
	return table(rows, 1)
}

// placeName shows the place of nodes that have none yet.
func placeName(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// binCells are a bin's nodes now and after, its ideal share, its cap, and a note.
func binCells(b placement.Bin, change int64, share *big.Rat, note string) []string {
	ideal, most := share.FloatString(2), fmt.Sprint(b.Cap)
	if b.Cap == placement.Unlimited {
		most = "-"
	}
	if b.Weight == 0 {
		ideal, most, note = "-", "-", "not listed"
	}
	return []string{fmt.Sprint(b.Current), fmt.Sprint(b.Current + change), ideal, most, note}
}

// table aligns rows: the first columns and the last to the left, all others to
// the right. It leaves no blanks at the ends of lines.
func table(rows [][]string, left int) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < left || i == len(row)-1 {
				line.WriteString(cell + pad + "  ")
			} else {
				line.WriteString(pad + cell + "  ")
			}
		}
		text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return text.String()
}

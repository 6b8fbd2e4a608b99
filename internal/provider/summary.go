package provider

import (
	"fmt"
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
		b := bins[i]
		name, ideal, most, note := b.Name, share.FloatString(2), fmt.Sprint(b.Cap), notes[b.Name]
		if name == "" {
			name = "(none)"
		}
		if b.Cap == placement.Unlimited {
			most = "-"
		}
		if b.Weight == 0 {
			ideal, most, note = "-", "-", "not listed"
		}
		rows = append(rows, []string{name, fmt.Sprint(b.Current), fmt.Sprint(b.Current + changes[i]), ideal, most, note})
	}
	rows = append(rows, []string{"total", fmt.Sprint(now), fmt.Sprint(after), "", "", ""})
	return table(rows)
}

// table aligns rows: the first column and the last to the left, all others to
// the right. It leaves no blanks at the ends of lines.
func table(rows [][]string) string {
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
			if i == 0 || i == len(row)-1 {
				line.WriteString(cell + pad + "  ")
			} else {
				line.WriteString(pad + cell + "  ")
			}
		}
		text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return text.String()
}

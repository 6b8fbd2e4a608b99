package text

import (
	"strings"
	"unicode/utf8"
)

// Table aligns the first columns and the last to the left, and all others to the right. It leaves no blanks at the
// ends of lines.
func Table(rows [][]string, left int) string {
	for i, row := range rows {
		for j, cell := range row {
			rows[i][j] = Clean(cell) // cells may be names
		}
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var table strings.Builder
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
		table.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return table.String()
}

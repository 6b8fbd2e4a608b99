package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns an error's text without its full stop.
func Plain(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// Sentence returns an error's text as a sentence.
func Sentence(err error) string {
	first, size := utf8.DecodeRuneInString(err.Error())
	sentence := string(unicode.ToUpper(first)) + Plain(err)[size:]
	if strings.HasSuffix(sentence, "?") {
		return sentence
	}
	return sentence + "."
}

// Nodes counts nodes in words: "1 node", "2 nodes".
func Nodes(n int64) string { return Count(n, "node") }

// Count counts things in words.
func Count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Change says what a change does.
func Change(change int64) string {
	switch {
	case change > 0:
		return fmt.Sprintf("%s to create.", Nodes(change))
	case change < 0:
		return fmt.Sprintf("%s to delete.", Nodes(-change))
	}
	return "Nothing to create or to delete."
}

// And joins names: "a, b and c".
func And(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Few lists the first five of many texts, and says how many more there are.
func Few(list []string) string { return First(list, 5) }

// First lists the first texts, up to a number, and says how many more there are.
func First(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

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

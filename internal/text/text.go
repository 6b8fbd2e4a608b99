// Package text prepares foreign texts for a terminal.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns the text in one line that is safe to print. It writes control characters (newlines and escape
// sequences), line separators, characters that change the direction of writing, invisible characters, and bytes that
// are not UTF-8 as Go escapes them, such as \n and \x1b. It keeps all other characters.
//
// OpenStack accepts no such characters in names. So names from a cloud are cleaned when they are decoded, and every
// text that is made from them can be printed. Messages are cleaned when they become part of an error.
func Clean(s string) string {
	dirty := strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || !seen(r) })
	if dirty < 0 {
		return s
	}
	clean := []byte(s[:dirty])
	for rest := s[dirty:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			clean = fmt.Appendf(clean, `\x%02x`, rest[0])
		case seen(r):
			clean = append(clean, rest[:size]...)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			clean = append(clean, quoted[1:len(quoted)-1]...)
		}
		rest = rest[size:]
	}
	return string(clean)
}

// seen reports whether a reader sees a character. Go counts fillers, joiners and variation selectors as graphic, too.
func seen(r rune) bool {
	const blank = '\u2800' // the blank pattern of Braille
	return strconv.IsGraphic(r) && r != blank &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Unquoted removes the words of the peer from an error of net/http, which quotes them. They may repeat the request,
// with its secrets.
func Unquoted(failure string) string {
	ours, _, quotes := strings.Cut(failure, `"`)
	if !quotes {
		return failure
	}
	return strings.TrimRight(ours, " =:(") + "..."
}

// Media returns the media type of an answer if it is a known one, and a general description otherwise.
func Media(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	switch media = strings.ToLower(strings.TrimSpace(media)); media {
	case "application/json", "application/xml", "text/html", "text/plain", "text/xml":
		return media
	case "":
		return "no type"
	}
	return "another type"
}

// CleanLines cleans each line of a text whose line breaks are ours.
func CleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Clean(line)
	}
	return strings.Join(lines, "\n")
}

// Cut shortens text to about the given number of bytes, and adds how many there were. It does not cut a character in
// two.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s... (%d bytes)", s[:end], len(s))
}

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
	if strings.HasSuffix(thing, "s") {
		thing += "e"
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

package hook

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many bytes of a text that others wrote are shown.
const longest = 300

// plain makes a text that others wrote fit for a terminal: it is cut, and what
// is not printable, line ends and escape sequences included, becomes a blank.
func plain(text string) string {
	if len(text) > longest {
		cut := longest
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "..."
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
}

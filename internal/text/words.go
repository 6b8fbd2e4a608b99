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

// Few lists the first of many texts, and says how many more there are.
func Few(list []string) string {
	const limit = 5
	if len(list) <= limit {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:limit], ", "), len(list)-limit)
}

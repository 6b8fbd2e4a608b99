package roster

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNameLength is the length of the longest name that Nova takes, in characters.
const maxNameLength = 255

// CheckNames says what is wrong with the names that a pattern makes for a
// cluster, in a sentence, or nothing. Nova refuses names with blanks at an end,
// and names that are too long.
func (p Pattern) CheckNames(cluster string) string {
	name := p.Name(cluster, 999_999)
	switch length := utf8.RuneCountInString(name); {
	case strings.TrimSpace(name) != name:
		return fmt.Sprintf(
			"The nodes would have names such as %q, and Nova refuses names with blanks at an end.",
			p.Name(cluster, 0),
		)
	case strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Sprintf(
			"The nodes would have names such as %q, with a control character in them.",
			p.Name(cluster, 0),
		)
	case length > maxNameLength:
		return fmt.Sprintf(
			"The nodes would have names of up to %d characters, and Nova takes %d.",
			length,
			maxNameLength,
		)
	}
	return ""
}

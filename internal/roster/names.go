package roster

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNameLength is the maximum length of a name in Nova, in characters.
const maxNameLength = 255

// CheckCluster returns a sentence about what is wrong with the name of a cluster, or "".
func CheckCluster(name string) string {
	if !strings.Contains(name, "/") {
		return ""
	}
	return fmt.Sprintf("%q has a slash in it, which ends the name of the cluster in an import id. Name it %q. "+
		"node_name_pattern may have slashes.", name, strings.ReplaceAll(name, "/", "-"))
}

// CheckNames returns a sentence about what is wrong with the names that a pattern makes for a
// cluster, or "". Nova refuses names with blanks at an end, names with characters that cannot
// be printed (controls, a soft hyphen, a line separator), and names that are too long.
func (p Pattern) CheckNames(cluster string) string {
	name := p.Name(cluster, 999_999)
	switch length := utf8.RuneCountInString(name); {
	case strings.TrimSpace(name) != name:
		return fmt.Sprintf("The nodes would have names such as %q, and Nova refuses names with blanks at an end.",
			p.Name(cluster, 0))
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fmt.Sprintf("The nodes would have names such as %q, with an invisible character, and Nova refuses them.",
			p.Name(cluster, 0))
	case length > maxNameLength:
		return fmt.Sprintf("The nodes would have names of up to %d characters, and Nova takes at most %d.", length,
			maxNameLength)
	}
	return ""
}

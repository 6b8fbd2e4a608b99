// Package naming makes the names of nodes, and reads them.
package naming

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern makes the names of nodes: {cluster} and {index} in it are replaced. {index:03} has
// at least three digits, and {index+1} is 1 for the first node.
type Pattern string

// Default is the pattern of clusters without one of their own.
const Default Pattern = "{cluster}-{index}"

// indexField matches the field of the index, with the number that is added to it, and the
// minimum number of its digits.
var indexField = regexp.MustCompile(`\{index(?:\+([0-9]{1,6}))?(?::0([1-9]))?\}`)

// number returns how the pattern writes an index.
func (p Pattern) number() (field string, first int64, digits int) {
	m := indexField.FindStringSubmatch(string(p))
	if m == nil {
		return "{index}", 0, 0
	}
	first, _ = strconv.ParseInt(m[1], 10, 64)
	digits, _ = strconv.Atoi(m[2])
	return m[0], first, digits
}

// Check returns a sentence about what is wrong with a pattern, or "".
func (p Pattern) Check() string {
	rest := strings.ReplaceAll(indexField.ReplaceAllString(string(p), ""), "{cluster}", "")
	switch n := len(indexField.FindAllString(string(p), 2)); {
	case strings.ContainsAny(rest, "{}"):
		return fmt.Sprintf("%q has other braces than {cluster} and {index}, which may be {index:03} for three digits, "+
			"{index+1} to begin with 1, or {index+1:03}.", string(p))
	case n == 0:
		return fmt.Sprintf("%q would give all nodes one name: it needs {index} in it.", string(p))
	case n > 1:
		return fmt.Sprintf("%q has {index} in it more than once: a name must say one number.", string(p))
	}
	return ""
}

// Name returns the name of a node.
func (p Pattern) Name(cluster string, index int64) string {
	field, first, digits := p.number()
	return strings.NewReplacer("{cluster}", cluster, field, fmt.Sprintf("%0*d", digits, index+first)).Replace(string(p))
}

// Regexp matches the names that the pattern makes for a cluster, with any number of zeros
// before the number, which is its first group.
func (p Pattern) Regexp(cluster string) *regexp.Regexp {
	field, _, _ := p.number()
	// Both are replaced in one pass, because the name of a cluster may contain {index}.
	form := strings.NewReplacer(`\{cluster\}`, regexp.QuoteMeta(cluster), regexp.QuoteMeta(field), `([0-9]{1,15})`).
		Replace(regexp.QuoteMeta(string(p)))
	return regexp.MustCompile("^" + form + "$")
}

// Indices returns a function that reads the index from a name that the pattern makes for a
// cluster; ok is false for another name.
func (p Pattern) Indices(cluster string) func(name string) (index int64, ok bool) {
	names := p.Regexp(cluster)
	_, first, _ := p.number()
	return func(name string) (int64, bool) {
		m := names.FindStringSubmatch(name)
		if m == nil {
			return 0, false
		}
		number, _ := strconv.ParseInt(m[1], 10, 64) // at most 15 digits
		return number - first, number >= first
	}
}

// Naming says how the nodes of a cluster are named.
type Naming struct {
	Cluster string
	Pattern Pattern
}

// Name returns the name of a node.
func (n Naming) Name(index int64) string { return n.Pattern.Name(n.Cluster, index) }

// Gives reports whether a node gets a name if its index is at least next.
func (n Naming) Gives(name string, next int64) bool {
	index, ok := n.Pattern.Indices(n.Cluster)(name)
	return ok && index >= next && n.Name(index) == name
}

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

package cluster

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Selector says which servers belong to a cluster: those that match all of what
// is given. An empty one selects nothing.
type Selector struct {
	NameRegex     string // matches anywhere in the name, unless anchored
	Metadata      map[string]string
	Tags          []string
	ServerGroupID string
	IDs           []string
	Names         []string
}

// Empty reports whether the selector has no criterion.
func (s Selector) Empty() bool {
	return s.NameRegex == "" && len(s.Metadata) == 0 && len(s.Tags) == 0 && s.ServerGroupID == "" && len(s.IDs) == 0 &&
		len(s.Names) == 0
}

// matcher is a selector made ready.
type matcher struct {
	Selector
	name    *regexp.Regexp
	ids     map[string]bool // nil: any
	names   map[string]bool // nil: any
	members map[string]bool // of the server group; nil: any
}

func (s Selector) compile() (*matcher, error) {
	if s.Empty() {
		return nil, errors.New(
			"the selector is empty: give at least one of name_regex, metadata, tags, servergroup_id and ids",
		)
	}
	m := &matcher{Selector: s}
	if s.NameRegex != "" {
		name, err := regexp.Compile(s.NameRegex)
		if err != nil {
			return nil, fmt.Errorf("name_regex: %w", err)
		}
		m.name = name
	}
	if len(s.IDs) > 0 {
		m.ids = set(s.IDs)
	}
	if len(s.Names) > 0 {
		m.names = set(s.Names)
	}
	return m, nil
}

func set(list []string) map[string]bool {
	s := make(map[string]bool, len(list))
	for _, item := range list {
		s[item] = true
	}
	return s
}

// matches reports whether a server belongs to the cluster. Of a server in a cell
// that is down Nova returns little more than the id: where that is not enough to
// tell, known is false.
func (m *matcher) matches(s *server) (belongs, known bool) {
	id, name := string(s.ID), string(s.Name)
	if m.ids != nil && !m.ids[id] || m.members != nil && !m.members[id] {
		return false, true
	}
	if s.hidden && (len(m.Metadata) > 0 || len(m.Tags) > 0 || name == "" && (m.name != nil || m.names != nil)) {
		return false, false
	}
	if m.name != nil && !m.name.MatchString(name) || m.names != nil && !m.names[name] {
		return false, true
	}
	for key, value := range m.Metadata {
		if got, ok := s.Metadata[key]; !ok || got != value {
			return false, true
		}
	}
	for _, tag := range m.Tags {
		if !slices.Contains(s.Tags, tag) {
			return false, true
		}
	}
	return true, true
}

// query is what Nova can filter by without leaving out a server that matches. Nova's
// regular expressions are those of its database: of another dialect than ours, and not
// case-sensitive. So only plain text is sent that every match contains, and so does the name
// next, "" for none.
func (m *matcher) query(next string) url.Values {
	query := url.Values{}
	if part := requiredText(m.NameRegex); part != "" {
		query.Set("name", part)
	} else if part := sharedText(m.Names, next); part != "" {
		query.Set("name", part)
	}
	if len(m.Tags) > 0 {
		query.Set("tags", strings.Join(m.Tags, ","))
	}
	return query
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// requiredText is the longest plain text that every match of the pattern has.
func requiredText(pattern string) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var longest string
	var visit func(*syntax.Regexp)
	visit = func(re *syntax.Regexp) {
		switch re.Op {
		case syntax.OpLiteral:
			part := string(re.Rune)
			if re.Flags&syntax.FoldCase == 0 && plain.MatchString(part) && len(part) > len(longest) {
				longest = part
			}
		case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
			for _, sub := range re.Sub {
				visit(sub)
			}
		}
	}
	visit(tree)
	return longest
}

// sharedText is the plain text that all names begin with, next too unless it is "".
func sharedText(names []string, next string) string {
	if len(names) == 0 {
		return ""
	}
	first, last := slices.Min(names), slices.Max(names)
	if next != "" {
		first, last = min(first, next), max(last, next)
	}
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] && plain.MatchString(first[n:n+1]) {
		n++
	}
	return first[:n]
}

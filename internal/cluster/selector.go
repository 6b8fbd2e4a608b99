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

// Selector selects the servers of a cluster: servers that match all given criteria. An empty selector selects
// nothing.
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

// matcher is a prepared selector.
type matcher struct {
	Selector
	name    *regexp.Regexp
	ids     map[string]bool // nil means any
	names   map[string]bool // nil means any
	members map[string]bool // members of the server group; nil means any
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

// matches reports whether a server belongs to the cluster. Nova returns little more than the id of a server in a cell
// that is down. If that is not enough to decide, known is false.
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

// query returns the filters that Nova can apply without leaving out a server that matches. Nova's regular expressions
// belong to its database: they have another dialect than ours, and ignore case. So the query has only plain text that
// every match contains. The name next must contain it too, unless it is "".
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

// requiredText returns the longest plain text that every match of the pattern contains.
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

// sharedText returns the plain text at the beginning of all names, and of next unless it is "".
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

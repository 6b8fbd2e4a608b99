package cluster

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatches(t *testing.T) {
	web := server{ID: "1", Name: "web-1", Status: "ACTIVE", Metadata: map[string]string{"role": "web", "stage": "prod"}, Tags: []string{"blue", "eu"}}
	hidden := server{ID: "2", Status: "UNKNOWN", hidden: true} // in a cell that is down
	remembered := server{ID: "2", Name: "web-2", Status: "UNKNOWN", hidden: true}
	for _, c := range []struct {
		name           string
		selector       Selector
		server         server
		belongs, known bool
	}{
		{"name", Selector{NameRegex: "^web-"}, web, true, true},
		{"name anywhere", Selector{NameRegex: "b-"}, web, true, true},
		{"another name", Selector{NameRegex: "^db-"}, web, false, true},
		{"all metadata", Selector{Metadata: map[string]string{"role": "web", "stage": "prod"}}, web, true, true},
		{"one pair differs", Selector{Metadata: map[string]string{"role": "web", "stage": "test"}}, web, false, true},
		{"a key without its value", Selector{Metadata: map[string]string{"owner": ""}}, web, false, true},
		{"all tags", Selector{Tags: []string{"eu", "blue"}}, web, true, true},
		{"one tag is missing", Selector{Tags: []string{"eu", "green"}}, web, false, true},
		{"ids", Selector{IDs: []string{"0", "1"}}, web, true, true},
		{"other ids", Selector{IDs: []string{"0"}}, web, false, true},
		{"names", Selector{Names: []string{"web-0", "web-1"}}, web, true, true},
		{"other names", Selector{Names: []string{"web-0"}}, web, false, true},
		{"hidden, asked for by its full name", Selector{Names: []string{"web-0"}}, hidden, false, false},
		{"hidden, but remembered", Selector{Names: []string{"web-2"}}, remembered, true, true},
		{"hidden, and remembered by another name", Selector{NameRegex: "^db"}, remembered, false, true},
		{"hidden and remembered, but not its tags", Selector{NameRegex: "web", Tags: []string{"eu"}}, remembered, false, false},
		{"everything at once", Selector{NameRegex: "web", IDs: []string{"1"}, Tags: []string{"eu"}}, web, true, true},
		{"all of it must match", Selector{NameRegex: "db", IDs: []string{"1"}}, web, false, true},
		{"hidden, asked for by id", Selector{IDs: []string{"2"}}, hidden, true, true},
		{"hidden, another id", Selector{IDs: []string{"3"}, NameRegex: "web"}, hidden, false, true},
		{"hidden, asked for by name", Selector{NameRegex: "web"}, hidden, false, false},
		{"hidden, asked for by tag", Selector{Tags: []string{"eu"}, IDs: []string{"2"}}, hidden, false, false},
	} {
		m, err := c.selector.compile()
		require.NoError(t, err)
		belongs, known := m.matches(&c.server)
		assert.Equal(t, []bool{c.belongs, c.known}, []bool{belongs, known}, c.name)
	}
}

func TestCompileRefuses(t *testing.T) {
	_, err := Selector{}.compile()
	assert.ErrorContains(t, err, "selector is empty")
	_, err = Selector{NameRegex: "web-("}.compile()
	assert.ErrorContains(t, err, "missing closing )")
}

// TestQuery: Nova's filter is plain text, and part of every name that matches.
func TestQuery(t *testing.T) {
	for _, c := range []struct{ pattern, text, match string }{
		{"web", "web", "my-web-1"},
		{"^web-[0-9]+$", "web-", "web-42"},
		{"^(web|db)-node-", "", "db-node-1"},
		{"(?i)web", "", "WEB"},
		{"^web-(?i:blue)-node$", "web-", "web-BLUE-node"},
		{"(web-)+1", "web-", "web-web-1"},
		{"(web-)*1", "", "1"},
		{"web.1", "web", "web.1"},
		{`web\.prod-longer`, "web", "web.prod-longer"}, // a full stop is special to a database
		{".*", "", "anything"},
		{"a|b", "", "b"},
	} {
		m, err := Selector{NameRegex: c.pattern}.compile()
		require.NoError(t, err)
		got := m.query("").Get("name")
		assert.Equal(t, c.text, got, c.pattern)
		if !regexp.MustCompile(c.pattern).MatchString(c.match) || !strings.Contains(c.match, got) {
			t.Errorf("%q: %q was to match, and to have %q in it", c.pattern, c.match, got)
		}
	}
}

func TestSharedText(t *testing.T) {
	for _, c := range []struct {
		want  string
		names []string
		next  string
	}{
		{"web-", []string{"web-12", "web-7", "web-1"}, ""},
		{"web-1", []string{"web-1"}, ""},
		{"", []string{"web", "db"}, ""},
		{"web.", []string{"web.1", "web.2"}, ""},
		{"", nil, ""},
		{"web-1", []string{"web-18", "web-19"}, ""},
		{"web-", []string{"web-18", "web-19"}, "web-20"},
		{"web-", []string{"web-20", "web-21"}, "web-19"},
		{"", nil, "web-20"},
	} {
		assert.Equal(t, c.want, sharedText(c.names, c.next), "%v", c.names)
	}
}

package planner

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
)

func TestPattern(t *testing.T) {
	for pattern, want := range map[roster.Pattern]string{
		roster.DefaultPattern:       "web-12",
		"{index}.{cluster}.example": "12.web.example",
		"node{index}":               "node12",
	} {
		assert.Empty(t, pattern.Check(), pattern)
		assert.Equal(t, want, pattern.Name("web", 12), pattern)
	}
	for _, pattern := range []roster.Pattern{"", "web", "{cluster}", "{cluster}-{number}", "{index}-{", "{index:02}", "{index}-{index}"} {
		if pattern.Check() == "" {
			t.Errorf("%q was accepted", pattern)
		}
	}
}

func TestPatternRegexp(t *testing.T) {
	for name, index := range map[string]string{"we.b-7": "7", "we.b-007": "007", "web-7": "", "we.b-7-1": "", "we.b-": "", "my-we.b-1": "",
		"we.b-1234567890123456": ""} {
		got := ""
		if m := roster.DefaultPattern.Regexp("we.b").FindStringSubmatch(name); m != nil {
			got = m[1]
		}
		assert.Equal(t, index, got, name)
	}
}

// TestCheckNames: what Nova would refuse is said before. A cluster of a million
// nodes is allowed for.
func TestCheckNames(t *testing.T) {
	for _, c := range []struct {
		pattern roster.Pattern
		cluster string
		want    string
	}{
		{roster.DefaultPattern, "web", ""},
		{roster.DefaultPattern, strings.Repeat("ü", 248), ""},
		{roster.DefaultPattern, strings.Repeat("w", 249), "The nodes would have names of up to 256 characters, and Nova takes 255."},
		{" {cluster}{index}", "web", `The nodes would have names such as " web0", and Nova refuses names with blanks at an end.`},
		{roster.DefaultPattern, "we\nb", `The nodes would have names such as "we\nb-0", with a character in them that cannot be seen, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u200cb", `The nodes would have names such as "we\u200cb-0", with a character in them that cannot be seen, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u00adb", `The nodes would have names such as "we\u00adb-0", with a character in them that cannot be seen, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u2028b", `The nodes would have names such as "we\u2028b-0", with a character in them that cannot be seen, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u00a0b", ""},
	} {
		assert.Equal(t, c.want, c.pattern.CheckNames(c.cluster), "%q of %q", c.pattern, c.cluster)
	}
}

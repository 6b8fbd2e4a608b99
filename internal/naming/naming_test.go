package naming_test

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stretchr/testify/assert"
)

func TestPattern(t *testing.T) {
	for pattern, want := range map[naming.Pattern]string{
		naming.Default:              "web-12",
		"{index}.{cluster}.example": "12.web.example",
		"node{index}":               "node12",
		"{cluster}{index:03}":       "web012",
		"{index+100}":               "112",
		"{cluster}{index+1:02}":     "web13",
	} {
		assert.Empty(t, pattern.Check(), pattern)
		assert.Equal(t, want, pattern.Name("web", 12), pattern)
	}
	for _, pattern := range []naming.Pattern{"", "web", "{cluster}", "{cluster}-{number}", "{index}-{",
		"{index:2}", "{index:0}", "{index-1}", "{index:02+1}", "{index}-{index:02}"} {
		if pattern.Check() == "" {
			t.Errorf("%q was accepted", pattern)
		}
	}
}

// TestIndices reads the index of a name, which may have more or fewer zeros than the pattern writes.
func TestIndices(t *testing.T) {
	for pattern, names := range map[naming.Pattern]map[string]int64{
		naming.Default:          {"we.b-7": 7, "we.b-007": 7, "web-7": -1, "we.b-7-1": -1, "we.b-": -1, "my-we.b-1": -1, "we.b-1234567890123456": -1},
		"{cluster}{index+1:03}": {"we.b001": 0, "we.b000": -1, "we.b12": 11, "we.b1000": 999},
	} {
		for name, want := range names {
			index, ok := pattern.Indices("we.b")(name)
			assert.Equal(t, want >= 0, ok, "%s: %s", pattern, name)
			if ok {
				assert.Equal(t, want, index, "%s: %s", pattern, name)
			}
		}
	}
}

// TestCheckNames: the planner refuses the names that Nova would refuse. A cluster may have a million nodes.
func TestCheckNames(t *testing.T) {
	for _, c := range []struct {
		pattern naming.Pattern
		cluster string
		want    string
	}{
		{naming.Default, "web", ""},
		{naming.Default, strings.Repeat("ü", 248), ""},
		{naming.Default, strings.Repeat("w", 249), "The nodes would have names of up to 256 characters, and Nova takes at most 255."},
		{" {cluster}{index}", "web", `The nodes would have names such as " web0", and Nova refuses names with blanks at an end.`},
		{naming.Default, "we\nb", `The nodes would have names such as "we\nb-0", with an invisible character, and Nova refuses them.`},
		{naming.Default, "we\u200cb",
			`The nodes would have names such as "we\u200cb-0", with an invisible character, and Nova refuses them.`},
		{naming.Default, "we\u00adb",
			`The nodes would have names such as "we\u00adb-0", with an invisible character, and Nova refuses them.`},
		{naming.Default, "we\u2028b",
			`The nodes would have names such as "we\u2028b-0", with an invisible character, and Nova refuses them.`},
		{naming.Default, "we\u00a0b", ""},
	} {
		assert.Equal(t, c.want, c.pattern.CheckNames(c.cluster), "%q of %q", c.pattern, c.cluster)
	}
}

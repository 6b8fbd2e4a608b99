package roster_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPattern(t *testing.T) {
	for pattern, want := range map[roster.Pattern]string{
		roster.DefaultPattern:       "web-12",
		"{index}.{cluster}.example": "12.web.example",
		"node{index}":               "node12",
		"{cluster}{index:03}":       "web012",
		"{index+100}":               "112",
		"{cluster}{index+1:02}":     "web13",
	} {
		assert.Empty(t, pattern.Check(), pattern)
		assert.Equal(t, want, pattern.Name("web", 12), pattern)
	}
	for _, pattern := range []roster.Pattern{"", "web", "{cluster}", "{cluster}-{number}", "{index}-{",
		"{index:2}", "{index:0}", "{index-1}", "{index:02+1}", "{index}-{index:02}"} {
		if pattern.Check() == "" {
			t.Errorf("%q was accepted", pattern)
		}
	}
}

// TestKeys: namings, spots and places are keys in what is kept between two plans.
func TestKeys(t *testing.T) {
	at := placement.Place{Region: "R", Zone: "1"}
	for kept, read := range map[any]any{
		&roster.Roster{Former: map[roster.Naming]int64{{Cluster: "web", Pattern: "{index}"}: 2}, Settled: roster.Templates{at: "a"}}: &roster.Roster{},
		&roster.Seen{Full: map[roster.Spot]time.Time{{Place: at, Flavor: "big"}: time.Unix(1, 0).UTC()}}:                             &roster.Seen{},
	} {
		text, err := json.Marshal(kept)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, read))
		assert.Equal(t, kept, read, "%s", text)
	}
}

// TestIndices reads the index of a name, which may have more or fewer zeros than the pattern writes.
func TestIndices(t *testing.T) {
	for pattern, names := range map[roster.Pattern]map[string]int64{
		roster.DefaultPattern:   {"we.b-7": 7, "we.b-007": 7, "web-7": -1, "we.b-7-1": -1, "we.b-": -1, "my-we.b-1": -1, "we.b-1234567890123456": -1},
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

// TestOrdinals: a node gets the smallest ordinal that no node of its region has, or had before this plan, and keeps it.
func TestOrdinals(t *testing.T) {
	node := func(region string, index, ordinal int64) roster.Node {
		return roster.Node{Index: index, Place: placement.Place{Region: region}, Ordinal: ordinal}
	}
	before := roster.Roster{
		Nodes:   map[string]roster.Node{"a": node("R", 0, 1), "b": node("R", 1, 2), "gone": node("R", 2, 3)},
		Leaving: map[string]roster.Node{"leaving": node("R", 3, 5), "back": node("R", 7, 7)},
	}
	r := roster.Roster{
		Nodes:   map[string]roster.Node{"b": node("R", 1, 2), "c": node("R", 4, 0), "d": node("R", 5, 0), "back": node("R", 7, 7), "e": node("S", 6, 0)},
		Leaving: map[string]roster.Node{"a": node("R", 0, 1), "leaving": node("R", 3, 5)},
	}
	r.Number(before)
	for name, want := range map[string]int64{"a": 1, "b": 2, "leaving": 5, "back": 7, "c": 4, "d": 6, "e": 1} {
		n, _ := r.Known(name)
		assert.Equal(t, want, n.Ordinal, name)
	}
}

// TestCheckNames: the planner refuses the names that Nova would refuse. A cluster may have a million nodes.
func TestCheckNames(t *testing.T) {
	for _, c := range []struct {
		pattern roster.Pattern
		cluster string
		want    string
	}{
		{roster.DefaultPattern, "web", ""},
		{roster.DefaultPattern, strings.Repeat("ü", 248), ""},
		{roster.DefaultPattern, strings.Repeat("w", 249), "The nodes would have names of up to 256 characters, and Nova takes at most 255."},
		{" {cluster}{index}", "web", `The nodes would have names such as " web0", and Nova refuses names with blanks at an end.`},
		{roster.DefaultPattern, "we\nb", `The nodes would have names such as "we\nb-0", with an invisible character, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u200cb",
			`The nodes would have names such as "we\u200cb-0", with an invisible character, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u00adb",
			`The nodes would have names such as "we\u00adb-0", with an invisible character, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u2028b",
			`The nodes would have names such as "we\u2028b-0", with an invisible character, and Nova refuses them.`},
		{roster.DefaultPattern, "we\u00a0b", ""},
	} {
		assert.Equal(t, c.want, c.pattern.CheckNames(c.cluster), "%q of %q", c.pattern, c.cluster)
	}
}

// TestNames orders nodes by index and, if an older state has an index twice, by name.
func TestNames(t *testing.T) {
	r := roster.Roster{Nodes: map[string]roster.Node{"z": {}, "b": {Index: 1}, "g": {Index: 1}, "a": {Index: 1}, "f": {Index: 1}, "e": {Index: 1},
		"c": {Index: 2}}}
	assert.Equal(t, "[z a b e f g c]", fmt.Sprint(r.Names()))
}

package roster_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeys: spots and places are keys in what is kept between two plans.
func TestKeys(t *testing.T) {
	at := placement.Place{Region: "R", Zone: "1"}
	for kept, read := range map[any]any{
		&roster.Roster{Settled: roster.Templates{at: "a"}}:                                               &roster.Roster{},
		&roster.Seen{Full: map[roster.Spot]time.Time{{Place: at, Flavor: "big"}: time.Unix(1, 0).UTC()}}: &roster.Seen{},
	} {
		text, err := json.Marshal(kept)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, read))
		assert.Equal(t, kept, read, "%s", text)
	}
}

// TestOrdinals: a node gets the smallest ordinal that no node of its region has, or had before this plan, and keeps it.
func TestOrdinals(t *testing.T) {
	numbered := func(region string, index, ordinal int64) roster.Node {
		return roster.Node{Index: index, Place: placement.Place{Region: region}, Ordinal: ordinal}
	}
	before := roster.Roster{
		Nodes:   map[string]roster.Node{"a": numbered("R", 0, 1), "b": numbered("R", 1, 2), "gone": numbered("R", 2, 3)},
		Leaving: map[string]roster.Node{"leaving": numbered("R", 3, 5), "back": numbered("R", 7, 7)},
	}
	r := roster.Roster{
		Nodes: map[string]roster.Node{"b": numbered("R", 1, 2), "c": numbered("R", 4, 0), "d": numbered("R", 5, 0), "back": numbered("R", 7, 7),
			"e": numbered("S", 6, 0)},
		Leaving: map[string]roster.Node{"a": numbered("R", 0, 1), "leaving": numbered("R", 3, 5)},
	}
	r.Number(before)
	for name, want := range map[string]int64{"a": 1, "b": 2, "leaving": 5, "back": 7, "c": 4, "d": 6, "e": 1} {
		n, _ := r.Known(name)
		assert.Equal(t, want, n.Ordinal, name)
	}
}

// TestNames orders nodes by index and, if an older state has an index twice, by name.
func TestNames(t *testing.T) {
	r := roster.Roster{Nodes: map[string]roster.Node{"z": {}, "b": {Index: 1}, "g": {Index: 1}, "a": {Index: 1}, "f": {Index: 1}, "e": {Index: 1},
		"c": {Index: 2}}}
	assert.Equal(t, "[z a b e f g c]", fmt.Sprint(r.Names()))
}

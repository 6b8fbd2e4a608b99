package placement

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLargestRegions: no sum over zones overflows, however many zones there are.
func TestLargestRegions(t *testing.T) {
	wide := make([]Bin, 10_000)
	for i := range wide {
		wide[i] = Bin{Name: fmt.Sprint(i), Weight: 1, Cap: Unlimited}
	}
	for _, c := range []struct {
		name  string
		zones []Bin
		count int64
		want  int64
	}{
		{"many zones", wide, MaxNodes, MaxNodes},
		{"the largest region shrinks", bins(t, "a now1000000000000000"), -1, -1},
		{"nothing is asked of one that lacks a node", bins(t, "a now1000000000000000, b min1"), 0, 0},
	} {
		got, err := newBoard([]Region{{Bin: Bin{Name: "R", Weight: 1, Cap: Unlimited}, Zones: c.zones}}).distribute(c.count)
		assert.NoError(t, err, c.name)
		assert.Equal(t, c.want, got.Total(), c.name)
	}
}

// TestLargest: plans with the largest numbers are exact, and larger numbers are refused.
func TestLargest(t *testing.T) {
	const heavy = 1<<63 - 1
	for _, c := range []struct {
		bins    string
		count   int64
		after   string
		refused string
	}{
		{"A now1000000000000000, B", -MaxNodes, "[0 0]", ""},
		{"A now1000000000000000, B", -MaxNodes - 1, "", "more than can be planned"},
		{"A now1000000000000000, B", 1, "", "cannot be planned"},
		{"A min1000000000000000, B", MaxNodes, "[1000000000000000 0]", ""},
		{"A min1000000000000001, B", 1, "", "the min of"},
		{"A now1000000000000001, B", -1, "", "has 1000000000000001 nodes"},
		{"A now400000000000000, B now600000000000000", -1, "[400000000000000 599999999999999]", ""},
		{fmt.Sprintf("A w%d now3, B w%d now900000000000000", int64(heavy), int64(heavy)-1), -2, "[3 899999999999998]", ""},
		{fmt.Sprintf("A w1 now900000000000000, B w%d now3", int64(heavy)), -1, "[899999999999999 3]", ""},
	} {
		list := bins(t, c.bins)
		changes, err := Distribute(list, c.count)
		if c.refused != "" {
			assert.ErrorContains(t, err, c.refused, "%s, %+d: got %v", c.bins, c.count, changes)
			continue
		}
		if err != nil || fmt.Sprint(after(list, changes)) != c.after {
			t.Errorf("%s, %+d: got %v, %v, want %s", c.bins, c.count, after(list, changes), err, c.after)
			continue
		}
		if c.count < -9 {
			continue
		}
		for range -c.count { // one after the other, too
			i := firstToLeave(binBounds(list), noTie)
			list[i].Current--
		}
		assert.True(t, c.count >= 0 || fmt.Sprint(counts(list)) == c.after, "%s, %+d one after the other: got %v", c.bins, c.count, counts(list))
	}
}

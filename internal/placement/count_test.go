package placement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNewBoard: listed places in their order with what they have, then those
// that nobody lists and that have nodes, by name.
func TestNewBoard(t *testing.T) {
	listed := []Region{
		{Bin: Bin{Name: "R2", Weight: 2, Cap: 9}, Zones: bins(t, "b w3, a")},
		{Bin: Bin{Name: "R1", Weight: 1, Cap: Unlimited}},
		{Bin: Bin{Name: "R0", Weight: 1, Cap: Unlimited}, Zones: bins(t, "a")},
	}
	board := NewBoard(listed, Counts{
		{"R0", "a"}: 2,
		{"R1", "a"}: 1, {"R1", "b"}: 2,
		{"R2", "a"}: 4, {"R2", "old"}: 1, {"R2", ""}: 2, {"R2", "gone"}: 0,
		{"R4", "a"}: 1,
		{"R3", ""}:  1, {"R3", "b"}: 1,
		{"R5", "a"}: 0,
	})
	var got []string
	for _, r := range board.regions {
		got = append(got, fmt.Sprintf("%s w%d cap%d %d/%d:%s", r.Name, r.Weight, r.Cap, r.Current, r.Current, brief(r.Zones)))
	}
	want := "R2 w2 cap9 7/7: b w3 0, a w1 4,  w0 2, old w0 1; R1 w1 cap-1 3/3:; R0 w1 cap-1 2/2: a w1 2; R3 w0 cap0 2/2:; R4 w0 cap0 1/1:"
	assert.Equal(t, want, strings.Join(got, "; "))
	if listed[0].Current != 0 || listed[0].Zones[1].Current != 0 {
		t.Error("the list that was given has changed")
	}
	for at, want := range map[Place]string{{"R2", "a"}: "R2/a true", {"R2", "none"}: "R2 false", {"R1", "b"}: "R1 true", {"R9", "a"}: "R9 false"} {
		counted, there := board.Counted(at)
		assert.Equal(t, want, fmt.Sprint(counted, " ", there), "%s is counted in", at)
	}
}

// TestBounds: a region has its own bounds and those of its zones, whatever is asked.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		region Region
		want   bounds
	}{
		{Region{Bin: Bin{Name: "R", Weight: 2, Cap: Unlimited, Min: 1}, Zones: bins(t, "a cap2 now2, b min2 now1")},
			bounds{name: "R", weight: 2, nodes: 3, low: 1, within: 3, listed: 3, mins: 2, short: 1, high: MaxNodes}},
		{Region{Bin: Bin{Name: "R", Weight: 2, Cap: 6, Min: 1}, Zones: bins(t, "a cap2 now3, b cap4 now1, old w0 now2")},
			bounds{name: "R", weight: 2, nodes: 6, low: 1, within: 3, listed: 4, mins: 1, high: 6}},
		{Region{Bin: Bin{Name: "R", Weight: 2, Cap: 4, Min: 5}, Zones: bins(t, "a cap2 now3, b cap4 now1, old w0 now2")},
			bounds{name: "R", weight: 2, nodes: 6, low: 5, within: 5, listed: 5, mins: 5, high: 6}},
		{Region{Bin: Bin{Name: "R", Weight: 0, Cap: 4, Current: 5}}, bounds{name: "R", weight: 1, nodes: 5, high: 5}},
		{Region{Bin: Bin{Name: "R", Weight: 7, Cap: 4, Min: 3, Current: 1, Closed: true}},
			bounds{name: "R", weight: 7, nodes: 1, low: 1, within: 1, listed: 1, mins: 1, high: 1}},
	} {
		assert.Equal(t, c.want, newBoard([]Region{c.region}).regions[0].bounds(), "%+v", c.region)
	}
}

func brief(zones []Bin) string {
	var parts []string
	for _, z := range zones {
		parts = append(parts, fmt.Sprintf(" %s w%d %d", z.Name, z.Weight, z.Current))
	}
	return strings.Join(parts, ",")
}

// TestLargestRegions: no sum over zones overflows, however many there are.
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
		got, err := distributeRegions([]Region{{Bin: Bin{Name: "R", Weight: 1, Cap: Unlimited}, Zones: c.zones}}, c.count)
		if err != nil || got[0].nodes != c.want {
			t.Errorf("%s: got %v, want %d", c.name, err, c.want)
		}
	}
}

// TestLargest: what the largest numbers make is exact, and the next larger ones
// are refused.
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
		if c.count < 0 && fmt.Sprint(counts(list)) != c.after {
			t.Errorf("%s, %+d one after the other: got %v, want %s", c.bins, c.count, counts(list), c.after)
		}
	}
}

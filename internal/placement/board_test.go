package placement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestNewBoard: the board has the listed places in their order with their nodes, then by name the places that are not
// listed but have nodes.
func TestNewBoard(t *testing.T) {
	listed := regions(t, "R2 w2 cap9: b w3, a; R1; R0: a")
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
	assert.Zero(t, listed[0].Current+listed[0].Zones[1].Current, "the list that was given has changed")
	for at, want := range map[Place]string{{"R2", "a"}: "R2/a true", {"R2", "none"}: "R2 false", {"R1", "b"}: "R1 true", {"R9", "a"}: "R9 false"} {
		counted, there := board.Counted(at)
		assert.Equal(t, want, fmt.Sprint(counted, " ", there), "%s is counted in", at)
	}
}

func brief(zones []Bin) string {
	var parts []string
	for _, z := range zones {
		parts = append(parts, fmt.Sprintf(" %s w%d %d", z.Name, z.Weight, z.Current))
	}
	return strings.Join(parts, ",")
}

// TestBoard: regions, their zones, and the zones of one region follow the same rules. A closed place takes no node; a
// closed region also keeps its nodes, because nothing can be deleted there. A place under maintenance loses nodes
// after all others have lost theirs.
func TestBoard(t *testing.T) {
	for _, c := range []struct {
		name    string
		regions string
		change  int64
		want    string
	}{
		{"regions", "R1 now2; R2", 4, "map[R1:1 R2:3]"},
		{"two levels", "R1: a now2, b; R2: a", 4, "map[R1/b:1 R2/a:3]"},
		{"zones of one name are two zones", "R1: a, b; R2 w2: a cap1, b", 6, "map[R1/a:1 R1/b:1 R2/a:1 R2/b:3]"},
		{"full zones bound their region", "R1: a cap1, b cap1; R2 w2: a", 9, "map[R1/a:1 R1/b:1 R2/a:7]"},
		{"a region's cap bounds its zones", "R1 cap5: a now2, b", 4, "4 nodes must be added, but there is room for 3: R1 3 (cap 5)."},
		{"a place that is not listed loses nodes first", "R1: a now3, x w0 now1; R2; R3 w0 now2", -3, "map[R1/x:-1 R3:-2]"},
		{"the fullest region first, whatever its weight", "R1 w100: a now3, x w0 now2; R2 w0 now4", -3, "map[R1/x:-2 R2:-1]"},
		{"then what is above the cap of a zone", "R1: a cap1 now2, x w0 now1; R2 now9", -3, "map[R1/a:-1 R1/x:-1 R2:-1]"},
		{"but no region falls below its min", "R1 min3: a now2, x w0 now1; R2 now3", -1, "map[R2:-1]"},
		{"a zone's min is its region's", "R1: a, b min2, c min3 closed; R2 w9", 3, "map[R1/b:2 R2:1]"},
		{"whatever its other zones have", "R1: a now5, b min2; R2", 3, "map[R1/b:2 R2:1]"},
		{"zones at their min keep their region", "R1: a min3 now3, b now1; R2: a now2", -3, "map[R1/b:-1 R2/a:-2]"},
		{"and no more can be removed", "R1: a min3 now3, b now1; R2: a now2", -4, "4 nodes must be removed, but only 3 can be: R1/a 0 (min 3), R1/b 1, R2 2."},
		{"an error names the region", "R1: a, a", 1, `region "R1": "a" is named twice`},
		{"nothing", "R1", 0, "map[]"},

		{"additions avoid what is closed", "R1 now1 closed; R2", 2, "map[R2:2]"},
		{"removals leave a region alone", "R1 now5 closed; R2 now2", -1, "map[R2:-1]"},
		{"and its zones; another zone loses its share", "R1: a now2, b now5 closed; R2 closed: a now1, old w0 now1", -1, "map[R1/b:-1]"},
		{"and where nothing else is left there is no plan", "R1: a now2, b now1 closed; R2 gone: a now5", -4,
			"4 nodes must be removed, but only 3 can be: R1 3, R2 0 (no compute endpoint, and keeps its nodes)."},

		{"a zone that is shut takes none", "R1: a now5, b shut", 2, "map[R1/a:2]"},
		{"nor does a region", "R1 shut: a; R2: a now5", 2, "map[R2/a:2]"},
		{"a min of it is not filled", "R1: a, b min2 shut", 2, "map[R1/a:2]"},
		{"all are shut", "R1: b shut; R2 shut: a shut", 1, "1 node must be added, but there is room for 0: R1/b 0 (closed), R2 0 (closed)."},
		{"a zone gives none up", "R1: a now2, b now5 shut", -2, "map[R1/a:-2]"},
		{"before all others have", "R1: a min1 now2, b now5 shut", -3, "map[R1/a:-1 R1/b:-2]"},
		{"whether it is above its cap or lists no such zone", "R1 shut: a cap1 now3 shut, old w0 now2 shut; R2: a now3", -3, "map[R2/a:-3]"},
		{"then what is not listed goes first again", "R1 shut: a cap1 now3 shut, old w0 now2 shut; R2: a now3", -6, "map[R1/a:-1 R1/old:-2 R2/a:-3]"},
		{"nor more than there are", "R1: a min1 now2, b min1 now2 shut", -3, "3 nodes must be removed, but only 2 can be: R1/a 1 (min 1), R1/b 1 (min 1)."},
	} {
		board := newBoard(regions(t, c.regions))
		for _, r := range board.regions {
			if r.Closed && c.change < 0 {
				board.HoldRegion(r.Name)
			}
		}
		changes, err := board.Distribute(c.change)
		got := fmt.Sprint(changes)
		if infeasible, ok := asInfeasible(err); ok {
			got = infeasible.Detail()
		} else if err != nil {
			got = err.Error()
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

// TestMaintenance: no node moves from or to a place that an operator closed, and the board says why.
func TestMaintenance(t *testing.T) {
	listed := regions(t, "R1: a, b, shut shut; R2 shut: a")
	board := NewBoard(listed, Counts{{"R1", "a"}: 3, {"R1", "shut"}: 9, {"R2", "a"}: 4, {"R2", "old"}: 1})
	from, to, ok := board.Move()
	assert.Equal(t, []any{Place{"R1", "a"}, Place{"R1", "b"}, true}, []any{from, to, ok})
	assert.Equal(t, "it is closed, and no open place can lose a node", board.WhyLoses(Place{"R2", "old"}), "beyond")
	for at, closed := range map[Place]bool{{"R1", "a"}: false, {"R1", "shut"}: true, {"R2", "a"}: true} {
		if (board.Why(at) == "is closed") != closed || board.Takes(at) == closed {
			t.Errorf("%s is closed: %q, takes: %t", at, board.Why(at), board.Takes(at))
		}
	}
}

// TestMaintenanceOneByOne: removing many nodes at once gives the same result as removing one after the other.
func TestMaintenanceOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		regions := genRegions().Draw(t, "regions")
		for i := range regions {
			regions[i].Maintenance = rapid.IntRange(0, 3).Draw(t, "closed") == 0
			for j := range regions[i].Zones {
				regions[i].Zones[j].Maintenance = regions[i].Maintenance || rapid.IntRange(0, 3).Draw(t, "closed zone") == 0
			}
		}
		board := newBoard(regions)
		stepped, total := board.Clone(), Counts{}
		for n := int64(1); ; n++ {
			at, ok := stepped.First(func(Place, Place) int { return 0 })
			changes, err := board.Distribute(-n)
			require.Equal(t, err == nil, ok, "node %d leaves: %v, but at once: %v", n, ok, err)
			if !ok {
				return
			}
			stepped.Add(at, -1)
			total[at]--
			require.Equal(t, changes, total, "%d nodes one by one: %v, at once: %v", n, total, changes)
		}
	})
}

// TestBoardChanges: changes of a place apply to the spot in which its nodes are counted.
func TestBoardChanges(t *testing.T) {
	listed := regions(t, "R1: a cap3 min1, b min2; R2 cap1")
	board := NewBoard(listed, Counts{{"R1", "a"}: 2, {"R1", "old"}: 1, {"R2", "x"}: 3})
	board.Add(Place{"R2", "anywhere"}, 1)
	board.Keep(Place{"R1", "a"}, 2)
	changed := board.Clone()
	changed.Close(Place{"R1", "b"})
	changed.Add(Place{"R1", "a"}, 1)
	lower := board.Clone()
	lower.LowerMins(board)
	assert.Equal(t, "4 2 true false false false 0 1", fmt.Sprint(at(board, "R2", "").Current,
		at(board, "R1", "a").Kept, changed.Why(Place{"R1", "b"}) != "",
		board.Why(Place{"R1", "b"}) != "", changed.Why(Place{"R1", "a"}) != "", changed.Why(Place{"R9", ""}) != "",
		at(lower, "R1", "b").Min, at(lower, "R1", "a").Min))
	for at, want := range map[Place]string{{"R1", "a"}: "", {"R1", "old"}: "it is not listed", {"R2", ""}: "it is above its cap of 1"} {
		assert.Equal(t, want, board.WhyLoses(at), "%s", at)
	}
	for at, there := range map[Place]bool{{"R1", "a"}: true, {"R2", "x"}: true, {"R1", "gone"}: false, {"R9", "a"}: false} {
		before := fmt.Sprint(changed.Rows())
		if changed.Add(at, 0) != there || changed.Keep(at, 0) != there || !there &&
			(changed.Add(at, 1) || changed.Keep(at, 1) || fmt.Sprint(changed.Rows()) != before) {
			t.Errorf("%s is on the board: want %t", at, there)
		}
	}
	changed.Grow(9)
	assert.Equal(t, []int64{4, 2}, []int64{changed.Rows()[0].Bin.Current, at(changed, "R1", "a").Kept}, "a full board has grown")
}

func at(b *Board, region, zone string) *Bin {
	s, _ := b.counted(Place{region, zone})
	return b.at(s)
}

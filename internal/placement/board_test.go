package placement

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// TestBoard: regions, their zones, and the zones of one region are planned by the
// same rules.
func TestBoard(t *testing.T) {
	region := func(name string, zones ...string) Region {
		r := Region{Bin: Bin{Name: name, Weight: 100, Cap: Unlimited}}
		for _, z := range zones {
			r.Zones = append(r.Zones, Bin{Name: z, Weight: 100, Cap: Unlimited})
		}
		return r
	}
	closed := region("R1")
	closed.Closed, closed.Why = true, "has no compute endpoint"
	zoneClosed := region("R1", "a", "b")
	zoneClosed.Zones[1].Closed, zoneClosed.Zones[1].Why = true, "is not available"
	over, least := region("R1", "a"), region("R1", "a")
	over.Zones[0].Cap, least.Min = 1, 3
	capped := region("R1", "a", "b")
	capped.Cap = 5
	for _, c := range []struct {
		name   string
		listed []Region
		nodes  Counts
		change int64
		want   string
		fails  string
	}{
		{"regions", []Region{region("R1"), region("R2")}, Counts{{"R1", "a"}: 1, {"R1", "b"}: 1}, 4, "map[R1:1 R2:3]", ""},
		{"two levels", []Region{region("R1", "a", "b"), region("R2", "a")}, Counts{{"R1", "a"}: 2}, 4, "map[R1/b:1 R2/a:3]", ""},
		{"zones of one region", []Region{region("R1", "a", "b")}, Counts{{"R1", "a"}: 1, {"R1", ""}: 1}, 3, "map[R1/a:1 R1/b:2]", ""},
		{"what is not listed leaves first", []Region{region("R1", "a"), region("R2")}, Counts{{"R1", "a"}: 3, {"R1", "x"}: 1, {"R3", "a"}: 2}, -3,
			"map[R1/x:-1 R3:-2]", ""},
		{"also where its region has its share", []Region{region("R1", "a"), region("R2")}, Counts{{"R1", "a"}: 2, {"R1", "x"}: 1, {"R2", ""}: 3}, -1, "map[R1/x:-1]", ""},
		{"then what is above the cap of a zone", []Region{over, region("R2")}, Counts{{"R1", "a"}: 2, {"R1", "x"}: 1, {"R2", ""}: 9}, -3, "map[R1/a:-1 R1/x:-1 R2:-1]", ""},
		{"but no region falls below its min", []Region{least, region("R2")}, Counts{{"R1", "a"}: 2, {"R1", "x"}: 1, {"R2", ""}: 3}, -1, "map[R2:-1]", ""},
		{"additions avoid what is closed", []Region{closed, region("R2")}, Counts{{"R1", ""}: 1}, 2, "map[R2:2]", ""},
		{"removals leave it alone", []Region{closed, region("R2")}, Counts{{"R1", ""}: 5, {"R2", ""}: 2}, -1, "map[R2:-1]", ""},
		{"so with zones", []Region{zoneClosed}, Counts{{"R1", "a"}: 2, {"R1", "b"}: 5}, -1, "map[R1/a:-1]", ""},
		{"and where nothing else is left there is no plan", []Region{zoneClosed}, Counts{{"R1", "a"}: 2, {"R1", "b"}: 5}, -3, "",
			"3 nodes must be removed, but only 2 can be: R1/a 2, R1/b 0 (not available, and keeps its nodes)."},
		{"a region's cap bounds its zones", []Region{capped}, Counts{{"R1", "a"}: 2}, 4, "", "4 nodes must be added, but there is room for 3: R1 3 (cap 5)."},
		{"nothing", []Region{region("R1")}, nil, 0, "map[]", ""},
	} {
		board := NewBoard(c.listed, c.nodes)
		if c.change < 0 {
			board.Hold()
		}
		got, err := board.Distribute(c.change)
		if infeasible, ok := asInfeasible(err); ok != (c.fails != "") || ok && infeasible.Detail() != c.fails {
			t.Errorf("%s: got %v, want %s", c.name, infeasible, c.fails)
		}
		if err == nil && (fmt.Sprint(got) != c.want || got.Total() != c.change) {
			t.Errorf("%s: got %v, %d", c.name, got, got.Total())
		}
	}
}

// TestMaintenance: what an operator closed takes no node, is no place to move from, and
// gives up nodes only where all others have given theirs.
func TestMaintenance(t *testing.T) {
	region := func(name string, closed bool, zones string) Region {
		r := Region{Bin: Bin{Name: name, Weight: 100, Cap: Unlimited, Maintenance: closed}, Zones: bins(t, zones)}
		for i := range r.Zones {
			r.Zones[i].Maintenance = r.Zones[i].Name == "shut"
		}
		return r
	}
	for _, c := range []struct {
		name   string
		listed []Region
		nodes  Counts
		change int64
		want   string
		fails  string
	}{
		{"a zone takes none", []Region{region("R1", false, "a, shut")}, Counts{{"R1", "a"}: 5}, 2, "map[R1/a:2]", ""},
		{"nor does a region", []Region{region("R1", true, "a"), region("R2", false, "a")}, Counts{{"R2", "a"}: 5}, 2, "map[R2/a:2]", ""},
		{"a min of it is not filled", []Region{region("R1", false, "a, shut min2")}, nil, 2, "map[R1/a:2]", ""},
		{"all are closed", []Region{region("R1", false, "shut"), region("R2", true, "a")}, nil, 1, "",
			"1 node must be added, but there is room for 0: R1/shut 0 (closed), R2 0 (closed)."},
		{"a zone gives none up", []Region{region("R1", false, "a, shut")}, Counts{{"R1", "a"}: 2, {"R1", "shut"}: 5}, -2, "map[R1/a:-2]", ""},
		{"before all others have", []Region{region("R1", false, "a min1, shut")}, Counts{{"R1", "a"}: 2, {"R1", "shut"}: 5}, -3, "map[R1/a:-1 R1/shut:-2]", ""},
		{"whether it is above its cap or lists no such zone", []Region{region("R1", true, "a cap1"), region("R2", false, "a")},
			Counts{{"R1", "a"}: 3, {"R1", "old"}: 2, {"R2", "a"}: 3}, -3, "map[R2/a:-3]", ""},
		{"then what is not listed goes first again", []Region{region("R1", true, "a cap1"), region("R2", false, "a")},
			Counts{{"R1", "a"}: 3, {"R1", "old"}: 2, {"R2", "a"}: 3}, -6, "map[R1/a:-1 R1/old:-2 R2/a:-3]", ""},
		{"nor more than there are", []Region{region("R1", false, "a min1, shut min1")}, Counts{{"R1", "a"}: 2, {"R1", "shut"}: 2}, -3, "",
			"3 nodes must be removed, but only 2 can be: R1/a 1 (min 1), R1/shut 1 (min 1)."},
	} {
		board := NewBoard(c.listed, c.nodes)
		got, err := board.Distribute(c.change)
		if infeasible, ok := asInfeasible(err); ok != (c.fails != "") || ok && infeasible.Detail() != c.fails {
			t.Errorf("%s: got %v, want %s", c.name, infeasible, c.fails)
		}
		if err == nil && fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
	listed := []Region{region("R1", false, "a, b, shut"), region("R2", true, "a")}
	board := NewBoard(listed, Counts{{"R1", "a"}: 3, {"R1", "shut"}: 9, {"R2", "a"}: 4, {"R2", "old"}: 1})
	if from, to, ok := board.Move(); !ok || from != (Place{"R1", "a"}) || to != (Place{"R1", "b"}) {
		t.Errorf("moves %s to %s, %t", from, to, ok)
	}
	const beyond = "it is closed, and no open place can lose a node"
	assert.Equal(t, beyond, board.Beyond(Place{"R2", "old"}), "beyond")
	for at, closed := range map[Place]bool{{"R1", "a"}: false, {"R1", "shut"}: true, {"R2", "a"}: true} {
		if board.Closed(at) != closed || board.Takes(at) == closed || closed && board.Why(at) != "is closed" {
			t.Errorf("%s is closed: %t (%s), takes: %t", at, board.Closed(at), board.Why(at), board.Takes(at))
		}
	}
	board.Hold() // a place that is only closed for maintenance answers
	if got, err := board.Distribute(-4); err != nil || fmt.Sprint(got) != "map[R1/a:-3 R2/old:-1]" {
		t.Errorf("%v, %v", got, err)
	}
}

// TestMaintenanceOneByOne: many nodes leave at once as they leave one after the other.
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
			if ok != (err == nil) {
				t.Fatalf("node %d leaves: %v, but at once: %v", n, ok, err)
			}
			if !ok {
				return
			}
			stepped.Add(at, -1)
			total[at]--
			if !maps.Equal(total, changes) {
				t.Fatalf("%d nodes one by one: %v, at once: %v", n, total, changes)
			}
		}
	})
}

// TestBoardChanges: what is added, kept, closed and lowered counts where the place
// is counted.
func TestBoardChanges(t *testing.T) {
	listed := []Region{{Bin: Bin{Name: "R1", Weight: 1, Cap: Unlimited}, Zones: bins(t, "a cap3 min1, b min2")}, {Bin: Bin{Name: "R2", Weight: 1, Cap: 1}}}
	board := NewBoard(listed, Counts{{"R1", "a"}: 2, {"R1", "old"}: 1, {"R2", "x"}: 3})
	board.Add(Place{"R2", "anywhere"}, 1)
	board.Keep(Place{"R1", "a"}, 2)
	changed := board.Clone()
	changed.Close(Place{"R1", "b"})
	changed.Add(Place{"R1", "a"}, 1)
	lower := board.Clone()
	lower.LowerMins(board)
	if got := fmt.Sprint(at(board, "R2", "").Current, at(board, "R1", "a").Kept, changed.Closed(Place{"R1", "b"}), board.Closed(Place{"R1", "b"}),
		changed.Closed(Place{"R1", "a"}), changed.Closed(Place{"R9", ""}), at(lower, "R1", "b").Min, at(lower, "R1", "a").Min); got != "4 2 true false false false 0 1" {
		t.Errorf("got %s", got)
	}
	for at, want := range map[Place]string{{"R1", "a"}: "", {"R1", "old"}: "it is not listed", {"R2", ""}: "it is above its cap of 1"} {
		assert.Equal(t, want, board.Beyond(at), "%s", at)
	}
	for at, there := range map[Place]bool{{"R1", "a"}: true, {"R2", "x"}: true, {"R1", "gone"}: false, {"R9", "a"}: false} {
		before := fmt.Sprint(changed.Rows())
		if changed.Add(at, 0) != there || changed.Keep(at, 0) != there || !there && (changed.Add(at, 1) || changed.Keep(at, 1) || fmt.Sprint(changed.Rows()) != before) {
			t.Errorf("%s is on the board: want %t", at, there)
		}
	}
	changed.Grow(9)
	if got := changed.Rows(); got[0].Bin.Current != 4 || at(changed, "R1", "a").Kept != 2 {
		t.Errorf("a full board has grown to %+v", got)
	}
}

func at(b *Board, region, zone string) *Bin {
	s, _ := b.counted(Place{region, zone})
	return b.at(s)
}

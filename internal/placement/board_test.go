package placement

import (
	"fmt"
	"testing"
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
		{"additions avoid what is closed", []Region{closed, region("R2")}, Counts{{"R1", ""}: 1}, 2, "map[R2:2]", ""},
		{"removals leave it alone", []Region{closed, region("R2")}, Counts{{"R1", ""}: 5, {"R2", ""}: 2}, -1, "map[R2:-1]", ""},
		{"so with zones", []Region{zoneClosed}, Counts{{"R1", "a"}: 2, {"R1", "b"}: 5}, -1, "map[R1/a:-1]", ""},
		{"and where nothing else is left there is no plan", []Region{zoneClosed}, Counts{{"R1", "a"}: 2, {"R1", "b"}: 5}, -3, "",
			"3 nodes must be removed, but only 2 can be: R1/a 2, R1/b 0 (is not available, and keeps its nodes)."},
		{"a region's cap bounds its zones", []Region{capped}, Counts{{"R1", "a"}: 2}, 4, "", "4 nodes must be added, but there is room for 3: R1 3 of 5 (cap)."},
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
	if got := fmt.Sprint(board.bin(Place{"R2", ""}).Current, board.bin(Place{"R1", "a"}).Kept, changed.Closed(Place{"R1", "b"}), board.Closed(Place{"R1", "b"}),
		changed.Closed(Place{"R1", "a"}), changed.Closed(Place{"R9", ""}), lower.bin(Place{"R1", "b"}).Min, lower.bin(Place{"R1", "a"}).Min); got != "4 2 true false false false 0 1" {
		t.Errorf("got %s", got)
	}
	for at, want := range map[Place]string{{"R1", "a"}: "", {"R1", "old"}: "it is not listed", {"R2", ""}: "it is above its cap of 1"} {
		if got := board.Beyond(at); got != want {
			t.Errorf("%s: got %q, want %q", at, got, want)
		}
	}
	changed.Grow(9)
	if got := changed.Rows(); got[0].Bin.Current != 4 || changed.bin(Place{"R1", "a"}).Kept != 2 {
		t.Errorf("a full board has grown to %+v", got)
	}
}

package placement

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInfeasible: the error says how much room there is, and what closes each
// place.
func TestInfeasible(t *testing.T) {
	closed := Bin{Name: "az-2", Weight: 1, Cap: Unlimited, Current: 2, Closed: true, Why: "is not available"}
	full := Bin{Name: "az-1", Weight: 1, Cap: 3, Current: 3}
	region := func(name string, more int64, zones ...Bin) Region {
		return Region{Bin: Bin{Name: name, Weight: 1, Cap: more, Current: 0}, Zones: zones}
	}
	for _, c := range []struct {
		regions []Region
		count   int64
		detail  string
	}{
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: 3}}, {Bin: Bin{Name: "B", Weight: 1, Cap: 1, Current: 1}}}, 5,
			"5 nodes must be added, but there is room for 3: A 3 (cap 3), B 0 (cap 1)."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: 2, Current: 2}}, region("B", Unlimited, closed, full)}, 1,
			"1 node must be added, but there is room for 0: A 0 (cap 2), B/az-2 0 (not available), B/az-1 0 (cap 3)."},
		{[]Region{region("B", 4, closed, full)}, 1, "1 node must be added, but there is room for 0: B 0 (cap 4)."},
		{[]Region{region("B", Unlimited, Bin{Name: "az-1", Weight: 1, Cap: 3, Current: 1}, Bin{Name: "old", Current: 1})}, 4,
			"4 nodes must be added, but there is room for 2: B/az-1 2 (cap 3)."},
		{[]Region{region("B", Unlimited, Bin{Name: "az-1", Weight: 1, Cap: 3, Current: 2})}, 4,
			"4 nodes must be added, but there is room for 1: B/az-1 1 (cap 3)."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: 3, Current: 2, Why: "quota: 9 of 10 instances in use"}}, {Bin: Bin{Name: "old", Current: 1}}}, 2,
			"2 nodes must be added, but there is room for 1: A 1 (quota: 9 of 10 instances in use), old 0 (not listed)."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: Unlimited, Closed: true, Why: "has no compute endpoint"}}}, 2,
			"2 nodes must be added, but there is room for 0: A 0 (no compute endpoint)."},
		{nil, 2, "2 nodes must be added, but there is room for 0: no place is listed."},

		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: Unlimited, Min: 1, Current: 3}}, {Bin: Bin{Name: "B", Weight: 1, Cap: Unlimited, Current: 1}}}, -4,
			"4 nodes must be removed, but only 3 can be: A 2 (min 1), B 1."},
		{[]Region{region("A", Unlimited, closed, full)}, -5, "5 nodes must be removed, but only 3 can be: A/az-2 0 (not available, and keeps its nodes), A/az-1 3."},
		{[]Region{region("A", Unlimited, Bin{Name: "az-1", Weight: 1, Cap: Unlimited, Min: 2, Current: 2})}, -1,
			"1 node must be removed, but only 0 can be: A/az-1 0 (min 2)."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: Unlimited, Min: 1, Kept: 2, Current: 3}}, {Bin: Bin{Name: "B", Weight: 1, Cap: Unlimited, Min: 1, Kept: 1, Current: 1}}}, -2,
			"2 nodes must be removed, but only 1 can be: A 1 (2 protected), B 0 (min 1)."},
		{[]Region{region("A", Unlimited, Bin{Name: "az-1", Weight: 1, Cap: Unlimited, Min: 1, Kept: 2, Current: 2}, Bin{Name: "az-2", Weight: 1, Cap: Unlimited, Min: 1, Kept: 1, Current: 2}, Bin{Name: "az-3", Weight: 1, Cap: Unlimited, Current: 1})}, -3,
			"3 nodes must be removed, but only 2 can be: A/az-1 0 (2 protected), A/az-2 1 (min 1), A/az-3 1."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: Unlimited, Min: 2}, Zones: []Bin{{Name: "az-1", Weight: 1, Cap: Unlimited, Min: 3, Current: 1}, {Name: "az-2", Weight: 1, Cap: Unlimited, Current: 3}}}}, -3,
			"3 nodes must be removed, but only 2 can be: A 2 (min 2)."},
		{[]Region{region("A", Unlimited, Bin{Name: "az-0", Weight: 1, Cap: Unlimited, Current: 1, Closed: true}, full)}, 1,
			"1 node must be added, but there is room for 0: A/az-0 0 (takes no nodes now), A/az-1 0 (cap 3)."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: Unlimited, Closed: true, Why: "has no compute endpoint"}, Zones: []Bin{full}}}, 1,
			"1 node must be added, but there is room for 0: A 0 (no compute endpoint)."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: Unlimited, Current: 3, Closed: true, Why: "has no compute endpoint"}, Zones: []Bin{full}}}, -1,
			"1 node must be removed, but only 0 can be: A 0 (no compute endpoint, and keeps its nodes)."},
		{[]Region{{Bin: Bin{Name: "A", Weight: 1, Cap: Unlimited, Current: 1}}, {Bin: Bin{Name: "old", Current: 2, Closed: true, Why: "has no compute endpoint"}}}, -2,
			"2 nodes must be removed, but only 1 can be: A 1, old 0 (no compute endpoint, and keeps its nodes)."},
		{[]Region{region("A", Unlimited, Bin{Name: "az-1", Weight: 1, Cap: Unlimited, Current: 1}, Bin{Name: "old", Current: 2, Closed: true, Why: "is not available"})}, -2,
			"2 nodes must be removed, but only 1 can be: A/az-1 1, A/old 0 (not available, and keeps its nodes)."},
	} {
		regions := c.regions
		if c.count < 0 {
			regions = hold(regions, func(b Bin) bool { return b.Closed })
		}
		_, err := distributeRegions(regions, c.count)
		var infeasible *InfeasibleError
		if !errors.As(err, &infeasible) {
			t.Fatalf("%+v, %+d: got %v", c.regions, c.count, err)
		}
		if infeasible.Error() != "There is no feasible plan to handle all nodes." || infeasible.Detail() != c.detail {
			t.Errorf("got  %s\nwant %s", infeasible.Detail(), c.detail)
		}
	}
}

// TestHold: what is closed keeps its nodes, and all else gives up its own.
func TestHold(t *testing.T) {
	regions := []Region{
		{Bin: Bin{Name: "A", Weight: 1, Cap: 1, Current: 4, Closed: true}},
		{Bin: Bin{Name: "B", Weight: 1, Cap: Unlimited}, Zones: []Bin{{Name: "a", Weight: 1, Cap: Unlimited, Current: 3}, {Name: "b", Weight: 1, Cap: Unlimited, Current: 5, Closed: true}}},
		{Bin: Bin{Name: "C", Weight: 1, Cap: Unlimited, Closed: true}, Zones: []Bin{{Name: "a", Weight: 1, Cap: Unlimited, Current: 1}, {Name: "old", Current: 1}}},
	}
	changes, err := distributeRegions(hold(regions, func(b Bin) bool { return b.Closed }), -3)
	require.NoError(t, err)
	if changes[0].nodes != 0 || changes[1].zones[0] != -3 || changes[1].zones[1] != 0 || changes[2].nodes != 0 {
		t.Errorf("got %v", changes)
	}
	if regions[0].Min != 0 || regions[1].Zones[1].Min != 0 {
		t.Error("the regions that were given have changed")
	}
	if _, err := distributeRegions(hold(regions, func(b Bin) bool { return b.Closed }), -4); err == nil {
		t.Error("what is closed gave up a node")
	}
}

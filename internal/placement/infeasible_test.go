package placement

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestInfeasible: the error says how much room there is, and what limits each place.
func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		regions string
		count   int64
		detail  string
	}{
		{"A cap3; B cap1 now1", 5, "5 nodes must be added, but there is room for 3: A 3 (cap 3), B 0 (cap 1)."},
		{"A cap2 now2; B: az-2 now2 down, az-1 cap3 now3", 1,
			"1 node must be added, but there is room for 0: A 0 (cap 2), B/az-2 0 (not available), B/az-1 0 (cap 3)."},
		{"B: az-1 cap3 now1, old w0 now1", 4, "4 nodes must be added, but there is room for 2: B/az-1 2 (cap 3)."},
		{"A cap3 now2 quota; old w0 now1", 2,
			"2 nodes must be added, but there is room for 1: A 1 (quota: 9 of 10 instances in use), old 0 (not listed)."},
		{"A gone: az-1 cap3 now3", 1, "1 node must be added, but there is room for 0: A 0 (no compute endpoint)."},
		{"A: az-0 now1 closed, az-1 cap3 now3", 1, "1 node must be added, but there is room for 0: A/az-0 0 (takes no nodes now), A/az-1 0 (cap 3)."},
		{"", 2, "2 nodes must be added, but there is room for 0: no place is listed."},

		{"A min1 now3; B now1", -4, "4 nodes must be removed, but only 3 can be: A 2 (min 1), B 1."},
		{"A: az-2 min1 now2 down, az-1 cap3 now3", -5, "5 nodes must be removed, but only 4 can be: A/az-2 1 (min 1), A/az-1 3."},
		{"A min1 kept2 now3; B min1 kept1 now1", -2, "2 nodes must be removed, but only 1 can be: A 1 (2 protected), B 0 (min 1)."},
		{"A: az-1 min1 kept2 now2, az-2 min1 kept1 now2, az-3 now1", -3,
			"3 nodes must be removed, but only 2 can be: A/az-1 0 (2 protected), A/az-2 1 (min 1), A/az-3 1."},
		{"A min2: az-1 min3 now1, az-2 now3", -3, "3 nodes must be removed, but only 2 can be: A 2 (min 2)."},
		{"A gone: az-1 cap3 now3", -1, "1 node must be removed, but only 0 can be: A 0 (no compute endpoint, and keeps its nodes)."},
		{"A now1; old w0 now2 gone", -2, "2 nodes must be removed, but only 1 can be: A 1, old 0 (no compute endpoint, and keeps its nodes)."},
	} {
		board := newBoard(regions(t, c.regions))
		for _, r := range board.regions {
			if r.Closed && c.count < 0 {
				board.HoldRegion(r.Name)
			}
		}
		_, err := board.Distribute(c.count)
		infeasible, ok := asInfeasible(err)
		if assert.True(t, ok, "%s, %+d: got %v", c.regions, c.count, err) {
			assert.Equal(t, "There is no feasible plan to handle all nodes.", infeasible.Error())
			assert.Equal(t, c.detail, infeasible.Detail(), c.regions)
		}
	}
}

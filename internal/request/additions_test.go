package request

import (
	"maps"
	"math/big"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/require"
)

// TestAdditions: a plan for one region takes its own share of a decision, and places each node in the zone of the
// decision.
func TestAdditions(t *testing.T) {
	byZone := func(zones map[string]counts) *Decision {
		share, err := Decided{Zones: zones}.Share()
		require.NoError(t, err)
		return &Decision{Creation: share}
	}
	regions := &Decision{Creation: &Share{Count: 6, Regions: counts{"R1": 2, "R2": 4}}}
	zoned := byZone(map[string]counts{"R1": {"a": 2, "b": 1, "c": 0}, "R2": {"a": 4}})
	flat := byZone(map[string]counts{"": {"a": 2, "b": 1}})
	for _, c := range []struct {
		name    string
		request Request
		zone    string
		want    counts
		reason  string
	}{
		{"a number", Request{ScaleOut: new(int64(3))}, "", counts{"": 3}, "3 nodes to create."},
		{"in the plan's zone", Request{ScaleOut: new(int64(3))}, "a", counts{"a": 3}, "3 nodes to create."},
		{"fewer nodes", Request{ScaleIn: new(int64(3))}, "a", nil, "Nothing to create or to delete."},
		{"a resize", Request{Resize: &Resize{MinSize: new(int64(7))}}, "", counts{"": 2}, "2 nodes to create."},

		{"the share of its region", Request{Decision: regions}, "", counts{"": 2},
			"2 nodes to create. The decision has 6 nodes, of which 4 are for other regions."},
		{"in the plan's zone", Request{Decision: regions}, "a", counts{"a": 2},
			"2 nodes to create. The decision has 6 nodes, of which 4 are for other regions."},
		{"none is here", Request{Decision: &Decision{Creation: &Share{Count: 5, Regions: counts{"R2": 5}}}}, "", nil,
			"Nothing to create or to delete. The decision has 5 nodes, of which 5 are for other regions."},
		{"zones that are decided", Request{Decision: zoned}, "", counts{"a": 2, "b": 1},
			"3 nodes to create. The decision has 7 nodes, of which 4 are for other regions."},
		{"on a host of it", Request{Decision: flat}, "a:host", counts{"a:host": 2},
			"2 nodes to create. The decision has 3 nodes in R1, of which other zones get 1."},
		{"none is in its zone", Request{Decision: flat}, "c", nil,
			"Nothing to create or to delete. The decision has 3 nodes in R1, of which other zones get 3."},
		{"zones of no region", Request{Decision: flat}, "", counts{"a": 2, "b": 1}, "3 nodes to create."},
		{"all are in its zone", Request{Decision: byZone(map[string]counts{"": {"b": 2}})}, "b", counts{"b": 2}, "2 nodes to create."},
		{"a deletion of zones", Request{Decision: &Decision{Deletion: flat.Creation}}, "", nil, "Nothing to create or to delete."},
		{"a deletion", Request{Decision: &Decision{Deletion: &Share{Count: 2}}}, "", nil, "Nothing to create or to delete."},

		{"a node", Request{NodeCreate: &placement.Place{}}, "a", counts{"a": 1}, "1 node to create."},
		{"a node of this region", Request{NodeCreate: &placement.Place{Region: "R1"}}, "", counts{"": 1}, "1 node to create."},
		{"a node that names its zone", Request{NodeCreate: &placement.Place{Zone: "b"}}, "a", counts{"b": 1}, "1 node to create."},
		{"whatever is decided", Request{NodeCreate: &placement.Place{Zone: "b"}, Decision: zoned}, "", counts{"b": 1}, "1 node to create."},
		{"a node of another region", Request{NodeCreate: &placement.Place{Region: "R2", Zone: "a"}}, "", nil,
			"The node is for the region R2: nothing is planned in R1."},
	} {
		got, err := c.request.Additions("R1", c.zone, 5)
		if err != nil || !maps.Equal(got.Zones, c.want) || got.Reason != c.reason {
			t.Errorf("%s: got %+v (%v), want %v, %q", c.name, got, err, c.want, c.reason)
		}
	}
	if zoned.Creation.Zones["R1"]["c"] != 0 || len(zoned.Creation.Zones["R1"]) != 3 {
		t.Error("the decision has changed")
	}
	strict := Request{Resize: &Resize{AdjustmentType: ExactCapacity, Number: big.NewRat(9, 1), MaxSize: new(int64(8)), Strict: true}}
	if _, err := strict.Additions("R1", "", 5); err == nil {
		t.Error("a size above its bound was planned")
	}
}

package request

import (
	"maps"
	"math/big"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChange: the precedence of decisions, as the policy documents define it.
func TestChange(t *testing.T) {
	n := func(count int64) *Share { return &Share{Count: count} }
	for _, c := range []struct {
		name    string
		request Request
		want    int64
	}{
		{"scale out", Request{ScaleOut: new(int64(3))}, 3},
		{"scale in", Request{ScaleIn: new(int64(2))}, -2},
		{"resize", Request{Resize: &Resize{AdjustmentType: ExactCapacity, Number: big.NewRat(9, 1)}}, 4},
		{"resize to fewer", Request{Resize: &Resize{MaxSize: new(int64(3))}}, -2},
		{"one node", Request{NodeCreate: &placement.Place{}}, 1},
		{"one node, whatever is decided", Request{NodeCreate: &placement.Place{}, Decision: &Decision{Creation: n(4)}}, 1},

		{"scaling out looks for a creation", Request{ScaleOut: new(int64(2)), Decision: &Decision{Creation: n(3), Deletion: n(4)}}, 3},
		{"and for nothing else", Request{ScaleOut: new(int64(2)), Decision: &Decision{Deletion: n(4)}}, 2},
		{"scaling in looks for a deletion", Request{ScaleIn: new(int64(2)), Decision: &Decision{Creation: n(3), Deletion: n(4)}}, -4},
		{"and for nothing else", Request{ScaleIn: new(int64(2)), Decision: &Decision{Creation: n(3)}}, -2},
		{"a resize looks for a creation first", Request{Resize: &Resize{MaxSize: new(int64(3))}, Decision: &Decision{Creation: n(1), Deletion: n(4)}}, 1},
		{"then for a deletion", Request{Resize: &Resize{MaxSize: new(int64(9))}, Decision: &Decision{Deletion: n(4)}}, -4},
		{"then at its own numbers", Request{Resize: &Resize{MaxSize: new(int64(3))}, Decision: &Decision{}}, -2},
		{"a decision alone is looked at like a resize", Request{Decision: &Decision{Creation: n(4), Deletion: n(1)}}, 4},
		{"a deletion alone", Request{Decision: &Decision{Deletion: n(1)}}, -1},
		{"nothing decided leaves the request", Request{ScaleOut: new(int64(2)), Decision: &Decision{}}, 2},
		{"and alone changes nothing", Request{Decision: &Decision{}}, 0},
	} {
		assert.NoError(t, c.request.Check(), c.name)
		if got, err := c.request.Change(5); err != nil || got != c.want {
			t.Errorf("%s: got %d (%v), want %d", c.name, got, err, c.want)
		}
		if share := c.request.decided(); share != nil && share.Count != max(c.want, -c.want) {
			t.Errorf("%s: counts by %d, not by the decision of %d", c.name, c.want, share.Count)
		}
	}
}

// TestPrecedence: a place that a node names takes precedence over the plan.
func TestPrecedence(t *testing.T) {
	for _, c := range []struct {
		name   string
		node   *placement.Place
		region string // region of a plan of zones
		zoned  []string
		want   string // "" if the plan places the node
	}{
		{"no node", nil, "", nil, ""},
		{"a node that names nothing", &placement.Place{}, "", []string{"R1"}, ""},
		{"a region", &placement.Place{Region: "R1"}, "", []string{"R2"}, "The region R1 that the node names takes precedence: nothing is planned."},
		{"a region with zones", &placement.Place{Region: "R1"}, "", []string{"R1"},
			"The region R1 that the node names takes precedence: nothing is planned. To choose its zone use a plan of zones."},
		{"a region and a zone", &placement.Place{Region: "R1", Zone: "az-1"}, "", []string{"R1"},
			"The region R1 that the node names takes precedence: nothing is planned."},
		{"a zone, in a plan of regions", &placement.Place{Zone: "az-1"}, "", nil, ""},
		{"a zone, in a plan of regions and zones", &placement.Place{Zone: "az-1"}, "", []string{"R1"},
			"The availability zone az-1 that the node names takes precedence, and its region is not named: nothing is planned."},
		{"a node that names nothing, in a plan of zones", &placement.Place{}, "R1", nil, ""},
		{"a zone, in a plan of zones", &placement.Place{Zone: "az-1"}, "R1", []string{"R1"},
			"The availability zone az-1 that the node names takes precedence: nothing is planned."},
		{"the plan's own region", &placement.Place{Region: "R1"}, "R1", []string{"R1"}, ""},
		{"another region", &placement.Place{Region: "R2"}, "R1", nil, "The node is for the region R2: nothing is planned in R1."},
	} {
		got := Request{NodeCreate: c.node}.Precedence(c.region, c.zoned...)
		assert.Equal(t, c.want, got, c.name)
	}
}

// TestCut: a number of nodes is cut to the size of the cluster, and the count of a place is not.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		name         string
		request      Request
		change       int64
		want, wanted int64
	}{
		{"fewer", Request{}, -4, -4, 0},
		{"all", Request{}, -5, -5, 0},
		{"more", Request{}, -9, -5, 9},
		{"new ones", Request{}, 9, 9, 0},
		{"a number that is decided", Request{Decision: &Decision{Deletion: &Share{Count: 9}}}, -9, -5, 9},
		{"of a region", Request{Decision: &Decision{Deletion: &Share{Count: 9, Regions: counts{"R1": 9}}}}, -9, -9, 0},
		{"of a zone", Request{Decision: &Decision{Deletion: &Share{Count: 9, Zones: map[string]map[string]int64{"": {"a": 9}}}}}, -9, -9, 0},
	} {
		if got, asked := c.request.Cut(c.change, 5); got != c.want || asked != c.wanted {
			t.Errorf("%s: got %d (asked %d), want %d (asked %d)", c.name, got, asked, c.want, c.wanted)
		}
	}
}

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
		{"no node is in the region", Request{Decision: &Decision{Creation: &Share{Count: 5, Regions: counts{"R2": 5}}}}, "", nil,
			"Nothing to create or to delete. The decision has 5 nodes, of which 5 are for other regions."},
		{"zones that are decided", Request{Decision: zoned}, "", counts{"a": 2, "b": 1},
			"3 nodes to create. The decision has 7 nodes, of which 4 are for other regions."},
		{"on a host of it", Request{Decision: flat}, "a:host", counts{"a:host": 2},
			"2 nodes to create. The decision has 3 nodes in R1, of which other zones get 1."},
		{"no node is in the zone", Request{Decision: flat}, "c", nil,
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

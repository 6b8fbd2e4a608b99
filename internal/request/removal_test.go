package request

import (
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWanted(t *testing.T) {
	nodes := []node.Node{{ID: "1", Region: "R1"}, {ID: "2", Region: "R1"}, {ID: "3", Region: "R2"}}
	for _, c := range []struct {
		name    string
		removal Removal
		count   int64
		groups  counts
		cut     int64
	}{
		{"scale in", Removal{ScaleIn: new(int64(2))}, 2, nil, 0},
		{"more than there are", Removal{ScaleIn: new(int64(9))}, 3, nil, 9},
		{"a decision takes precedence", Removal{ScaleIn: new(int64(2)), Decision: &Decision{Deletion: &Share{Count: 1}}}, 1, nil, 0},
		{"a creation is not ours", Removal{ScaleIn: new(int64(2)), Decision: &Decision{Creation: &Share{Count: 1}}}, 2, nil, 0},
		{"a resize that grows", Removal{Resize: &Resize{MinSize: new(int64(9))}}, 0, nil, 0},
		{"nothing is decided", Removal{Decision: &Decision{}}, 0, nil, 0},
		{"places", Removal{Decision: &Decision{Deletion: &Share{Count: 3, Regions: counts{"R1": 1, "R2": 2}}}}, 3, counts{"R1": 1, "R2": 2}, 0},
		{"more than a place has is not cut", Removal{Decision: &Decision{Deletion: &Share{Count: 9, Regions: counts{"R2": 9}}}}, 9, counts{"R2": 9}, 0},
	} {
		got, err := c.removal.Wanted(nodes)
		if err != nil || got.Count != c.count || got.Cut != c.cut || !reflect.DeepEqual(got.Groups, c.groups) {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
		}
	}
	strict := Removal{Resize: &Resize{AdjustmentType: ExactCapacity, Number: big.NewRat(1, 1), MinSize: new(int64(2)), Strict: true}}
	if _, err := strict.Wanted(nodes); err == nil {
		t.Error("a size below its bound was planned")
	}
	ambiguous := Removal{Decision: &Decision{Deletion: &Share{Count: 1, Zones: map[string]map[string]int64{"": {"": 1}}}}}
	if _, err := ambiguous.Wanted(nodes); err == nil || !strings.HasPrefix(err.Error(), `decision: The decision names the zone ""`) {
		t.Errorf("got %v for a zone of two regions", err)
	}
}

// TestWantedNamed: candidates of a decision are removed first, and count for their places.
func TestWantedNamed(t *testing.T) {
	nodes := []node.Node{{ID: "1", Name: "a", Region: "R1"}, {ID: "2", Region: "R1"}, {ID: "3", Name: "c", Region: "R2"}}
	for _, c := range []struct {
		name    string
		decided Decided
		ids     string
		count   int64
		groups  counts
		fault   string
	}{
		{"by name and by id", Decided{Nodes: []string{"c", "1"}}, "3 1", 0, nil, ""},
		{"and one more", Decided{Nodes: []string{"c"}, Count: new(int64(2))}, "3", 1, nil, ""},
		{"in their places", Decided{Nodes: []string{"c", "2"}, Regions: counts{"R1": 1, "R2": 1}}, "3 2", 0, counts{"R1": 0, "R2": 0}, ""},
		{"some of a place", Decided{Nodes: []string{"2"}, Regions: counts{"R1": 2, "R2": 1}}, "2", 2, counts{"R1": 1, "R2": 1}, ""},
		{"more than a place loses", Decided{Nodes: []string{"2", "1"}, Regions: counts{"R1": 1, "R2": 1}}, "", 0, nil,
			`decision: It removes 1 node from "R1", and more of its candidates are there, such as "a".`},
		{"of a place that loses none", Decided{Nodes: []string{"c"}, Regions: counts{"R1": 1}}, "", 0, nil,
			`decision: It removes 0 nodes from "R2", and more of its candidates are there, such as "c".`},
		{"a node that is not there", Decided{Nodes: []string{"9"}}, "", 0, nil, `decision: Its candidates: No node has the id or name "9"`},
		{"one node twice", Decided{Nodes: []string{"1", "a"}}, "", 0, nil, `decision: Its candidates: The node "a" is named more than once.`},
	} {
		share, err := c.decided.Share()
		require.NoError(t, err)
		got, err := Removal{Decision: &Decision{Deletion: share}}.Wanted(nodes)
		if c.fault != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.fault) {
				t.Errorf("%s: got %+v, %v, want %s", c.name, got, err, c.fault)
			}
			continue
		}
		var ids []string
		for _, n := range got.Named {
			ids = append(ids, n.ID)
		}
		if err != nil || strings.Join(ids, " ") != c.ids || got.Count != c.count || !reflect.DeepEqual(got.Groups, c.groups) {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
		}
	}
}

func TestNamed(t *testing.T) {
	nodes := []node.Node{{ID: "1", Name: "web-0"}, {ID: "2", Name: "web-1"}, {ID: "3", Name: "web-1"}, {ID: "web-0", Name: "odd"}, {ID: "5"},
		{ID: "6", Name: "web-0"}}
	for _, c := range []struct {
		candidates string
		chosen     string
		faults     []CandidateFault
	}{
		{"2 1", "2 1", nil},
		{"odd", "web-0", nil},
		{"web-0", "web-0", nil}, // an id comes before a name
		{"1 1", "1", []CandidateFault{{1, `The node "1" is named more than once.`}}},
		{"9", "", []CandidateFault{{0, `No node has the id or name "9" (nodes given: 6).`}}},
		{"web-1 2", "2", []CandidateFault{{0, `2 nodes have the name "web-1": give the id of the one that you mean, one of 2 and 3.`}}},
	} {
		chosen, faults := Named(nodes, strings.Fields(c.candidates))
		var ids []string
		for _, n := range chosen {
			ids = append(ids, n.ID)
		}
		assert.Equal(t, c.chosen, strings.Join(ids, " "), c.candidates)
		assert.Equal(t, c.faults, faults, c.candidates)
	}
	if chosen, faults := Named(nodes, []string{""}); len(chosen) > 0 || len(faults) != 1 {
		t.Errorf("an empty candidate is %v", chosen)
	}
}

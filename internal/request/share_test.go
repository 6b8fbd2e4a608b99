package request

import (
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
)

type counts = map[string]int64

// TestShare: how a decision is completed, and when it contradicts itself.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		name    string
		decided Decided
		want    Share
		fault   string
	}{
		{"nothing", Decided{}, Share{Count: 1}, ""},
		{"a count", Decided{Count: new(int64(3))}, Share{Count: 3}, ""},
		{"a count of nothing", Decided{Count: new(int64(0))}, Share{}, ""},
		{"regions", Decided{Regions: counts{"R1": 2, "R2": 1}}, Share{Count: 3, Regions: counts{"R1": 2, "R2": 1}}, ""},
		{"a region", Decided{Region: "R1"}, Share{Count: 1, Regions: counts{"R1": 1}}, ""},
		{"a region and a count", Decided{Region: "R1", Count: new(int64(4))}, Share{Count: 4, Regions: counts{"R1": 4}}, ""},
		{"zones", Decided{Zones: map[string]map[string]int64{"": {"a": 2, "b": 1}}},
			Share{Count: 3, Zones: map[string]map[string]int64{"": {"a": 2, "b": 1}}}, ""},
		{"zones of a region", Decided{Region: "R1", Count: new(int64(3)), Zones: map[string]map[string]int64{"": {"a": 2, "b": 1}}},
			Share{Count: 3, Regions: counts{"R1": 3}, Zones: map[string]map[string]int64{"R1": {"a": 2, "b": 1}}}, ""},
		{"zones by region", Decided{Zones: map[string]map[string]int64{"R1": {"a": 2}, "R2": {"a": 1}}},
			Share{Count: 3, Regions: counts{"R1": 2, "R2": 1}, Zones: map[string]map[string]int64{"R1": {"a": 2}, "R2": {"a": 1}}}, ""},
		{"as many as can be", Decided{Regions: counts{"R1": placement.MaxNodes}},
			Share{Count: placement.MaxNodes, Regions: counts{"R1": placement.MaxNodes}}, ""},
		{"regions, and the zones of one", Decided{Regions: counts{"R1": 2, "R2": 1}, Zones: map[string]map[string]int64{"R1": {"a": 2}}},
			Share{Count: 3, Regions: counts{"R1": 2, "R2": 1}, Zones: map[string]map[string]int64{"R1": {"a": 2}}}, ""},

		{"no candidates", Decided{Nodes: []string{}}, Share{Nodes: []string{}}, ""},
		{"no zones", Decided{Zones: map[string]map[string]int64{}}, Share{}, ""},
		{"no zones of a region", Decided{Region: "R1", Zones: map[string]map[string]int64{}}, Share{Regions: counts{"R1": 0}}, ""},
		{"no regions", Decided{Regions: counts{}}, Share{Regions: counts{}}, ""},
		{"candidates", Decided{Nodes: []string{"x", "y"}}, Share{Count: 2, Nodes: []string{"x", "y"}}, ""},
		{"candidates and others", Decided{Nodes: []string{"x"}, Count: new(int64(3))}, Share{Count: 3, Nodes: []string{"x"}}, ""},
		{"more candidates than nodes", Decided{Nodes: []string{"x", "y"}, Count: new(int64(1))}, Share{},
			"candidates: The decision has a count of 1, but its candidates are 2."},
		{"a negative count", Decided{Count: new(int64(-1))}, Share{}, "count: A number of nodes is 0 or more, not -1."},
		{"a negative region", Decided{Regions: counts{"R1": 3, "R2": -1}}, Share{}, `regions: "R2": A number of nodes is 0 or more, not -1.`},
		{"a negative zone", Decided{Zones: map[string]map[string]int64{"R1": {"a": 3, "b": -1}}}, Share{},
			`zones: "b": A number of nodes is 0 or more, not -1.`},
		{"too many in one region", Decided{Regions: counts{"R1": placement.MaxNodes + 1}}, Share{},
			`regions: "R1": 1000000000000001 nodes are more than can be planned.`},
		{"too many", Decided{Regions: counts{"R1": placement.MaxNodes, "R2": 1}}, Share{}, "count: 1000000000000001 nodes are more than can be planned"},
		{"a count that is not the sum", Decided{Count: new(int64(5)), Regions: counts{"R1": 3}}, Share{},
			"count: The decision has a count of 5, but its regions or zones add up to 3."},
		{"a region and regions", Decided{Region: "R1", Regions: counts{"R1": 1}}, Share{}, "region: A decision names one region, or a number"},
		{"zones that are not their region", Decided{Regions: counts{"R1": 3}, Zones: map[string]map[string]int64{"R1": {"a": 2}}}, Share{},
			`zones: The decision has a count of 3 for the region "R1", but its zones there add up to 2.`},
		{"zones of a region that is not named", Decided{Regions: counts{"R1": 3}, Zones: map[string]map[string]int64{"R2": {"a": 2}}}, Share{},
			`zones: The decision has a count of 0 for the region "R2"`},
		{"zones without a region together with regions", Decided{Regions: counts{"R1": 2}, Zones: map[string]map[string]int64{"": {"a": 2}}}, Share{},
			"zones: The decision has a count for each region, and zones without a region. Write the zones by region"},
	} {
		zones := maps.Clone(c.decided.Zones)
		got, err := c.decided.Share()
		switch {
		case c.fault != "":
			if err == nil || !strings.HasPrefix(err.Error(), c.fault) {
				t.Errorf("%s: got %+v, %v, want %s", c.name, got, err, c.fault)
			}
		case err != nil || !reflect.DeepEqual(*got, c.want):
			t.Errorf("%s: got %+v, %v, want %+v", c.name, got, err, c.want)
		}
		assert.Equal(t, c.decided.Zones, zones, "%s: the decision that was given", c.name)
	}
}

// TestShareIn: a plan takes the share of its own regions.
func TestShareIn(t *testing.T) {
	both := &Share{Count: 8, Regions: counts{"R1": 5, "R2": 3}, Zones: map[string]map[string]int64{"R1": {"a": 5}}}
	for _, c := range []struct {
		name      string
		share     *Share
		regions   []string
		want      Share
		elsewhere int64
	}{
		{"no places", &Share{Count: 4}, []string{"R1"}, Share{Count: 4}, 0},
		{"zones of no region", &Share{Count: 2, Zones: map[string]map[string]int64{"": {"a": 2}}}, []string{"R1"},
			Share{Count: 2, Zones: map[string]map[string]int64{"": {"a": 2}}}, 0},
		{"one of two regions", both, []string{"R2"}, Share{Count: 3, Regions: counts{"R2": 3}}, 5},
		{"with its zones", both, []string{"R1"}, Share{Count: 5, Regions: counts{"R1": 5}, Zones: map[string]map[string]int64{"R1": {"a": 5}}}, 3},
		{"both", both, []string{"R1", "R2", "R3"}, *both, 0},
		{"none", both, []string{"R3"}, Share{Regions: counts{}}, 8},
	} {
		assert.Equal(t, c.want, *c.share.in(c.regions...), c.name)
		all := Request{ScaleOut: new(int64(99)), Decision: &Decision{Creation: c.share}}
		asked := all.In(c.regions, nil)
		if got := all.Elsewhere(asked); (got == "") != (c.elsewhere == 0) || !strings.Contains(got, strconv.FormatInt(c.elsewhere, 10)) && got != "" {
			t.Errorf("%s: %s, want %d", c.name, got, c.elsewhere)
		}
		if got, err := asked.Change(0); err != nil || got != c.want.Count {
			t.Errorf("%s: changes by %d (%v), want %d", c.name, got, err, c.want.Count)
		}
		asked = Request{Decision: &Decision{Deletion: c.share}}.In(nil, c.regions)
		if got, err := asked.Change(0); err != nil || got != -c.want.Count {
			t.Errorf("%s: changes by %d (%v), want %d fewer", c.name, got, err, c.want.Count)
		}
	}
}

// TestGroups: nodes are chosen from the places that a decision names.
func TestGroups(t *testing.T) {
	at := func(region, zone string) placement.Place { return placement.Place{Region: region, Zone: zone} }
	in := func(p placement.Place) node.Node { return node.Node{Region: p.Region, Zone: p.Zone} }
	here, there := at("R1", "a"), at("R2", "a")
	for _, c := range []struct {
		name   string
		share  Share
		groups counts
		place  map[placement.Place]string
		fault  string
	}{
		{"no places", Share{Count: 3}, nil, nil, ""},
		{"regions", Share{Regions: counts{"R1": 2, "R2": 0}}, counts{"R1": 2, "R2": 0}, map[placement.Place]string{here: "R1", there: "R2"}, ""},
		{"zones of a region", Share{Regions: counts{"R1": 2}, Zones: map[string]map[string]int64{"R1": {"a": 2}}}, counts{"R1/a": 2},
			map[placement.Place]string{here: "R1/a", there: "R2", at("", "a"): "R1/a"}, ""},
		{"regions, and the zones of one", Share{Regions: counts{"R1": 2, "R2": 1}, Zones: map[string]map[string]int64{"R1": {"a": 2}}},
			counts{"R1/a": 2, "R2": 1},
			map[placement.Place]string{here: "R1/a", there: "R2", at("", "a"): ""}, ""},
		{"zones of any region", Share{Zones: map[string]map[string]int64{"": {"b": 1}}}, counts{"b": 1},
			map[placement.Place]string{at("R1", "b"): "b", here: "a"}, ""},
		{"zones of the one region that has nodes there", Share{Zones: map[string]map[string]int64{"": {"c": 1}}}, counts{"c": 1}, nil, ""},
		{"zones of two regions", Share{Zones: map[string]map[string]int64{"": {"a": 1}}}, counts{"a": 1}, nil,
			`zones: The decision names the zone "a" without a region, and nodes of R1 and R2 are in a zone of that name.`},
	} {
		groups, of, err := c.share.groups([]node.Node{in(here), in(there), in(here), in(at("R1", "c"))})
		if (c.fault != "") != (err != nil) || err != nil && !strings.HasPrefix(err.Error(), c.fault) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.fault)
		}
		assert.Equal(t, c.groups, groups, c.name)
		for p, want := range c.place {
			assert.Equal(t, want, of(in(p)), "%s: the place of %s", c.name, p)
		}
	}
}

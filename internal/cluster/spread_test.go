package cluster_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// TestPlanSpread: regions, their zones, and the zones of one region are planned
// by the same rules.
func TestPlanSpread(t *testing.T) {
	closed := func(r placement.Region) placement.Region {
		r.Closed, r.Why = true, "has no compute endpoint"
		return r
	}
	zoneClosed := region("R1", "a", "b")
	zoneClosed.Zones[1].Closed, zoneClosed.Zones[1].Why = true, "is not available"
	capped := region("R1", "a", "b")
	capped.Cap = 5
	for _, c := range []struct {
		name    string
		listed  []placement.Region
		counts  map[string]map[string]int64
		change  int64
		regions string
		zones   string
		fails   string
	}{
		{"regions", []placement.Region{region("R1"), region("R2")}, map[string]map[string]int64{"R1": {"a": 1, "b": 1}}, 4, "map[R1:1 R2:3]", "map[]", ""},
		{"two levels", []placement.Region{region("R1", "a", "b"), region("R2", "a")}, map[string]map[string]int64{"R1": {"a": 2}}, 4, "map[R1:1 R2:3]", "map[R1:map[b:1] R2:map[a:3]]", ""},
		{"zones of one region", []placement.Region{region("R1", "a", "b")}, map[string]map[string]int64{"R1": {"a": 1, "": 1}}, 3, "map[R1:3]", "map[R1:map[a:1 b:2]]", ""},
		{"what is not listed goes first", []placement.Region{region("R1", "a"), region("R2")}, map[string]map[string]int64{"R1": {"a": 3, "x": 1}, "R3": {"a": 2}}, -3,
			"map[R1:1 R3:2]", "map[R1:map[x:1]]", ""},
		{"additions go round what is closed", []placement.Region{closed(region("R1")), region("R2")}, map[string]map[string]int64{"R1": {"": 1}}, 2, "map[R2:2]", "map[]", ""},
		{"removals leave it alone", []placement.Region{closed(region("R1")), region("R2")}, map[string]map[string]int64{"R1": {"": 5}, "R2": {"": 2}}, -1, "map[R2:1]", "map[]", ""},
		{"so with zones", []placement.Region{zoneClosed}, map[string]map[string]int64{"R1": {"a": 2, "b": 5}}, -1, "map[R1:1]", "map[R1:map[a:1]]", ""},
		{"and where nothing else is left there is no plan", []placement.Region{zoneClosed}, map[string]map[string]int64{"R1": {"a": 2, "b": 5}}, -3, "", "",
			"3 nodes must be removed, but only 2 can be: R1 2 (b is not available, and keeps its nodes)."},
		{"a region's cap bounds its zones", []placement.Region{capped}, map[string]map[string]int64{"R1": {"a": 2}}, 4, "", "", "4 nodes must be added, but there is room for 3: R1 3 of 5 (cap)."},
		{"nothing", []placement.Region{region("R1")}, nil, 0, "map[]", "map[]", ""},
	} {
		got, err := cluster.PlanSpread(c.listed, c.counts, c.change)
		if c.fails != "" {
			infeasible, ok := errors.AsType[*placement.InfeasibleError](err)
			if !ok || infeasible.Detail() != c.fails {
				t.Errorf("%s: got %v, want %s", c.name, err, c.fails)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		regions, zones := got.Changed()
		if fmt.Sprint(regions) != c.regions || fmt.Sprint(zones) != c.zones || got.Total() != c.change {
			t.Errorf("%s: got %v, %v, %d", c.name, regions, zones, got.Total())
		}
		for i, n := range got.After() {
			if change := regions[got.Regions[i].Name]; n != got.Regions[i].Nodes()+change && n != got.Regions[i].Nodes()-change {
				t.Errorf("%s: %s has %d nodes after a change of %d", c.name, got.Regions[i].Name, n, change)
			}
		}
	}
}

func TestOwn(t *testing.T) {
	if got := cluster.Own([]placement.Region{region("R2"), region("R1")}, map[string]map[string]int64{"R1": nil, "R3": nil}); strings.Join(got, " ") != "R1 R2 R3" {
		t.Errorf("got %v", got)
	}
	nodes := []node.Node{{ID: "a", Region: "R1"}, {ID: "b"}, {ID: "c", Region: "R2"}}
	if got := cluster.Of(nodes, "R1"); !reflect.DeepEqual(got, []node.Node{{ID: "a", Region: "R1"}, {ID: "b", Region: "R1"}}) {
		t.Errorf("got %v", got)
	}
}

package placement

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRegions: an adopted cluster follows the places of its nodes. A region with a node in no zone lists no zones.
func TestRegions(t *testing.T) {
	nodes := Counts{{"R2", "az-1"}: 1, {"R1", "az-2"}: 1, {"R1", "az-1"}: 2, {"R2", ""}: 1}
	free := func(name string) Bin { return Bin{Name: name, Cap: Unlimited} }
	want := []Region{{Bin: free("R1"), Zones: []Bin{free("az-1"), free("az-2")}}, {Bin: free("R2")}}
	assert.Equal(t, want, nodes.Regions())
	assert.Equal(t, []Place{{"R1", "az-1"}, {"R1", "az-2"}}, want[0].Places())
	assert.Equal(t, []Place{{Region: "R2"}}, want[1].Places())
}

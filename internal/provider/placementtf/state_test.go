package placementtf

import (
	"fmt"
	"math"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
)

// TestState: each field of a node and of a slot that is put into the state is read from it
// again. The state counts the nodes of all places, with 0 for empty ones.
func TestState(t *testing.T) {
	az := func(n int) placement.Place {
		return placement.Place{Region: "RegionOne", Zone: fmt.Sprintf("az-%d", n)}
	}
	one, two := roster.NewTemplate(map[string]string{"image": "a"}), roster.NewTemplate(map[string]string{"image": "b"})
	parted := roster.NewTemplate(map[string]string{"image": "c", "image_id": "i-c", "networks": `[{"id":"n"}]`, "volumes": `["data"]`})
	want := roster.Roster{
		Next: 9,
		Nodes: map[string]roster.Node{
			"web-3": {Index: 3, Place: az(1), Template: one, Generation: 2, Mark: "2-0f3a9c21"},
			"web-4": {Index: 4, Place: az(2), Template: parted, Generation: 1, Mark: "1-0f3a9c22"},
			"web-5": {Index: 5, Place: az(2), Template: two, Generation: 1, Mark: "1-0f3a9c23", Unplaced: true},
		},
		Slots: map[string]roster.Slot{
			"web-3": {Index: 3, Place: az(1), Template: one},    // of its node
			"web-8": {Index: 8, Place: az(2), Template: parted}, // of the last one
		},
	}
	listed := []placement.Region{
		{Bin: placement.Bin{Name: "RegionOne"}, Zones: []placement.Bin{{Name: "az-1"}, {Name: "az-2"}, {Name: "az-3"}}},
		{Bin: placement.Bin{Name: "RegionTwo"}},
	}
	m := attachmentModel{Image: types.StringValue("c")}
	var diags diag.Diagnostics
	m.remember(want, listed)
	shown := elements[shownNode](m.Nodes.ValueString(), &diags)
	assert.Equal(t, "c", shown["web-4"].Image.ValueString())
	assert.Empty(t, shown["web-4"].Template, "what other fields say is not said twice")
	assert.Equal(t, []string{"RegionOne/az-2", "RegionOne/az-2/2"}, []string{shown["web-4"].Parts, shown["web-5"].Parts})
	got := m.roster(memory{Roster: roster.Roster{Nodes: map[string]roster.Node{"web-5": unshown(want.Nodes["web-5"])}}}, &diags)
	assert.Equal(t, want.Nodes, got.Nodes)
	assert.Equal(t, want.Slots, got.Slots)
	assert.Equal(t, want.Next, got.Next)
	assert.True(t, shown["web-5"].Zone.IsNull(), "the zone of a node that is in none for now")
	for name, inUse := range map[string]bool{"web-3": true, "web-8": false} {
		assert.Equal(t, inUse, elements[shownSlot](m.Slots.ValueString(), &diags)[name].InUse, "the slot %s is in use", name)
	}
	for wrong, edit := range map[string]func(diags *diag.Diagnostics){
		"Msgpack: invalid code=cb decoding int64. ": func(diags *diag.Diagnostics) {
			attachmentModel{Nodes: packed.Map(map[string]map[string]float64{"web-3": {"index": 3.5}})}.roster(memory{}, diags)
		},
		"The index of web-3 is -1, and an index is between 0 and ": func(diags *diag.Diagnostics) {
			attachmentModel{Nodes: packed.Map(map[string]shownNode{"web-3": {Index: -1}})}.roster(memory{}, diags)
		},
		"The index of the next node is -7, and an index is between 0 and ": func(diags *diag.Diagnostics) {
			attachmentModel{NextIndex: types.Int64Value(-7)}.roster(memory{}, diags)
		},
		"The index of the next node is 9223372036854775807, ": func(diags *diag.Diagnostics) {
			attachmentModel{NextIndex: types.Int64Value(math.MaxInt64)}.roster(memory{}, diags)
		},
	} {
		var edited diag.Diagnostics
		if edit(&edited); assert.Len(t, edited, 1, wrong) {
			assert.Contains(t, edited[0].Detail(), wrong)
		}
	}
	counts := map[string]map[string]int64{}
	diags.Append(m.Distribution.ElementsAs(t.Context(), &counts, false)...)
	assert.Equal(t, map[string]map[string]int64{"RegionOne": {"az-1": 1, "az-2": 2, "az-3": 0}, "RegionTwo": {}}, counts, "the distribution")
	assert.Empty(t, diags)
}

package places

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
)

// TestAlso: places with nodes that nobody lists are added without a weight; a
// region that lists no zones gets none.
func TestAlso(t *testing.T) {
	bin := func(name string) placement.Bin { return placement.Bin{Name: name, Weight: 1} }
	listed := Listed{Regions: []placement.Region{{Bin: bin("R1"), Zones: []placement.Bin{bin("a")}}, {Bin: bin("R2")}}}
	got := listed.Also(placement.Counts{
		{Region: "R1", Zone: "a"}: 1, {Region: "R1", Zone: "b"}: 1, {Region: "R1"}: 1,
		{Region: "R2", Zone: "a"}: 1, {Region: "R3", Zone: "b"}: 1, {Region: "R3", Zone: "a"}: 1,
	})
	want := Listed{Regions: []placement.Region{
		{Bin: bin("R1"), Zones: []placement.Bin{bin("a"), {}, {Name: "b"}}},
		{Bin: bin("R2")},
		{Bin: placement.Bin{Name: "R3"}},
	}}
	assert.Equal(t, want, got)
	if len(listed.Regions) != 2 || len(listed.Regions[0].Zones) != 1 {
		t.Errorf("the list has changed: %+v", listed)
	}
	for at, path := range map[placement.Place]string{
		{Region: "R1"}: "regions[0].name", {Region: "R1", Zone: "a"}: "regions[0].zones[0].name",
		{Region: "R1", Zone: "b"}: "regions", {Region: "R3"}: "regions",
	} {
		assert.Equal(t, path, got.path(at.Region, at.Zone).String(), "%s is reported at", at)
	}
	assert.Equal(t, "zones", (Listed{want.Regions[:1], true}).path("R1", "b").String(), "an unlisted zone of one region is reported at")
}

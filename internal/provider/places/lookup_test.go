package places

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
)

// TestReport: each finding is reported at the argument that names the place.
func TestReport(t *testing.T) {
	bins := func(names ...string) (list []placement.Bin) {
		for _, name := range names {
			list = append(list, placement.Bin{Name: name, Weight: 1}) // a place without a weight is not listed
		}
		return list
	}
	regions := Listed{Regions: []placement.Region{
		{Bin: placement.Bin{Name: "A", Weight: 1}, Zones: bins("a-1", "a-2")},
		{Bin: placement.Bin{Name: "B", Weight: 1}, Zones: bins("a-1", "a-2", "b-3")},
	}}
	zones := InRegion("A", bins("a-1", "a-2", "a-3"))
	for _, c := range []struct {
		listed Listed
		kind   cluster.FindingKind
		region string
		zone   string
		want   string
	}{
		{regions, cluster.UnknownRegion, "A", "", "Error regions[0].name: Unknown region"},
		{regions, cluster.NoCompute, "B", "", "Warning regions[1].name: Region skipped"},
		{regions, cluster.UnknownZone, "A", "a-2", "Error regions[0].zones[1].name: Unknown availability zone"},
		{regions, cluster.UnknownZone, "B", "a-2", "Error regions[1].zones[1].name: Unknown availability zone"},
		{regions, cluster.ZoneUnavailable, "B", "b-3", "Warning regions[1].zones[2].name: Availability zone skipped"},
		{regions, cluster.ZoneHidden, "A", "gone", "Warning regions: Availability zone skipped"},
		{regions, cluster.UnknownZone, "C", "c-1", "Error regions: Unknown availability zone"},
		{zones, cluster.NoCompute, "A", "", "Warning region: Region skipped"},
		{zones, cluster.UnknownZone, "A", "a-3", "Error zones[2].name: Unknown availability zone"},
	} {
		var diags diag.Diagnostics
		c.listed.Report([]cluster.Finding{{Kind: c.kind, Region: c.region, Zone: c.zone}}, false, &diags)
		var got string
		for _, d := range diags {
			at := d.(diag.DiagnosticWithPath)
			got += fmt.Sprintf("%s %s: %s", at.Severity(), at.Path(), at.Summary())
		}
		assert.Equal(t, c.want, got)
	}
}

// TestAlso: unlisted places with nodes are added without a weight; a region that
// lists no zones gets no zones.
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
	assert.Len(t, listed.Regions, 2, "the list that was given")
	assert.Len(t, listed.Regions[0].Zones, 1, "the list that was given")
	for at, path := range map[placement.Place]string{
		{Region: "R1"}: "regions[0].name", {Region: "R1", Zone: "a"}: "regions[0].zones[0].name",
		{Region: "R1", Zone: "b"}: "regions", {Region: "R3"}: "regions",
	} {
		assert.Equal(t, path, got.path(at.Region, at.Zone).String(), "%s is reported at", at)
	}
	assert.Equal(t, "zones", (Listed{want.Regions[:1], true}).path("R1", "b").String(), "an unlisted zone of one region is reported at")
}

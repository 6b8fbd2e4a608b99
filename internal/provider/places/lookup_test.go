package places_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stretchr/testify/assert"
)

// TestReport: what was found is reported at the argument that names the place.
func TestReport(t *testing.T) {
	bins := func(names ...string) (list []placement.Bin) {
		for _, name := range names {
			list = append(list, placement.Bin{Name: name, Weight: 1}) // one without a weight is not listed
		}
		return list
	}
	regions := places.Listed{Regions: []placement.Region{
		{Bin: placement.Bin{Name: "A", Weight: 1}, Zones: bins("a-1", "a-2")},
		{Bin: placement.Bin{Name: "B", Weight: 1}, Zones: bins("a-1", "a-2", "b-3")},
	}}
	zones := places.InRegion("A", bins("a-1", "a-2", "a-3"))
	for _, c := range []struct {
		listed places.Listed
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
		{regions, cluster.UnknownZone, "C", "c-1", "Error regions: Unknown availability zone"},
		{zones, cluster.NoCompute, "A", "", "Warning region: Region skipped"},
		{zones, cluster.UnknownZone, "A", "a-3", "Error zones[2].name: Unknown availability zone"},
	} {
		var diags diag.Diagnostics
		c.listed.Report([]cluster.Finding{{Kind: c.kind, Region: c.region, Zone: c.zone}}, places.TakesNone, &diags)
		var got string
		for _, d := range diags {
			at := d.(diag.DiagnosticWithPath)
			got += fmt.Sprintf("%s %s: %s", at.Severity(), at.Path(), at.Summary())
		}
		assert.Equal(t, c.want, got)
	}
}

package placement

import (
	"fmt"
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// rosterSummary is a table for people: a line for each region, and under it one
// for each of its zones. A zone's ideal share is that of its region's nodes.
func rosterSummary(now, next roster.Roster, regions []placement.Region) string {
	before, after := now.Counts(), next.Counts()
	bins := make([]placement.Bin, len(regions))
	for i, r := range regions {
		bins[i] = r.Bin
	}
	held := map[string]int64{} // what is in a place before or after: an unlisted one needs a line
	for _, counts := range []map[string]map[string]int64{before, after} {
		for region, zones := range counts {
			held[region] = max(held[region], sum(zones))
		}
	}
	rows := [][]string{{"region", "zone", "now", "after", "ideal", "cap", ""}}
	bins = placement.Count(bins, held)
	for i, share := range placement.Ideal(bins, int64(len(next.Nodes))) {
		region := bins[i]
		region.Current = sum(before[region.Name])
		rows = append(rows, append([]string{region.Name, ""}, places.BinCells(region, sum(after[region.Name])-region.Current, share, "")...))
		if i < len(regions) && len(regions[i].Zones) > 0 {
			rows = append(rows, zoneRows(regions[i], before[region.Name], after[region.Name])...)
		}
	}
	rows = append(rows, []string{"total", "", fmt.Sprint(len(now.Nodes)), fmt.Sprint(len(next.Nodes)), "", "", ""})
	return text.Table(rows, 2)
}

func zoneRows(region placement.Region, before, after map[string]int64) (rows [][]string) {
	held := maps.Clone(after)
	if held == nil {
		held = map[string]int64{}
	}
	maps.Copy(held, before)
	zones := placement.Count(region.Zones, held)
	for i, share := range placement.Ideal(zones, sum(after)) {
		zone := zones[i]
		zone.Current = before[zone.Name]
		rows = append(rows, append([]string{"", places.PlaceName(zone.Name)}, places.BinCells(zone, after[zone.Name]-zone.Current, share, "")...))
	}
	return rows
}

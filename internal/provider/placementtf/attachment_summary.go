package placementtf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// spreadTable is the present spread of a cluster as a table for people, with the
// revisions of the nodes where there is a template.
func spreadTable(r roster.Roster, listed []placement.Region) string {
	regions, zones, all := map[string]map[int64]int64{}, map[placement.Place]map[int64]int64{}, map[int64]int64{}
	for _, n := range r.Nodes {
		if regions[n.Region] == nil {
			regions[n.Region] = map[int64]int64{}
		}
		if zones[n.Place] == nil {
			zones[n.Place] = map[int64]int64{}
		}
		regions[n.Region][n.Revision]++
		zones[n.Place][n.Revision]++
		all[n.Revision]++
	}
	return placement.NewBoard(listed, r.Counts()).Table(func(row placement.Row) string {
		switch {
		case len(r.Revisions) == 0:
			return ""
		case row.Ideal == nil:
			return revisionsText(all)
		case row.IsZone:
			return revisionsText(zones[row.Place])
		}
		return revisionsText(regions[row.Region])
	})
}

// revisionsText is the number of nodes of each revision: "r1: 4, r2: 2".
func revisionsText(counts map[int64]int64) string {
	parts := make([]string, 0, len(counts))
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("r%d: %d", number, counts[number]))
	}
	return strings.Join(parts, ", ")
}

package placement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// spreadTable is the present spread of a cluster as a table for people: a line
// for each region, and under it one for each of its zones.
func spreadTable(r roster.Roster, listed []placement.Region) string {
	revised := len(r.Revisions) > 0
	rows := [][]string{{"place", "nodes", "ideal", "weight", "min", "cap", "revisions", ""}}
	for _, row := range roster.Spread(r, listed) {
		name := row.Region
		if row.IsZone {
			name = "  " + zoneName(row.Zone)
		}
		cells := []string{name, fmt.Sprint(row.Bin.Current), row.Ideal.FloatString(2), fmt.Sprint(row.Bin.Weight), fmt.Sprint(row.Bin.Min), limitText(row.Bin.Cap), revisionsText(row.Revisions), row.Note}
		if row.Bin.Weight == 0 {
			cells[2], cells[3], cells[4], cells[5] = "none", "none", "none", "none"
		}
		rows = append(rows, cells)
	}
	revisions := map[int64]int64{}
	for _, n := range r.Nodes {
		revisions[n.Revision]++
	}
	rows = append(rows, []string{"total", fmt.Sprint(len(r.Nodes)), "", "", "", "", revisionsText(revisions), ""})
	if !revised {
		for i, row := range rows {
			rows[i] = slices.Delete(row, 6, 7)
		}
	}
	return text.Table(rows, 1)
}

// zoneName shows the zone of nodes that have none yet.
func zoneName(name string) string {
	if name == "" {
		return "(no zone)"
	}
	return name
}

func limitText(limit int64) string {
	if limit == placement.Unlimited {
		return "none"
	}
	return fmt.Sprint(limit)
}

// revisionsText is the number of nodes of each revision: "r1: 4, r2: 2".
func revisionsText(counts map[int64]int64) string {
	parts := make([]string, 0, len(counts))
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("r%d: %d", number, counts[number]))
	}
	return strings.Join(parts, ", ")
}

package placementtf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// spreadTable is the present spread of a cluster as a table for people: a line
// for each region, and under it one for each of its zones.
func spreadTable(r roster.Roster, listed []placement.Region) string {
	// Blanks keep columns as wide as most of their cells, so that a diff shows only
	// the rows that change.
	rows := [][]string{{"place", "nodes", "   ideal", "weight", " min", "  cap", ""}}
	for _, row := range roster.Spread(r, listed) {
		name := row.Region
		if row.IsZone {
			name = "  " + zoneName(row.Zone)
		}
		cells := []string{name, fmt.Sprint(row.Bin.Current), row.Ideal.FloatString(2), fmt.Sprint(row.Bin.Weight), fmt.Sprint(row.Bin.Min), limitText(row.Bin.Cap), notes(r, row.Revisions, row.Note)}
		if row.Bin.Weight == 0 {
			cells[2], cells[3], cells[4], cells[5] = "none", "none", "none", "none"
		}
		rows = append(rows, cells)
	}
	revisions := map[int64]int64{}
	for _, n := range r.Nodes {
		revisions[n.Revision]++
	}
	rows = append(rows, []string{"total", fmt.Sprint(len(r.Nodes)), "", "", "", "", notes(r, revisions, "")})
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

// notes are the revisions of the nodes, where there is a template, and what binds.
func notes(r roster.Roster, revisions map[int64]int64, note string) string {
	if len(r.Revisions) == 0 {
		return note
	}
	return strings.Trim(revisionsText(revisions)+"; "+note, "; ")
}

// revisionsText is the number of nodes of each revision: "r1: 4, r2: 2".
func revisionsText(counts map[int64]int64) string {
	parts := make([]string, 0, len(counts))
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("r%d: %d", number, counts[number]))
	}
	return strings.Join(parts, ", ")
}

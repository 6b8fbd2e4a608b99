package placement

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Row is a region of a board, or a zone in it.
type Row struct {
	Place
	IsZone bool
	Bin    Bin      // a region has the nodes of all its zones
	Ideal  *big.Rat // share of the whole cluster, for a zone too
	Note   string   // the limit of the place: "full: cap", "not listed: removed first", "below min"
}

// Rows lists each region and, after it, its zones.
func (b *Board) Rows() []Row {
	bins := make([]Bin, len(b.regions))
	var total int64
	for i, r := range b.regions {
		bins[i] = r.Bin
		total += bins[i].Current
	}
	var rows []Row
	for i, share := range ideal(bins, total) {
		rows = append(rows, Row{Place: Place{Region: bins[i].Name}, Bin: bins[i], Ideal: share, Note: bins[i].note()})
		zones := b.regions[i].Zones
		for j, part := range ideal(zones, 1) { // the shares of a region's zones add up to the region's share
			rows = append(rows, Row{Place: Place{bins[i].Name, zones[j].Name}, IsZone: true, Bin: zones[j],
				Ideal: part.Mul(part, share), Note: zones[j].note()})
		}
	}
	return rows
}

// Table returns the board as a table for people: a line for each region, followed by a line for each of its zones.
func (b *Board) Table() string { return table([]string{"nodes"}, b.Rows()) }

// Change returns the table of a change of the board: the nodes of each place now and after it, and the note after it.
func (b *Board) Change(change Counts) string {
	return table([]string{"now", "after"}, b.Rows(), b.after(change).Rows())
}

// after returns the board after a change. It has the same places.
func (b *Board) after(change Counts) *Board {
	after := b.Clone()
	for at, n := range change {
		after.Add(at, n)
	}
	return after
}

// table has a line for each place and one for all nodes, with a column of nodes for each list of rows. The other
// columns are of the last list. The headings have the width of most cells, so that a diff shows only the rows that
// change.
func table(headings []string, columns ...[]Row) string {
	lines := [][]string{
		slices.Concat([]string{"place"}, headings, []string{"   ideal", "weight", " min", "  cap", ""}),
	}
	totals := make([]int64, len(columns))
	for i, last := range columns[len(columns)-1] {
		line := []string{last.label()}
		for j, rows := range columns {
			line = append(line, fmt.Sprint(rows[i].Bin.Current))
			if !last.IsZone {
				totals[j] += rows[i].Bin.Current
			}
		}
		lines = append(lines, slices.Concat(line, last.bounds(), []string{last.Note}))
	}
	line := []string{"total"}
	for _, total := range totals {
		line = append(line, fmt.Sprint(total))
	}
	return text.Table(append(lines, append(line, "", "", "", "", "")), 1)
}

// label returns the name of a row, indented for a zone.
func (r Row) label() string {
	switch {
	case r.IsZone && r.Zone == "":
		return "  (no zone)"
	case r.IsZone:
		return "  " + r.Zone
	case r.Region == "":
		return "(no region)"
	}
	return r.Region
}

// bounds returns the ideal share, the weight, the min and the cap of a row.
func (r Row) bounds() []string {
	if r.Bin.Weight == 0 {
		return []string{"none", "none", "none", "none"}
	}
	most := "none"
	if r.Bin.Cap != Unlimited {
		most = fmt.Sprint(r.Bin.Cap)
	}
	return []string{r.Ideal.FloatString(2), fmt.Sprint(r.Bin.Weight), fmt.Sprint(r.Bin.Min), most}
}

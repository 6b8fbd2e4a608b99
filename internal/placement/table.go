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
func (b *Board) Table() string {
	rows := b.Rows()
	cells := make([][]string, len(rows)+1)
	var total int64
	for i, r := range rows {
		cells[i] = []string{fmt.Sprint(r.Bin.Current)}
		if !r.IsZone {
			total += r.Bin.Current
		}
	}
	cells[len(rows)] = []string{fmt.Sprint(total)}
	return table(rows, []string{"nodes"}, cells)
}

// Change returns the table of a change of the board: the nodes of each place now and after it, and the note after it.
func (b *Board) Change(change Counts) string {
	before, after := b.Rows(), b.after(change).Rows()
	cells := make([][]string, len(after)+1)
	var total int64
	for i := range after {
		cells[i] = []string{fmt.Sprint(before[i].Bin.Current), fmt.Sprint(after[i].Bin.Current)}
		if !before[i].IsZone {
			total += before[i].Bin.Current
		}
	}
	cells[len(after)] = []string{fmt.Sprint(total), fmt.Sprint(total + change.Total())}
	return table(after, []string{"now", "after"}, cells)
}

// after returns the board after a change. It has the same places.
func (b *Board) after(change Counts) *Board {
	after := b.Clone()
	for at, n := range change {
		after.Add(at, n)
	}
	return after
}

// table has a line for each row and one for all nodes; columns and cells are the numbers of nodes. The headings have
// the width of most cells, so that a diff shows only the rows that change.
func table(rows []Row, columns []string, cells [][]string) string {
	heading := slices.Concat([]string{"place"}, columns, []string{"   ideal", "weight", " min", "  cap", ""})
	lines := [][]string{heading}
	for i, r := range rows {
		lines = append(lines, slices.Concat([]string{r.label()}, cells[i], r.bounds(), []string{r.Note}))
	}
	total := slices.Concat([]string{"total"}, cells[len(rows)], []string{"", "", "", "", ""})
	return text.Table(append(lines, total), 1)
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

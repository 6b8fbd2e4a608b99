package placement

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Place is a region and an availability zone in it. An empty zone leaves the choice to Nova.
type Place struct {
	Region string `json:"region,omitempty"`
	Zone   string `json:"zone,omitempty"`
}

// String returns "RegionOne/az-1", or the region alone.
func (p Place) String() string {
	if p.Zone == "" {
		return p.Region
	}
	return p.Region + "/" + p.Zone
}

// Compare orders places by region, then by zone.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Region, q.Region), cmp.Compare(p.Zone, q.Zone))
}

// Counts are numbers of nodes by place: existing ones, or additions (negative numbers are removals).
type Counts map[Place]int64

// Total returns the sum of all numbers.
func (c Counts) Total() (total int64) {
	for _, n := range c {
		total += n
	}
	return total
}

// ByRegion adds up the numbers of each region.
func (c Counts) ByRegion() map[string]int64 {
	regions := map[string]int64{}
	for at, n := range c {
		regions[at.Region] += n
	}
	return regions
}

// ByZone returns the absolute numbers by region and zone: removals are positive too.
func (c Counts) ByZone() map[string]map[string]int64 {
	regions := map[string]map[string]int64{}
	for at, n := range c {
		if regions[at.Region] == nil {
			regions[at.Region] = map[string]int64{}
		}
		regions[at.Region][at.Zone] = max(n, -n)
	}
	return regions
}

// Places lists the places in their order.
func (c Counts) Places() []Place { return slices.SortedFunc(maps.Keys(c), Place.Compare) }

// By is a map by place. In JSON it is a map by region of maps by zone.
type By[V any] map[Place]V

// MarshalJSON writes the map. Equal maps have equal texts.
func (m By[V]) MarshalJSON() ([]byte, error) {
	regions := map[string]map[string]V{}
	for at, v := range m {
		if regions[at.Region] == nil {
			regions[at.Region] = map[string]V{}
		}
		regions[at.Region][at.Zone] = v
	}
	return json.Marshal(regions)
}

// UnmarshalJSON reads a text of MarshalJSON.
func (m *By[V]) UnmarshalJSON(text []byte) error {
	var regions map[string]map[string]V
	if err := json.Unmarshal(text, &regions); err != nil {
		return err
	}
	*m = By[V]{}
	for region, zones := range regions {
		for zone, v := range zones {
			(*m)[Place{region, zone}] = v
		}
	}
	return nil
}

// distribute plans on two levels: count nodes over the regions, then each region's share over its zones.
func (b *Board) distribute(count int64) (Counts, error) {
	bins := make([]Bin, len(b.regions))
	for i, r := range b.regions {
		if err := check(r.Zones, 0); err != nil {
			return nil, fmt.Errorf("region %q: %w", r.Name, err)
		}
		bins[i] = r.Bin
	}
	if err := check(bins, count); err != nil {
		return nil, err
	}
	list := boundsOf(b.regions)
	if !feasible(list, count) {
		return nil, &InfeasibleError{Count: count, Rooms: roomsOf(b.regions, list, count)}
	}
	changes := Counts{}
	add := func(i, zone int, n int64) {
		if n != 0 {
			changes[b.place(spot{i, zone})] = n
		}
	}
	for i, n := range spread(list, count) {
		if len(b.regions[i].Zones) == 0 {
			add(i, -1, n)
			continue
		}
		for j, m := range spread(binBounds(b.regions[i].Zones), n) {
			add(i, j, m)
		}
	}
	return changes, nil
}

// hold returns the regions for a change in which the places that alone selects keep all their nodes.
func hold(regions []Region, alone func(Bin) bool) []Region {
	held := make([]Region, len(regions))
	for i, r := range regions {
		held[i] = Region{Bin: r.hold(alone(r.Bin)), Zones: make([]Bin, len(r.Zones))}
		for j, z := range r.Zones {
			held[i].Zones[j] = z.hold(alone(r.Bin) || alone(z))
		}
	}
	return held
}

func (b Bin) hold(closed bool) Bin {
	if closed {
		b.Closed, b.Kept = true, b.Current
	}
	return b
}

// Zoned reports whether a region is listed with zones.
func Zoned(listed []Region, region string) bool {
	return slices.ContainsFunc(listed, func(r Region) bool { return r.Name == region && len(r.Zones) > 0 })
}

// Choice is a place as a server asks for it: where a region lists no zones Nova chooses one.
func Choice(listed []Region, at Place) Place {
	if !Zoned(listed, at.Region) {
		at.Zone = ""
	}
	return at
}

// Lists reports whether a place is listed.
func Lists(listed []Region, at Place) bool {
	return slices.ContainsFunc(listed, func(r Region) bool {
		return r.Name == at.Region && (at.Zone == "" || len(r.Zones) == 0 ||
			slices.ContainsFunc(r.Zones, func(z Bin) bool { return z.Name == at.Zone }))
	})
}

// Places lists the zones of a region or, without any, the region itself.
func (r Region) Places() (places []Place) {
	for _, zone := range r.Zones {
		places = append(places, Place{Region: r.Name, Zone: zone.Name})
	}
	if len(r.Zones) == 0 {
		places = append(places, Place{Region: r.Name})
	}
	return places
}

// Regions lists the regions and zones that have nodes, by name, so that these nodes lie where they should. A region
// with a node in no zone lists no zones.
func (c Counts) Regions() (regions []Region) {
	free := func(name string) Bin { return Bin{Name: name, Cap: Unlimited} }
	for _, at := range c.Places() {
		if len(regions) == 0 || regions[len(regions)-1].Name != at.Region {
			regions = append(regions, Region{Bin: free(at.Region)})
		}
		region := &regions[len(regions)-1]
		if c[Place{Region: at.Region}] == 0 {
			region.Zones = append(region.Zones, free(at.Zone))
		}
	}
	return regions
}

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

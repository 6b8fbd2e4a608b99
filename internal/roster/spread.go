package roster

import (
	"fmt"
	"math/big"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Row is a region, or a zone of it, in the present spread of a cluster.
type Row struct {
	Place
	IsZone    bool
	Bin       placement.Bin
	Ideal     *big.Rat        // its share of the cluster; of a zone too
	Revisions map[int64]int64 // number of nodes by revision
	Note      string          // what binds: "full: cap", "not listed: removed first", "below min"
}

// Spread is the present spread over the listed places, and over unlisted ones
// that have nodes: each region, and after it its zones. It depends on the
// configuration and the roster alone.
func Spread(r Roster, listed []placement.Region) []Row {
	regions := placement.CountRegions(listed, r.Counts())
	bins := make([]placement.Bin, len(regions))
	for i, region := range regions {
		bins[i] = region.Bin
	}
	revisions := map[Place]map[int64]int64{}
	count := func(at Place, revision int64) {
		if revisions[at] == nil {
			revisions[at] = map[int64]int64{}
		}
		revisions[at][revision]++
	}
	for _, n := range r.Nodes {
		count(Place{Region: n.Region, Zone: "\x00"}, n.Revision) // no zone has this name
		count(n.Place, n.Revision)
	}
	var rows []Row
	for i, share := range placement.Ideal(bins, int64(len(r.Nodes))) {
		region := regions[i]
		rows = append(rows, Row{Place: Place{Region: region.Name}, Bin: region.Bin, Ideal: share, Revisions: revisions[Place{region.Name, "\x00"}], Note: note(region.Bin)})
		for j, part := range placement.Ideal(region.Zones, 1) {
			zone := region.Zones[j]
			rows = append(rows, Row{Place: Place{region.Name, zone.Name}, IsZone: true, Bin: zone,
				Ideal: part.Mul(part, share), Revisions: revisions[Place{region.Name, zone.Name}], Note: note(zone)})
		}
	}
	return rows
}

// note says what binds in a place.
func note(bin placement.Bin) string {
	switch {
	case bin.Weight == 0:
		return "not listed: removed first"
	case bin.AboveCap() > 0:
		return fmt.Sprintf("%d above cap: removed first", bin.AboveCap())
	case bin.Current == bin.Cap:
		return "full: cap"
	case bin.Current < bin.Min:
		return "below min"
	}
	return ""
}

// Distribution counts the nodes by region and zone, with 0 for a listed place
// that has none.
func Distribution(r Roster, listed []placement.Region) map[string]map[string]int64 {
	counts := r.Counts()
	for _, region := range listed {
		if counts[region.Name] == nil {
			counts[region.Name] = map[string]int64{}
		}
		for _, zone := range region.Zones {
			counts[region.Name][zone.Name] += 0
		}
	}
	return counts
}

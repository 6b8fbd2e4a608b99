package places

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Summary is a plan as a table for people: a line for each region, and under it
// one for each of its zones, with the nodes now and after the change, the ideal
// share of all nodes, the cap, and a note. InOne leaves out the region, where
// there is only one.
func Summary(plan *cluster.Spread, inOne bool) string {
	var now, after int64
	zoned := false
	for i, r := range plan.Regions {
		now += r.Nodes()
		after += r.Nodes() + plan.Changes[i].Nodes
		zoned = zoned || len(r.Zones) > 0
	}
	label := func(region, zone string) []string {
		switch {
		case inOne:
			return []string{zone}
		case zoned:
			return []string{region, zone}
		}
		return []string{region}
	}
	total := label("total", "")
	if inOne {
		total = label("", "total")
	}
	bins := make([]placement.Bin, len(plan.Regions))
	for i, r := range plan.Regions {
		bins[i] = r.Bin
		bins[i].Current = r.Nodes()
	}
	header := label("region", "zone")
	rows := [][]string{append(slices.Clip(header), "now", "after", "ideal", "cap", "")}
	for i, share := range placement.Ideal(bins, after) {
		region := plan.Regions[i]
		if !inOne {
			rows = append(rows, append(label(placeName(region.Name), ""), binCells(bins[i], plan.Changes[i].Nodes, share)...))
		}
		for j, zone := range placement.IdealZones(share, region.Zones) {
			rows = append(rows, append(label("", placeName(region.Zones[j].Name)), binCells(region.Zones[j], plan.Changes[i].Zones[j], zone)...))
		}
	}
	rows = append(rows, append(total, fmt.Sprint(now), fmt.Sprint(after), "", "", ""))
	return text.Table(rows, len(header))
}

// note says what binds a place that has some number of nodes.
func note(b placement.Bin, nodes int64) string {
	switch {
	case b.Weight == 0:
		return "not listed: removed first"
	case b.Closed:
		return strings.TrimPrefix(strings.TrimPrefix(b.Why, "is "), "has ")
	case b.Cap != placement.Unlimited && nodes > b.Cap:
		return "above cap"
	case b.Cap != placement.Unlimited && nodes == b.Cap && b.Why != "":
		return "full: quota"
	case b.Cap != placement.Unlimited && nodes == b.Cap:
		return "full: cap"
	case nodes < b.Min:
		return "below min"
	}
	return ""
}

// placeName shows the place of nodes that have none yet.
func placeName(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// binCells are a bin's nodes now and after, its ideal share, its cap, and a note.
func binCells(b placement.Bin, change int64, share *big.Rat) []string {
	ideal, most := share.FloatString(2), fmt.Sprint(b.Cap)
	if b.Cap == placement.Unlimited || b.Weight == 0 {
		most = "none"
	}
	if b.Weight == 0 {
		ideal = "none"
	}
	return []string{fmt.Sprint(b.Current), fmt.Sprint(b.Current + change), ideal, most, note(b, b.Current+change)}
}

package cluster

import (
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Spread is a plan of the placement policies: how many nodes each region, and
// each zone in it, gains or loses.
type Spread struct {
	Regions []placement.Region       // those listed, then those that nobody lists and where nodes are
	Changes []placement.RegionChange // in their order
}

// PlanSpread plans a change of a cluster's size over regions and their zones, as
// they are listed, with those closed that take no nodes now and with caps that
// quotas lowered. Counts are the nodes by region and zone.
//
// Nodes are added to usable places only. A removal leaves alone what is not
// usable: nothing could be deleted there. The error is a
// [*placement.InfeasibleError] where no plan is feasible.
func PlanSpread(listed []placement.Region, counts map[string]map[string]int64, change int64) (*Spread, error) {
	regions := placement.CountRegions(listed, counts)
	planned := regions
	if change < 0 {
		planned = placement.Hold(regions)
	}
	changes, err := placement.DistributeRegions(planned, change)
	if err != nil {
		return nil, err
	}
	return &Spread{Regions: regions, Changes: changes}, nil
}

// After lists the nodes of each region after the change, in the order of
// Regions.
func (s *Spread) After() []int64 {
	after := make([]int64, len(s.Regions))
	for i, r := range s.Regions {
		after[i] = r.Nodes() + s.Changes[i].Nodes
	}
	return after
}

// Total adds up the changes.
func (s *Spread) Total() (total int64) {
	for _, c := range s.Changes {
		total += c.Nodes
	}
	return total
}

// Changed returns the number of nodes by which places change, without those that
// do not: by region, and by region and zone for regions that list zones.
func (s *Spread) Changed() (regions map[string]int64, zones map[string]map[string]int64) {
	regions, zones = map[string]int64{}, map[string]map[string]int64{}
	for i, r := range s.Regions {
		if n := s.Changes[i].Nodes; n != 0 {
			regions[r.Name] = max(n, -n)
		}
		for j, n := range s.Changes[i].Zones {
			if n == 0 {
				continue
			}
			if zones[r.Name] == nil {
				zones[r.Name] = map[string]int64{}
			}
			zones[r.Name][r.Zones[j].Name] = max(n, -n)
		}
	}
	return regions, zones
}

// Of returns the nodes that are in a region, or that name none.
func Of(nodes []node.Node, region string) []node.Node {
	var here []node.Node
	for _, n := range nodes {
		if n.Region == "" || n.Region == region {
			n.Region = region
			here = append(here, n)
		}
	}
	return here
}

// Own lists the regions of a plan: those that are listed, and those that nodes
// are in.
func Own(listed []placement.Region, counts map[string]map[string]int64) []string {
	own := slices.Collect(maps.Keys(counts))
	for _, r := range listed {
		own = append(own, r.Name)
	}
	slices.Sort(own)
	return slices.Compact(own)
}

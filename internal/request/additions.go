package request

import (
	"fmt"
	"maps"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Additions is what a request adds in one region.
type Additions struct {
	Zones  map[string]int64 // nodes by availability zone; "" leaves the zone to Nova
	Reason string           // result in sentences
}

// Additions returns what a request adds in a plan's region to a cluster of current nodes. If a decision names
// regions, the plan takes only its region's share.
//
// A plan with a zone of its own (or zone:host) places all nodes there. If a decision names zones, it takes only this
// zone's share. A plan without one places each node in the zone that the decision names. A node to create that names
// its place is placed there, unless that is another region. A request that removes nodes adds none.
func (r Request) Additions(region, zone string, current int64) (Additions, error) {
	if reason := r.foreign(region); reason != "" {
		return Additions{Reason: reason}, nil
	}
	own := []string{region}
	here := r.In(own, own)
	change, err := here.Change(current)
	if err != nil {
		return Additions{}, err
	}
	count := max(change, 0)
	zones := map[string]int64{zone: count}
	reason := r.Elsewhere(here)
	if r.NodeCreate != nil && r.NodeCreate.Zone != "" {
		zones = map[string]int64{r.NodeCreate.Zone: count}
	}
	if named := here.decided().zonesOf(region); named != nil && count > 0 {
		if zones = maps.Clone(named); zone != "" {
			name, _, _ := strings.Cut(zone, ":")
			zones = map[string]int64{zone: named[name]}
			if others := count - named[name]; others > 0 {
				reason += fmt.Sprintf(" The decision has %s in %s, of which other zones get %d.",
					text.Nodes(count), region, others)
			}
			count = named[name]
		}
	}
	maps.DeleteFunc(zones, func(_ string, n int64) bool { return n == 0 })
	return Additions{Zones: zones, Reason: text.Change(count) + reason}, nil
}

// zonesOf returns the nodes of a share in a region by zone. It returns nil if the share names no zones there.
func (s *Share) zonesOf(region string) map[string]int64 {
	if s == nil {
		return nil
	}
	if zones, named := s.Zones[region]; named {
		return zones
	}
	return s.Zones[""] // the share does not name the region
}

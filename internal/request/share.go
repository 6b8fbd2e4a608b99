package request

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Share is what a decision creates or deletes: a number of nodes and, if it names places, the number in each.
type Share struct {
	Count   int64
	Nodes   []string                    // for a deletion: ids or names of some of the nodes
	Terms   Terms                       // for a deletion
	Regions map[string]int64            // nil if no regions are named
	Zones   map[string]map[string]int64 // by region; nil if no zones are named; "" has the zones without a region
}

// Decided is a decision as it is written, with the words of the policy documents.
type Decided struct {
	Count   *int64                      // "count"
	Nodes   []string                    // "candidates"
	Region  string                      // "region", for the decision as a whole
	Regions map[string]int64            // "regions"
	Zones   map[string]map[string]int64 // "zones" by region; zones that are written without a region are under ""
	Terms   Terms
}

// Share checks a decision and completes it: the count is the sum of its places or, without places, the number of its
// candidates or 1. An empty list of places or candidates means no node. The error is an [*ArgumentError].
func (d Decided) Share() (*Share, error) {
	s := &Share{Nodes: d.Nodes, Regions: maps.Clone(d.Regions), Terms: d.Terms}
	if fault := d.place(s); fault != nil {
		return nil, fault
	}
	switch {
	case s.Regions != nil:
		s.Count = sum(s.Regions)
	case s.Zones != nil:
		s.Count = sum(s.Zones[""])
	default:
		s.Count = d.number()
		if d.Region != "" {
			s.Regions = map[string]int64{d.Region: s.Count}
		}
	}
	if fault := d.contradicts(s); fault != nil {
		return nil, fault
	}
	return s, nil
}

// place gives a share the zones of the decision, those that are written without a region in its one region, and the
// regions of these zones.
func (d Decided) place(s *Share) *ArgumentError {
	if d.Region != "" && d.Regions != nil {
		return faulty("region",
			"A decision names one region, or a number of nodes for each of several regions, not both.")
	}
	if fault := d.negative(); fault != nil || len(d.Zones) == 0 {
		return fault
	}
	s.Zones = maps.Clone(d.Zones)
	flat, some := s.Zones[""]
	switch {
	case some && d.Region != "":
		delete(s.Zones, "")
		s.Zones[d.Region] = flat
	case some && d.Regions != nil:
		return faulty("zones", "The decision has a count for each region, and zones without a region. "+
			"Write the zones by region, as in { RegionOne = { az-1 = 1 } }.")
	case some:
		return nil
	}
	if s.Regions == nil {
		s.Regions = map[string]int64{}
		for region, counts := range s.Zones {
			s.Regions[region] = sum(counts)
		}
	}
	return nil
}

// number is the number of nodes of a decision that has a count for no place.
func (d Decided) number() int64 {
	switch {
	case d.Count != nil:
		return *d.Count
	case d.Nodes != nil:
		return int64(len(d.Nodes))
	case d.Zones != nil:
		return 0
	}
	return 1
}

// contradicts finds numbers of a decision that do not go together.
func (d Decided) contradicts(s *Share) *ArgumentError {
	for _, region := range slices.Sorted(maps.Keys(s.Zones)) {
		if n := sum(s.Zones[region]); s.Regions != nil && n != s.Regions[region] {
			return faulty("zones", "The decision has a count of %d for the region %q, but its zones there add up to "+
				"%d.", s.Regions[region], region, n)
		}
	}
	switch n := int64(len(d.Nodes)); {
	case d.Count != nil && *d.Count != s.Count:
		return faulty("count", "The decision has a count of %d, but its regions or zones add up to %d.",
			*d.Count, s.Count)
	case n > s.Count:
		return faulty("candidates", "The decision has a count of %d, but its candidates are %d.", s.Count, n)
	case s.Count > placement.MaxNodes:
		return faulty("count", "%d nodes are more than can be planned (%d).", s.Count, int64(placement.MaxNodes))
	}
	return nil
}

func faulty(field, format string, args ...any) *ArgumentError {
	return &ArgumentError{field, fmt.Sprintf(format, args...)}
}

// negative finds a number that cannot be a number of nodes.
func (d Decided) negative() *ArgumentError {
	wrong := func(n int64) bool { return n < 0 || n > placement.MaxNodes }
	if d.Count != nil && wrong(*d.Count) {
		return &ArgumentError{"count", outside(*d.Count)}
	}
	in := func(field string, counts map[string]int64) *ArgumentError {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if wrong(counts[name]) {
				return faulty(field, "%q: %s", name, outside(counts[name]))
			}
		}
		return nil
	}
	err := in("regions", d.Regions)
	for _, region := range slices.Sorted(maps.Keys(d.Zones)) {
		err = cmp.Or(err, in("zones", d.Zones[region]))
	}
	return err
}

// outside says what is wrong with a number that cannot be a number of nodes.
func outside(n int64) string {
	if n < 0 {
		return fmt.Sprintf("A number of nodes is 0 or more, not %d.", n)
	}
	return fmt.Sprintf("%d nodes are more than can be planned.", n)
}

// in returns the part of a share for some regions. A share that names no regions is for all regions, and is returned
// unchanged.
func (s *Share) in(regions ...string) *Share {
	if s.Regions == nil {
		return s
	}
	part := &Share{Regions: map[string]int64{}, Terms: s.Terms}
	for _, region := range regions {
		n, named := s.Regions[region]
		if !named {
			continue
		}
		part.Regions[region] = n
		part.Count += n
		if zones, some := s.Zones[region]; some {
			if part.Zones == nil {
				part.Zones = map[string]map[string]int64{}
			}
			part.Zones[region] = zones
		}
	}
	return part
}

// groups returns the number of nodes for each place that the share names, and a function that returns the place of a
// node as precisely as the share names places. Both are nil if the share names no places.
//
// If the share names only one region, a node without a region counts as being in it. The error is about a zone
// without a region if nodes of several regions are in a zone with that name.
func (s *Share) groups(nodes []node.Node) (counts map[string]int64, of func(node.Node) string, err error) {
	if s.Regions == nil && s.Zones == nil {
		return nil, nil, nil
	}
	only := ""
	if len(s.Regions) == 1 {
		for region := range s.Regions {
			only = region
		}
	}
	of = func(n node.Node) string {
		region := cmp.Or(n.Region, only)
		switch {
		case s.Regions == nil:
			return n.Zone
		case s.Zones[region] == nil:
			return region
		}
		return region + "/" + n.Zone
	}
	counts = map[string]int64{}
	for region, n := range s.Regions {
		if s.Zones[region] == nil {
			counts[region] = n
		}
	}
	for region, zones := range s.Zones {
		for zone, n := range zones {
			if region == "" {
				counts[zone] = n
			} else {
				counts[region+"/"+zone] = n
			}
		}
	}
	return counts, of, s.ambiguous(nodes)
}

// ambiguous refuses a zone without a region if nodes of several regions are in a zone with that name: they are two
// zones.
func (s *Share) ambiguous(nodes []node.Node) error {
	found := map[string][]string{}
	for _, n := range nodes {
		if !slices.Contains(found[n.Zone], n.Region) {
			found[n.Zone] = append(found[n.Zone], n.Region)
		}
	}
	for _, zone := range slices.Sorted(maps.Keys(s.Zones[""])) {
		if regions := slices.Sorted(slices.Values(found[zone])); len(regions) > 1 {
			return &ArgumentError{"zones", fmt.Sprintf("The decision names the zone %q without a region, "+
				"and nodes of %s are in a zone of that name. Name the region.", zone, text.And(regions))}
		}
	}
	return nil
}

func sum(counts map[string]int64) (total int64) {
	for _, n := range counts {
		total = min(total+n, placement.MaxNodes+1)
	}
	return total
}

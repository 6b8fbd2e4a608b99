package cluster

import (
	"context"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// FindingKind is the reason why a place takes no nodes.
type FindingKind int64

// The results of a look-up of places.
const (
	Usable          FindingKind = iota // the place takes nodes: there is no finding
	UnknownRegion                      // Keystone does not know the region
	NoCompute                          // the region is known, but has no compute endpoint for this user
	UnknownZone                        // Nova does not list the zone
	ZoneUnavailable                    // no service in the zone is up
	ZoneHidden                         // nodes are in the zone, and Nova does not list it: its cell is down
)

// Unknown reports whether the place does not exist, which is an error of the configuration. The other findings may
// pass.
func (k FindingKind) Unknown() bool { return k == UnknownRegion || k == UnknownZone }

// Finding is a place that takes no nodes now.
type Finding struct {
	Kind   FindingKind
	Closed bool // closed by its owner: reported only if the place does not exist
	Region string
	Zone   string   // "" for the region as a whole
	Known  []string // for an unknown place: the names that Keystone or Nova know, sorted
	Why    string   // sentence about a region without a compute endpoint; "" if that was not looked up
}

// why returns the reason for people, to follow the name of the place.
func (k FindingKind) why() string {
	switch k {
	case Usable:
		return ""
	case UnknownRegion:
		return "is not known to Keystone"
	case NoCompute:
		return "has no compute endpoint"
	case UnknownZone, ZoneHidden:
		return "is not listed by Nova"
	}
	return "is not available"
}

// Close marks a place as a look-up found it. A hidden zone is also closed for maintenance, because Nova deletes no
// server in a cell that is down.
func (k FindingKind) Close(b placement.Bin) placement.Bin {
	b.Closed, b.Why = k != Usable, k.why()
	b.Maintenance = b.Maintenance || k == ZoneHidden
	return b
}

// LookUp looks up whether regions and their zones can take nodes now, in all regions at once. It returns the regions,
// with places that cannot closed, and a finding for each closed place, in the order of regions and zones. The zones
// of a closed region are not looked up.
//
// A place with nodes in it is never unknown. A region or zone with weight 0 has nodes and is not in the
// configuration. Such a zone is returned only if it is hidden, because any other loses its nodes whatever its state.
//
// No request is sent to a region that is closed for maintenance.
//
// If a request fails, its error is returned, and nothing is known about any place.
func LookUp(
	ctx context.Context, cloud *openstack.Cloud, regions []placement.Region, nodes placement.Counts,
) ([]placement.Region, []Finding, error) {
	if err := cloud.Login(ctx); err != nil {
		return nil, nil, err
	}
	looked := make([]placement.Region, len(regions))
	findings := make([][]Finding, len(regions))
	err := each(regions, func(i int, region placement.Region) error {
		var err error
		looked[i], findings[i], err = lookUp(ctx, cloud, region, nodes)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return looked, slices.Concat(findings...), nil
}

func lookUp(
	ctx context.Context, cloud *openstack.Cloud, region placement.Region, nodes placement.Counts,
) (placement.Region, []Finding, error) {
	state, why, err := cloud.RegionState(ctx, region.Name)
	if err != nil {
		return region, nil, err
	}
	finding := Finding{Kind: NoCompute, Closed: region.Maintenance, Region: region.Name, Why: why}
	if state == openstack.RegionUnknown && region.Weight > 0 && nodes.ByRegion()[region.Name] == 0 {
		finding.Kind = UnknownRegion
		finding.Known, err = cloud.Regions(ctx)
	}
	if state != openstack.RegionWithCompute {
		region.Bin = finding.Kind.Close(region.Bin)
		return region, []Finding{finding}, err
	}
	if len(region.Zones) == 0 || region.Maintenance {
		return region, nil, nil
	}
	zones, err := cloud.Zones(ctx, region.Name)
	if err != nil {
		return region, nil, err
	}
	var findings []Finding
	region.Zones, findings = closeZones(region, zones, nodes)
	return region, findings, nil
}

// closeZones closes the zones that Nova does not list, or that are not available.
func closeZones(region placement.Region, zones []openstack.Zone, nodes placement.Counts) ([]placement.Bin, []Finding) {
	available := make(map[string]bool, len(zones))
	names := make([]string, len(zones))
	for i, z := range zones {
		names[i] = z.Name
		available[z.Name] = z.Available
	}
	var bins []placement.Bin
	var findings []Finding
	for _, b := range region.Zones {
		up, listed := available[b.Name]
		finding := Finding{Kind: ZoneUnavailable, Closed: b.Maintenance, Region: region.Name, Zone: b.Name}
		switch {
		case up:
			finding.Kind = Usable
		case !listed && b.Name != "" && nodes[placement.Place{Region: region.Name, Zone: b.Name}] > 0:
			finding.Kind = ZoneHidden
		case !listed:
			finding.Kind, finding.Known = UnknownZone, names
		}
		if b.Weight == 0 && finding.Kind != ZoneHidden {
			continue
		}
		bins = append(bins, finding.Kind.Close(b))
		if finding.Kind != Usable {
			findings = append(findings, finding)
		}
	}
	return bins, findings
}

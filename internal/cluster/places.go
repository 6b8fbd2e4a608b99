package cluster

import (
	"context"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// FindingKind says why a place takes no nodes.
type FindingKind int

// What a look-up of places finds.
const (
	UnknownRegion   FindingKind = iota // Keystone does not know the region
	NoCompute                          // the region is known, but has no compute endpoint for this user
	UnknownZone                        // Nova does not list the zone
	ZoneUnavailable                    // no service in the zone is up
)

// Unknown reports whether the place does not exist, which is an error of the
// configuration. The other kinds may pass.
func (k FindingKind) Unknown() bool { return k == UnknownRegion || k == UnknownZone }

// Split separates the places that do not exist from those that may pass.
func Split(findings []Finding) (unknown, others []Finding) {
	for _, f := range findings {
		if f.Kind.Unknown() {
			unknown = append(unknown, f)
		} else {
			others = append(others, f)
		}
	}
	return unknown, others
}

// Finding is a place that takes no nodes now.
type Finding struct {
	Kind   FindingKind
	Region string
	Zone   string   // "" where it is the region as a whole
	Known  []string // for an unknown place: the names that Keystone or Nova know, sorted
	Why    string   // a sentence on a region without a compute endpoint; "": it was not looked up
}

// why is the reason for people, after the name of the place.
func (k FindingKind) why() string {
	switch k {
	case UnknownRegion:
		return "is not known to Keystone"
	case NoCompute:
		return "has no compute endpoint"
	case UnknownZone:
		return "is not listed by Nova"
	}
	return "is not available"
}

// LookUp looks up whether regions and their zones can take nodes now, all
// regions at once. It returns the regions with those closed that cannot, and a
// finding for each of these, in the order of regions and zones. The zones of a
// region that is closed are not looked up.
//
// A region or zone without a weight has nodes and is not in the configuration. So it is
// never unknown; it is closed where nothing can be deleted there.
//
// No request is sent to a region that is closed for maintenance. A region or zone that
// is closed for maintenance has no finding, even if it is not usable, unless it is
// unknown.
//
// The error is that of a request that failed. Then nothing is known about any place.
func LookUp(
	ctx context.Context, cloud *openstack.Cloud, regions []placement.Region,
) ([]placement.Region, []Finding, error) {
	if err := cloud.Login(ctx); err != nil {
		return nil, nil, err
	}
	looked := make([]placement.Region, len(regions))
	findings := make([][]Finding, len(regions))
	err := each(regions, func(i int, region placement.Region) error {
		var err error
		looked[i], findings[i], err = lookUp(ctx, cloud, region)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return looked, slices.Concat(findings...), nil
}

func lookUp(ctx context.Context, cloud *openstack.Cloud, region placement.Region) (placement.Region, []Finding, error) {
	state, why, err := cloud.RegionState(ctx, region.Name)
	if err != nil {
		return region, nil, err
	}
	switch {
	case state == openstack.RegionUnknown && region.Weight > 0:
		known, err := cloud.Regions(ctx)
		return closed(region, UnknownRegion), []Finding{{Kind: UnknownRegion, Region: region.Name, Known: known}}, err
	case region.Maintenance && state == openstack.RegionNoCompute:
		return closed(region, NoCompute), nil, nil
	case state == openstack.RegionUnknown, state == openstack.RegionNoCompute:
		return closed(region, NoCompute), []Finding{{Kind: NoCompute, Region: region.Name, Why: why}}, nil
	}
	if len(region.Zones) == 0 || region.Maintenance {
		return region, nil, nil
	}
	zones, err := cloud.Zones(ctx, region.Name)
	if err != nil {
		return region, nil, err
	}
	var findings []Finding
	region.Zones, findings = closeZones(region, zones)
	return region, findings, nil
}

func closed(region placement.Region, kind FindingKind) placement.Region {
	region.Closed, region.Why = true, kind.why()
	return region
}

// closeZones closes the zones that Nova does not list, or that are not available. A
// zone that is neither in the configuration nor in Nova's list stays open: its servers
// are in another zone by now.
func closeZones(region placement.Region, zones []openstack.Zone) ([]placement.Bin, []Finding) {
	available := make(map[string]bool, len(zones))
	names := make([]string, len(zones))
	for i, z := range zones {
		names[i] = z.Name
		available[z.Name] = z.Available
	}
	bins := slices.Clone(region.Zones)
	var findings []Finding
	for i, b := range bins {
		up, listed := available[b.Name]
		finding := Finding{Kind: ZoneUnavailable, Region: region.Name, Zone: b.Name}
		switch {
		case up, b.Weight == 0 && !listed:
			continue
		case !listed:
			finding.Kind, finding.Known = UnknownZone, names
		}
		bins[i].Closed, bins[i].Why = true, finding.Kind.why()
		if !b.Maintenance || finding.Kind.Unknown() {
			findings = append(findings, finding)
		}
	}
	return bins, findings
}

package cluster

import (
	"context"
	"fmt"
	"maps"
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

// Quota is the rest of a project's compute quotas in a region.
type Quota struct {
	Servers int64  // number of further servers; -1 means any number
	Limit   string // quota that allows the fewest: "9 of 10 instances in use"

	Flavors map[string]int64 // number of further servers of each flavor; a flavor without one has no limit
}

// Quotas has the quotas of regions, by name.
type Quotas map[string]Quota

// ReadQuotas reads the quotas of all regions that take nodes, at once. Without a flavor only the number of instances
// counts. With flavors, by id or name, the first choice first, cores and RAM count too.
func ReadQuotas(
	ctx context.Context, cloud *openstack.Cloud, flavors func(placement.Region) []string, regions []placement.Region,
) (Quotas, error) {
	if err := cloud.Login(ctx); err != nil {
		return nil, err
	}
	var open []string
	var wanted [][]string
	for _, r := range regions {
		if !r.Closed && !r.Maintenance && r.Weight > 0 {
			open, wanted = append(open, r.Name), append(wanted, flavors(r))
		}
	}
	found := make([]Quota, len(open))
	err := each(open, func(i int, region string) error {
		limits, err := cloud.Limits(ctx, region)
		if err != nil {
			return err
		}
		found[i], err = quotaOfAll(ctx, cloud, region, *limits, wanted[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	quotas := make(Quotas, len(open))
	for i, region := range open {
		quotas[region] = found[i]
	}
	return quotas, nil
}

// quotaOfAll returns how many more servers fit into the limits of a region. Servers of the earlier flavors come first,
// and servers of a later flavor fit next to them.
func quotaOfAll(
	ctx context.Context, cloud *openstack.Cloud, region string, left openstack.Limits, names []string,
) (all Quota, err error) {
	limits := left
	for i, name := range names {
		var flavor openstack.Flavor
		if name != "" {
			flavor, err = cloud.Flavor(ctx, region, name)
		}
		if err != nil {
			return all, err
		}
		room := quotaOf(&left, flavor).Servers
		all.Limit = quotaOf(&limits, flavor).Limit
		if room < 0 {
			return Quota{Servers: -1, Flavors: all.Flavors}, nil
		}
		if i == 0 {
			all.Flavors = map[string]int64{}
		}
		all.Servers += room
		all.Flavors[name] = room
		left.TotalInstancesUsed += int(room)
		left.TotalCoresUsed += int(room) * flavor.VCPUs
		left.TotalRAMUsed += int(room) * flavor.RAM
	}
	return all, nil
}

// quotaOf returns how many more servers of a flavor fit into the limits. For the zero flavor only the number of
// instances counts.
func quotaOf(l *openstack.Limits, flavor openstack.Flavor) Quota {
	quota := Quota{Servers: -1}
	for _, r := range []struct {
		name           string
		most, used, by int
	}{
		{"instances", l.MaxTotalInstances, l.TotalInstancesUsed, 1},
		{"cores", l.MaxTotalCores, l.TotalCoresUsed, flavor.VCPUs},
		{"MiB of RAM", l.MaxTotalRAMSize, l.TotalRAMUsed, flavor.RAM},
	} {
		if r.most < 0 || r.by == 0 {
			continue
		}
		room := int64(max(0, r.most-r.used) / r.by)
		if quota.Servers < 0 || room < quota.Servers {
			quota = Quota{Servers: room, Limit: fmt.Sprintf("%d of %d %s in use", r.used, r.most, r.name)}
		}
	}
	return quota
}

// Rooms are how many more servers of each flavor the quotas allow, by region.
func (q Quotas) Rooms() map[string]map[string]int64 {
	rooms := map[string]map[string]int64{}
	for region, quota := range q {
		rooms[region] = quota.Flavors
	}
	return rooms
}

// Cap returns the regions with their caps lowered to the quotas. Quotas count servers: existing ones (by region, in
// servers) are in use already, and a node without a server still needs room.
func (q Quotas) Cap(regions []placement.Region, servers map[string]int64) []placement.Region {
	capped := slices.Clone(regions)
	for i, r := range capped {
		quota, asked := q[r.Name]
		if !asked || quota.Servers < 0 {
			continue
		}
		if most := servers[r.Name] + quota.Servers; r.Cap == placement.Unlimited || most < r.Cap {
			capped[i].Cap, capped[i].Why = most, "quota: "+quota.Limit
		}
	}
	return capped
}

// Binding lists the regions that a plan fills up to a cap that a quota lowered. The regions in configured are from
// before [Quotas.Cap], those in capped from after it; before and after count the nodes by region, before and after
// the plan.
func (q Quotas) Binding(configured, capped []placement.Region, before, after map[string]int64) []Binding {
	var binding []Binding
	for i, r := range configured {
		if most := capped[i].Cap; most != r.Cap && after[r.Name] >= most {
			binding = append(binding,
				Binding{Region: r.Name, Nodes: after[r.Name] - before[r.Name], Limit: q[r.Name].Limit})
		}
	}
	return binding
}

// Short lists the regions, by name, whose quota has no room for the servers that are needed in addition to all
// existing ones. These servers fit only after others were destroyed, which create_before_destroy does not allow.
func (q Quotas) Short(needed map[string]int64) []Binding {
	var short []Binding
	for _, region := range slices.Sorted(maps.Keys(needed)) {
		if quota, asked := q[region]; asked && quota.Servers >= 0 && needed[region] > quota.Servers {
			short = append(short,
				Binding{Region: region, Nodes: needed[region], Room: quota.Servers, Limit: quota.Limit})
		}
	}
	return short
}

// Binding is a quota that a plan uses up.
type Binding struct {
	Region string
	Nodes  int64  // number that the region gets
	Room   int64  // for [Quotas.Short]: number of further servers that fit
	Limit  string // text of the quota
}

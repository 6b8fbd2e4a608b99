package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Quota is what a project's compute quotas in a region still allow.
type Quota struct {
	Servers int64  // that may be made in addition to those that exist; -1: any number
	Limit   string // the quota that allows the fewest: "9 of 10 instances in use"

	Flavors map[string]int64 // how many of those of each flavor, the first choice first; none: any number
}

// Quotas are those of regions, by name.
type Quotas map[string]Quota

// ReadQuotas asks for the quotas of all regions at once that take nodes. Without
// a flavor only the quota of instances counts; with some, by id or name, the first choice
// first, those of cores and RAM count too.
func ReadQuotas(
	ctx context.Context, cloud *openstack.Cloud, flavors func(placement.Region) []string,
	regions []placement.Region,
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

// quotaOfAll works out how many more servers fit into the limits of a region: of each flavor as many as
// fit next to those of the flavors before it.
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

// quotaOf works out how many more servers of a flavor fit into the limits. Of the
// zero flavor only the number of instances counts.
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

// Cap returns the regions with their caps lowered to what the quotas allow. A
// quota counts servers: those that exist (by region, in servers) are in it
// already, and a node that has no server yet still needs room.
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

// Binding lists the regions that are filled up to a cap that a quota lowered:
// configured are the regions before [Quotas.Cap], capped after it, and the nodes
// are counted by region before and after a plan.
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

// Short lists the regions, by name, whose quota has no room for the servers that are
// needed there in addition to all that exist. They fit only after others were
// destroyed, which create_before_destroy does not allow.
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
	Nodes  int64  // that the region gets
	Room   int64  // for more servers than those that exist, where it is [Quotas.Short]
	Limit  string // the quota
}

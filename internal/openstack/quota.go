package openstack

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"
)

// Limits is what the project may use of a region's Nova, and what it uses.
type Limits struct {
	limits.Absolute
}

// Limits asks for the project's limits in a region, once.
func (c *Cloud) Limits(ctx context.Context, region string) (*Limits, error) {
	return c.limits.get(ctx, region, func(ctx context.Context) (*Limits, error) {
		compute, err := c.Compute(ctx, region)
		if err != nil {
			return nil, err
		}
		got, err := limits.Get(ctx, compute.At(1), nil).Extract()
		if err == nil && got == nil {
			err = missing("limits")
		}
		if err != nil {
			return nil, fmt.Errorf("region %s: get the project's limits: %w", region, err)
		}
		return &Limits{got.Absolute}, nil
	})
}

// Flavor is the size of a server.
type Flavor struct {
	VCPUs int
	RAM   int // MiB
}

// Flavor looks a flavor up in a region, once.
func (c *Cloud) Flavor(ctx context.Context, region, id string) (Flavor, error) {
	return c.flavors.get(ctx, [2]string{region, id}, func(ctx context.Context) (Flavor, error) {
		compute, err := c.Compute(ctx, region)
		if err != nil {
			return Flavor{}, err
		}
		got, err := flavors.Get(ctx, compute.At(1), id).Extract()
		if err == nil && got == nil {
			err = missing("flavor")
		}
		if err != nil {
			return Flavor{}, fmt.Errorf("region %s: get the flavor %q: %w", region, id, err)
		}
		return Flavor{VCPUs: got.VCPUs, RAM: got.RAM}, nil
	})
}

// Room is how many more servers of a flavor (the zero flavor: of any) fit into
// the limits, and the limit that says so. The number is -1 where none does.
func (l *Limits) Room(flavor Flavor) (servers int64, limit string) {
	servers = -1
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
		if servers < 0 || room < servers {
			servers, limit = room, fmt.Sprintf("%d of %d %s in use", r.used, r.most, r.name)
		}
	}
	return servers, limit
}

// QuotaRoom is how many more servers the project's quotas in a region allow,
// and the quota that says so. With a flavor cores and RAM count too. The number
// is -1 where nothing is limited.
func (c *Cloud) QuotaRoom(ctx context.Context, region, flavorID string) (servers int64, limit string, err error) {
	limits, err := c.Limits(ctx, region)
	if err != nil {
		return 0, "", err
	}
	var flavor Flavor
	if flavorID != "" {
		if flavor, err = c.Flavor(ctx, region, flavorID); err != nil {
			return 0, "", err
		}
	}
	servers, limit = limits.Room(flavor)
	return servers, limit, nil
}

package openstack

import (
	"context"
	"fmt"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"
)

// Flavor is the size of a server.
type Flavor struct {
	ID, Name string
	VCPUs    int
	RAM      int // MiB
	Diskless bool
}

// Flavor looks up a flavor in a region by its id or, if none has that id, by its name. The flavors of a region are
// listed once. A flavor that is not listed, as a private one is not for an admin, is requested once by its id.
func (c *Cloud) Flavor(ctx context.Context, region, id string) (Flavor, error) {
	compute, err := c.Compute(ctx, region)
	if err != nil {
		return Flavor{}, err
	}
	list, listErr := c.flavorLists.get(ctx, region, compute.Flavors)
	for _, is := range []func(Flavor) bool{
		func(f Flavor) bool { return f.ID == id },
		func(f Flavor) bool { return f.Name == id },
	} {
		if i := slices.IndexFunc(list, is); i >= 0 {
			return list[i], nil
		}
	}
	return c.flavors.get(ctx, [2]string{region, id}, func(ctx context.Context) (Flavor, error) {
		client := compute.At(1)
		got, err := get[answeredFlavor](ctx, client, client.ServiceURL("flavors", id), "flavor")
		switch {
		case listErr != nil && err != nil:
			err = listErr // the flavor may have this name
		case err == nil && string(got.ID) != id:
			err = wrongObject(got.ID)
		}
		if err != nil {
			return Flavor{}, fmt.Errorf("region %s: get the flavor %q: %w", region, id, err)
		}
		return got.flavor(), nil
	})
}

// answeredFlavor is the part of a flavor in an answer that is read.
type answeredFlavor struct {
	ID    Text `json:"id"`
	Name  Text `json:"name"`
	VCPUs int  `json:"vcpus"`
	RAM   int  `json:"ram"`
	Disk  *int `json:"disk"`
}

func (f answeredFlavor) flavor() Flavor {
	return Flavor{string(f.ID), string(f.Name), f.VCPUs, f.RAM, f.Disk != nil && *f.Disk == 0}
}

// Flavors lists the flavors of the region that Nova shows to this user.
func (c *Compute) Flavors(ctx context.Context) (all []Flavor, err error) {
	err = items(ctx, c.At(1), "flavors/detail", "flavors", func() { all = nil }, func(f answeredFlavor) Text {
		all = append(all, f.flavor())
		return f.ID
	})
	return all, err
}

// Limits are the quotas of the project in a region's Nova, and how much of them is used.
type Limits = limits.Absolute

// Limits requests the project's limits in a region, once.
func (c *Cloud) Limits(ctx context.Context, region string) (*Limits, error) {
	return c.limits.get(ctx, region, func(ctx context.Context) (*Limits, error) {
		compute, err := c.Compute(ctx, region)
		if err != nil {
			return nil, err
		}
		client := compute.At(1)
		got, err := get[limits.Limits](ctx, client, client.ServiceURL("limits"), "limits")
		if err != nil {
			return nil, fmt.Errorf("region %s: get the project's limits: %w", region, err)
		}
		return &got.Absolute, nil
	})
}

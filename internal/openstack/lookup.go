package openstack

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"
)

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

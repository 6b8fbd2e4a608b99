package openstack

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
)

// ServerGroupMembers lists the ids of the servers in a server group.
func (c *Compute) ServerGroupMembers(ctx context.Context, id string) ([]string, error) {
	group, err := servergroups.Get(ctx, c.At(VersionGroupPolicy), id).Extract()
	if err != nil {
		return nil, fmt.Errorf("region %s: get the server group %s: %w", c.Region, id, err)
	}
	return group.Members, nil
}

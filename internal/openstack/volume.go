package openstack

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2/openstack"
)

// volume is a volume of a region.
type volume struct {
	ID   Text  `json:"id"`
	Name Text  `json:"name"`
	Size int64 `json:"size"`
}

// VolumeSizes returns the sizes in GiB of the project's volumes in a region by their names. They are requested once.
func (c *Cloud) VolumeSizes(ctx context.Context, region string) (map[string][]int64, error) {
	return c.volumes.get(ctx, region, func(ctx context.Context) (sizes map[string][]int64, err error) {
		client, err := c.client(ctx, region, openstack.NewBlockStorageV3)
		if err != nil {
			return nil, err
		}
		restart := func() { sizes = map[string][]int64{} }
		err = items(ctx, client, "volumes/detail", "volumes", restart, func(v volume) Text {
			sizes[string(v.Name)] = append(sizes[string(v.Name)], v.Size)
			return v.ID
		})
		if err != nil {
			return nil, fmt.Errorf("region %s: list the volumes: %w", region, err)
		}
		return sizes, nil
	})
}

package openstack

import (
	"context"
	"fmt"
	"net/url"

	"github.com/gophercloud/gophercloud/v2"
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
	return c.volumes.get(ctx, region, func(ctx context.Context) (map[string][]int64, error) {
		s, err := c.session(ctx)
		if err != nil {
			return nil, err
		}
		client, err := openstack.NewBlockStorageV3(s.client, gophercloud.EndpointOpts{Region: region})
		if err != nil {
			return nil, err
		}
		sizes, marker := map[string][]int64{}, ""
		for {
			query := url.Values{"limit": {"1000"}}
			if marker != "" {
				query.Set("marker", marker)
			}
			page, err := get[[]volume](ctx, client, client.ServiceURL("volumes", "detail")+"?"+query.Encode(),
				"volumes")
			if err != nil {
				return nil, fmt.Errorf("region %s: list the volumes: %w", region, err)
			}
			for _, v := range page {
				sizes[string(v.Name)] = append(sizes[string(v.Name)], v.Size)
			}
			if len(page) < 1000 {
				return sizes, nil
			}
			marker = string(page[len(page)-1].ID)
		}
	})
}

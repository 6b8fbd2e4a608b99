package cluster

import (
	"context"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// Zone is an availability zone of a region.
type Zone struct {
	Region string
	openstack.Zone
}

// Zones lists the availability zones of regions, in the order of the regions, and sorted by name within each. It
// reads all regions at once. A region that cannot be read is an error.
func Zones(ctx context.Context, cloud *openstack.Cloud, regions []string) ([]Zone, error) {
	if err := cloud.Login(ctx); err != nil {
		return nil, err
	}
	found := make([][]Zone, len(regions))
	err := each(regions, func(i int, region string) error {
		zones, err := cloud.Zones(ctx, region)
		for _, z := range zones {
			found[i] = append(found[i], Zone{region, z})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

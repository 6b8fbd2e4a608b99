package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ImageCreated returns the time when an image was made, which is requested once. The time is zero if it
// cannot be known, because the image is gone or hidden, or the region has no Glance for this user.
func (c *Cloud) ImageCreated(ctx context.Context, region, id string) (time.Time, error) {
	return c.images.get(ctx, [2]string{region, id}, func(ctx context.Context) (time.Time, error) {
		client, err := c.Glance(ctx, region)
		if _, missing := errors.AsType[*NoEndpointError](err); missing {
			return time.Time{}, nil
		}
		if err != nil {
			return time.Time{}, err
		}
		image, err := extracted(images.Get(ctx, client, id).Extract())
		switch {
		case gophercloud.ResponseCodeIs(err, http.StatusNotFound),
			gophercloud.ResponseCodeIs(err, http.StatusForbidden):
			return time.Time{}, nil
		case err == nil && (image == nil || image.ID == ""):
			err = missing("id")
		}
		if err != nil {
			return time.Time{}, fmt.Errorf("region %s: get the image %s: %w", region, text.Clean(id), err)
		}
		return image.CreatedAt, nil
	})
}

// Glance returns a client for the images of a region.
func (c *Cloud) Glance(ctx context.Context, region string) (*gophercloud.ServiceClient, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	return openstack.NewImageV2(s.client, gophercloud.EndpointOpts{Region: region})
}

package openstack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
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
		got, err := extracted(limits.Get(ctx, compute.At(1), nil).Extract())
		if err == nil && got == nil {
			err = missing("limits")
		}
		if err != nil {
			return nil, fmt.Errorf("region %s: get the project's limits: %w", region, err)
		}
		return &got.Absolute, nil
	})
}

// Flavor is the size of a server.
type Flavor struct {
	ID, Name string
	VCPUs    int
	RAM      int // MiB
}

// Flavor looks up a flavor in a region by its id or, if none has that id, by its name, once.
func (c *Cloud) Flavor(ctx context.Context, region, id string) (Flavor, error) {
	return c.flavors.get(ctx, [2]string{region, id}, func(ctx context.Context) (Flavor, error) {
		compute, err := c.Compute(ctx, region)
		if err != nil {
			return Flavor{}, err
		}
		got, err := extracted(flavors.Get(ctx, compute.At(1), id).Extract())
		if err == nil && got == nil {
			err = missing("flavor")
		}
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			if named, found := compute.flavorNamed(ctx, id); found {
				return named, nil
			}
		}
		if err != nil {
			return Flavor{}, fmt.Errorf("region %s: get the flavor %q: %w", region, id, err)
		}
		return Flavor{text.Clean(got.ID), text.Clean(got.Name), got.VCPUs, got.RAM}, nil
	})
}

// flavorNamed is the flavor of a name. A list that cannot be read has none.
func (c *Compute) flavorNamed(ctx context.Context, name string) (flavor Flavor, found bool) {
	err := walk(ctx, c.At(1), "flavors/detail", nil, func(page Page, item itemFunc) (more bool, err error) {
		var list struct {
			Flavors []struct {
				ID, Name   Text
				VCPUs, RAM int
			}
			Links []gophercloud.Link `json:"flavors_links"`
		}
		err = json.Unmarshal(page.Body, &list)
		for _, f := range list.Flavors {
			if err = cmp.Or(err, item(f.ID, f.Name)); err == nil && string(f.Name) == name {
				flavor, found = Flavor{string(f.ID), string(f.Name), f.VCPUs, f.RAM}, true
			}
		}
		return len(list.Links) > 0 && !found, err
	})
	return flavor, found && err == nil
}

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

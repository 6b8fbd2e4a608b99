package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Flavor is the size of a server.
type Flavor struct {
	ID, Name string
	VCPUs    int
	RAM      int // MiB
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
}

func (f answeredFlavor) flavor() Flavor {
	return Flavor{string(f.ID), string(f.Name), f.VCPUs, f.RAM}
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

// Image is an image of a region.
type Image struct {
	ID      Text      `json:"id"`
	Name    Text      `json:"name"`
	Status  Text      `json:"status"`
	Created time.Time `json:"created_at"`
}

// Active reports whether servers can be made from the image.
func (i Image) Active() bool { return i.Status == "active" }

// mostImages is the maximum number of images of one name that are read, the newest ones.
const mostImages = 100

// ImagesNamed lists the active images of a name in a region, the newest first. They are requested once.
func (c *Cloud) ImagesNamed(ctx context.Context, region, name string) ([]Image, error) {
	return c.imageLists.get(ctx, [2]string{region, name}, func(ctx context.Context) ([]Image, error) {
		client, err := c.client(ctx, region, openstack.NewImageV2)
		if err != nil {
			return nil, err
		}
		query := url.Values{"name": {name}, "status": {"active"}, "sort_key": {"created_at"}, "sort_dir": {"desc"},
			"limit": {fmt.Sprint(mostImages)}}
		list, err := get[[]Image](ctx, client, client.ServiceURL("images")+"?"+query.Encode(), "images")
		if err != nil {
			return nil, fmt.Errorf("region %s: list the images named %q: %w", region, text.Clean(name), err)
		}
		images := slices.DeleteFunc(list, func(i Image) bool {
			return string(i.Name) != name || i.ID == "" || !i.Active() // Glance reads "in:a,b" as two names
		})
		slices.SortFunc(images, func(a, b Image) int {
			return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
		})
		return images, nil
	})
}

// Image returns an image, which is requested once. Without an id it is gone, or hidden from this user.
func (c *Cloud) Image(ctx context.Context, region, id string) (Image, error) {
	return c.images.get(ctx, [2]string{region, id}, func(ctx context.Context) (image Image, err error) {
		client, err := c.client(ctx, region, openstack.NewImageV2)
		if err != nil {
			return image, err
		}
		image, err = get[Image](ctx, client, client.ServiceURL("images", url.PathEscape(id)), "")
		switch {
		case gophercloud.ResponseCodeIs(err, http.StatusNotFound),
			gophercloud.ResponseCodeIs(err, http.StatusForbidden):
			return Image{}, nil
		case err == nil && image.ID == "":
			err = missing("id")
		}
		if err != nil {
			return Image{}, fmt.Errorf("region %s: get the image %s: %w", region, text.Clean(id), err)
		}
		return image, nil
	})
}

// ImageCreated returns the time when an image was made, which is zero if it cannot be known, because the image is
// gone or hidden, or the region has no Glance for this user.
func (c *Cloud) ImageCreated(ctx context.Context, region, id string) (time.Time, error) {
	image, err := c.Image(ctx, region, id)
	if _, missing := errors.AsType[*NoEndpointError](err); missing {
		return time.Time{}, nil
	}
	return image.Created, err
}

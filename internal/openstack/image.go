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
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

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
		client, err := c.Glance(ctx, region)
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
		client, err := c.Glance(ctx, region)
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

// Glance returns a client for the images of a region.
func (c *Cloud) Glance(ctx context.Context, region string) (*gophercloud.ServiceClient, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	return openstack.NewImageV2(s.client, gophercloud.EndpointOpts{Region: region})
}

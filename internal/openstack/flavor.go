package openstack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
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
		got, err := extracted(flavors.Get(ctx, compute.At(1), id).Extract())
		switch {
		case listErr != nil && err != nil:
			err = listErr // the flavor may have this name
		case err == nil && got == nil:
			err = missing("flavor")
		case err == nil && got.ID != id:
			err = wrongObject(Text(got.ID))
		}
		if err != nil {
			return Flavor{}, fmt.Errorf("region %s: get the flavor %q: %w", region, id, err)
		}
		return Flavor{text.Clean(got.ID), text.Clean(got.Name), got.VCPUs, got.RAM, got.Disk == 0}, nil
	})
}

// Flavors lists the flavors of the region that Nova shows to this user.
func (c *Compute) Flavors(ctx context.Context) (all []Flavor, err error) {
	err = walk(ctx, c.At(1), "flavors/detail", nil, func(page Page, item itemFunc) (more bool, err error) {
		var list struct {
			Flavors []struct {
				ID, Name   Text
				VCPUs, RAM int
				Disk       *int
			}
			Links []gophercloud.Link `json:"flavors_links"`
		}
		err = json.Unmarshal(page.Body, &list)
		for _, f := range list.Flavors {
			err = cmp.Or(err, item(f.ID))
			all = append(all, Flavor{string(f.ID), string(f.Name), f.VCPUs, f.RAM, f.Disk != nil && *f.Disk == 0})
		}
		return len(list.Links) > 0, err
	})
	return all, err
}

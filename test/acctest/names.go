package acctest

import (
	"context"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/imagedata"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names of networks and images, which belong to others. The end of the test takes the changes back, but the fake cloud
// keeps a second network.

// RenameNetwork gives a network another name, in all regions.
func (c *Cloud) RenameNetwork(t testing.TB, old, name string) {
	t.Helper()
	if c.Fake != nil {
		c.Fake.RenameNetwork(old, name)
		t.Cleanup(func() { c.Fake.RenameNetwork(name, old) })
		return
	}
	ctx := context.WithoutCancel(t.Context())
	for _, region := range c.Regions(t) {
		client := c.neutron(t, region)
		found := listed(t, networks.List(client, networks.ListOpts{Name: old}), networks.ExtractNetworks)
		require.Len(t, found, 1, "networks with the name %s", old)
		rename := func(name string) {
			_, err := networks.Update(ctx, client, found[0].ID, networks.UpdateOpts{Name: &name}).Extract()
			require.NoError(t, err)
		}
		rename(name)
		t.Cleanup(func() { rename(old) })
	}
}

// AddNetwork makes a network in all regions, for no server.
func (c *Cloud) AddNetwork(t testing.TB, name string) {
	t.Helper()
	if c.Fake != nil {
		c.Fake.AddNetwork(name)
		return
	}
	for _, region := range c.Regions(t) {
		client := c.neutron(t, region)
		made, err := networks.Create(t.Context(), client, networks.CreateOpts{Name: name}).Extract()
		require.NoError(t, err)
		t.Cleanup(func() {
			assert.NoError(t, networks.Delete(context.WithoutCancel(t.Context()), client, made.ID).ExtractErr())
		})
	}
}

func (c *Cloud) glance(t testing.TB) *gophercloud.ServiceClient {
	t.Helper()
	client, err := gopher.NewImageV2(c.Provider(t), gophercloud.EndpointOpts{Region: c.Regions(t)[0]})
	require.NoError(t, err)
	return client
}

// RenameImage gives an image another name.
func (c *Cloud) RenameImage(t testing.TB, old, name string) {
	t.Helper()
	id := c.Named(t, old)
	rename := func(name string) {
		if c.Fake != nil {
			c.Fake.UpdateImage(id, func(i *fakecloud.Image) { i.Name = name })
			return
		}
		opts := images.UpdateOpts{images.ReplaceImageName{NewName: name}}
		_, err := images.Update(context.WithoutCancel(t.Context()), c.glance(t), id, opts).Extract()
		require.NoError(t, err)
	}
	rename(name)
	t.Cleanup(func() { rename(old) })
}

// AddImage makes an image.
func (c *Cloud) AddImage(t testing.TB, name string) {
	t.Helper()
	if c.Fake != nil {
		id := c.Fake.AddImage(fakecloud.Image{Name: name})
		t.Cleanup(func() { c.Fake.RemoveImage(id) })
		return
	}
	opts := images.CreateOpts{Name: name, DiskFormat: "raw", ContainerFormat: "bare"}
	made, err := images.Create(t.Context(), c.glance(t), opts).Extract()
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, images.Delete(context.WithoutCancel(t.Context()), c.glance(t), made.ID).ExtractErr())
	})
	require.NoError(t, imagedata.Upload(t.Context(), c.glance(t), made.ID, strings.NewReader("empty")).ExtractErr())
}

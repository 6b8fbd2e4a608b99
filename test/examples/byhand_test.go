package examples_test

import (
	"context"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"
)

// take deletes by hand a server in RegionOne, or what hangs on it.
func (e example) take(t *testing.T, what, name, pool string) {
	t.Helper()
	ctx, of := context.WithoutCancel(t.Context()), gophercloud.EndpointOpts{Region: "RegionOne"}
	neutron, err := gopher.NewNetworkV2(e.c.Provider(t), of)
	require.NoError(t, err)
	server := e.servers(t)[name]
	switch what {
	case "server":
		e.c.Kill(t, "RegionOne", server)
	case "port":
		err = ports.Delete(ctx, neutron, e.c.PortsOf(t, "RegionOne", server)[0]).ExtractErr()
	case "volume":
		e.c.DropVolume(t, "RegionOne", server)
	case "member":
		err = pools.DeleteMember(ctx, e.c.Octavia(t, "RegionOne"), pool, string(e.c.Members(t, "RegionOne", pool)[name].ID)).ExtractErr()
	case "address":
		pages, failed := floatingips.List(neutron, floatingips.ListOpts{Description: name}).AllPages(ctx)
		require.NoError(t, failed)
		found, failed := floatingips.ExtractFloatingIPs(pages)
		require.NoError(t, failed)
		err = floatingips.Delete(ctx, neutron, found[0].ID).ExtractErr()
	}
	require.NoError(t, err, what)
}

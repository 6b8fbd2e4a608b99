package acctest

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Volumes and ports, which outlive the servers of a test.

// Volumes returns the ids of the volumes whose names begin with the test's prefix, by name without it.
func (c *Cloud) Volumes(t testing.TB, region string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, v := range listed(t, volumes.List(c.cinder(t, region), nil), volumes.ExtractVolumes) {
		if name, ours := strings.CutPrefix(v.Name, c.Prefix); ours && v.Status != "deleting" {
			found[name] = v.ID
		}
	}
	return found
}

// Ports returns the ids of the ports whose names begin with the test's prefix, by name without it.
func (c *Cloud) Ports(t testing.TB, region string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, p := range listed(t, ports.List(c.neutron(t, region), nil), ports.ExtractPorts) {
		if name, ours := strings.CutPrefix(p.Name, c.Prefix); ours {
			found[name] = p.ID
		}
	}
	return found
}

// PortsOf returns the ids of the ports of a server.
func (c *Cloud) PortsOf(t testing.TB, region, server string) (ids []string) {
	t.Helper()
	of := ports.ListOpts{DeviceID: server}
	for _, p := range listed(t, ports.List(c.neutron(t, region), of), ports.ExtractPorts) {
		ids = append(ids, p.ID)
	}
	return ids
}

// Floating returns the floating addresses of a region, each with the id of the server that has it, or "".
func (c *Cloud) Floating(t testing.TB, region string) map[string]string {
	t.Helper()
	client, servers, list := c.neutron(t, region), map[string]string{"": ""}, map[string]string{}
	for _, p := range listed(t, ports.List(client, nil), ports.ExtractPorts) {
		servers[p.ID] = p.DeviceID
	}
	for _, f := range listed(t, floatingips.List(client, nil), floatingips.ExtractFloatingIPs) {
		list[f.FloatingIP] = servers[f.PortID]
	}
	return list
}

// Numbers counts what the regions of some pools have, in this order: servers, ports, volumes, floating addresses, and
// members of the pools. Ports that Nova made end with their servers, and do not count.
func (c *Cloud) Numbers(t testing.TB, pools map[string]string) (numbers [5]int) {
	t.Helper()
	for region, pool := range pools {
		client := c.neutron(t, region)
		numbers[0] += len(c.In(t, region))
		for _, p := range listed(t, ports.List(client, nil), ports.ExtractPorts) {
			if strings.HasPrefix(p.Name, c.Prefix) {
				numbers[1]++
			}
		}
		for _, v := range listed(t, volumes.List(c.cinder(t, region), nil), volumes.ExtractVolumes) {
			if v.Status != "deleting" {
				numbers[2]++
			}
		}
		numbers[3] += len(listed(t, floatingips.List(client, nil), floatingips.ExtractFloatingIPs))
		members, err := c.API.Members(context.WithoutCancel(t.Context()), region, pool)
		require.NoError(t, err)
		numbers[4] += len(members)
	}
	return numbers
}

// DropVolumes deletes the test's volumes and ports behind Terraform's back. No server uses them any more.
func (c *Cloud) DropVolumes(t testing.TB, region string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for name, id := range c.Volumes(t, region) {
		assert.NoError(t, volumes.Delete(ctx, c.cinder(t, region), id, nil).ExtractErr(), "delete the volume %s", name)
	}
	for name, id := range c.Ports(t, region) {
		assert.NoError(t, ports.Delete(ctx, c.neutron(t, region), id).ExtractErr(), "delete the port %s", name)
	}
}

// DropVolume deletes the volume that a server got last behind Terraform's back.
func (c *Cloud) DropVolume(t testing.TB, region, server string) {
	t.Helper()
	ctx, nova, cinder := context.WithoutCancel(t.Context()), c.nova(t, region), c.cinder(t, region)
	device, last := "", ""
	for _, v := range listed(t, volumes.List(cinder, nil), volumes.ExtractVolumes) {
		for _, a := range v.Attachments {
			if a.ServerID == server && a.Device > device {
				device, last = a.Device, v.ID
			}
		}
	}
	err := volumeattach.Delete(ctx, nova, server, last).ExtractErr()
	for v := new(volumes.Volume); err == nil && v.Status != "available"; {
		v, err = volumes.Get(ctx, cinder, last).Extract()
	}
	require.NoError(t, err, "detach the volume")
	err = volumes.Delete(ctx, cinder, last, nil).ExtractErr()
	for err == nil {
		_, err = volumes.Get(ctx, cinder, last).Extract()
	}
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusNotFound), "%v", err)
}

// cinder returns the Cinder of a region, or skips the test if there are no volumes.
func (c *Cloud) cinder(t testing.TB, region string) *gophercloud.ServiceClient {
	t.Helper()
	client, err := gopher.NewBlockStorageV3(c.Provider(t),
		gophercloud.EndpointOpts{Region: region})
	if err != nil {
		t.Skipf("needs volumes: %v", err)
	}
	return client
}

func (c *Cloud) neutron(t testing.TB, region string) *gophercloud.ServiceClient {
	t.Helper()
	client, err := gopher.NewNetworkV2(c.Provider(t), gophercloud.EndpointOpts{Region: region})
	require.NoError(t, err)
	return client
}

// Volume makes a volume and a port with this name in a region.
func (c *Cloud) Volume(t testing.TB, region, name string) {
	t.Helper()
	network, _ := c.Network(t, region)
	if _, err := volumes.Create(t.Context(), c.cinder(t, region), volumes.CreateOpts{Name: name, Size: 1}, nil).
		Extract(); err != nil {
		t.Fatal(err)
	}
	if _, err := ports.Create(t.Context(), c.neutron(t, region), ports.CreateOpts{Name: name, NetworkID: network}).
		Extract(); err != nil {
		t.Fatal(err)
	}
}

package examples_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hanging is what hangs on the servers of a cluster in RegionOne: the names of those that have it.
func (e example) hanging(t *testing.T, pool string) map[string][]string {
	t.Helper()
	all, addresses := map[string][]string{}, map[string]bool{}
	for _, m := range e.c.Fake.Members("RegionOne", pool) {
		addresses[m.Address] = true
	}
	floating := e.c.Floating(t, "RegionOne")
	for name, id := range e.servers(t) {
		s := e.c.Server(t, "RegionOne", id)
		if len(e.c.PortsOf(t, "RegionOne", id)) > 0 {
			all["ports"] = append(all["ports"], name)
		}
		if len(s.AttachedVolumes) > 0 {
			all["volumes"] = append(all["volumes"], name)
		}
		if slices.ContainsFunc(addressesOf(s), func(a string) bool { return addresses[a] }) {
			all["members"] = append(all["members"], name)
		}
		for _, server := range floating {
			if server == id {
				all["addresses"] = append(all["addresses"], name)
			}
		}
	}
	for _, names := range all {
		slices.Sort(names)
	}
	return all
}

func addressesOf(s servers.Server) (list []string) {
	for _, network := range s.Addresses {
		for _, at := range network.([]any) {
			list = append(list, at.(map[string]any)["addr"].(string))
		}
	}
	return list
}

// TestDeletedByHand: somebody takes what hangs on a node. Without its port or its volume the node is broken: the status
// says so, and its server is made again in its turn, alone. A member and a floating address come back with the next
// apply. In the end each node has all of its own, and the plan is empty.
func TestDeletedByHand(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	for _, module := range []string{"cluster", "stateful"} {
		for what, status := range map[string]string{
			"port": "its server has lost 1 port", "volume": "its server has lost 1 volume", "member": "", "address": "",
		} {
			t.Run(module+"/"+what, func(t *testing.T) {
				t.Parallel()
				e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
				pool := e.c.Fake.AddPool("RegionOne")
				e.with(t, module, `networks = [{ name = "shared", floating_ip_pool = "public" }]
disks = { data = { size = 1 } }
pools = { http = { region = "RegionOne", pool_id = "`+pool+`", protocol_port = 80 } }`)
				require.NoError(t, e.Init(t.Context()))
				e.apply(t)
				e.apply(t) // a plan looks at what is whole
				before, whole := e.servers(t), e.hanging(t, pool)
				id := before["web-1"]
				e.take(t, what, id, pool)
				e.c.Volumes(t, "RegionOne") // which ends what Cinder has begun
				if status != "" {
					said := acctest.Must(t, e.Workspace, "plan", "-input=false", "-no-color")
					assert.Regexp(t, acctest.Says(status), said)
				}
				acctest.Finish(t, func() string { return acctest.Apply(t, e.Workspace) })
				assert.Equal(t, "in step", e.output(t, "status"))
				after := e.servers(t)
				if module == "stateful" || status == "" {
					assert.Equal(t, whole, e.hanging(t, pool), "what hangs on the nodes")
				}
				for kind, names := range e.hanging(t, pool) {
					assert.Len(t, names, len(whole[kind]), kind)
				}
				for name, id := range before {
					assert.Equal(t, name != "web-1" || status == "", after[name] == id, "%s stays", name)
				}
				assert.Len(t, after, len(before))
				assert.Len(t, e.c.Ports(t, "RegionOne"), 3, "ports")
				assert.Len(t, e.c.Fake.Members("RegionOne", pool), 3, "members")
			})
		}
	}
}

// take deletes by hand what hangs on a server.
func (e example) take(t *testing.T, what, server, pool string) {
	t.Helper()
	ctx, of := context.WithoutCancel(t.Context()), gophercloud.EndpointOpts{Region: "RegionOne"}
	neutron, err := gopher.NewNetworkV2(e.c.Provider(t), of)
	require.NoError(t, err)
	nova, err := gopher.NewComputeV2(e.c.Provider(t), of)
	require.NoError(t, err)
	octavia, err := e.c.API.LoadBalancer(ctx, "RegionOne")
	require.NoError(t, err)
	s := e.c.Server(t, "RegionOne", server)
	switch what {
	case "port":
		err = ports.Delete(ctx, neutron, e.c.PortsOf(t, "RegionOne", server)[0]).ExtractErr()
	case "volume":
		err = volumeattach.Delete(ctx, nova, server, s.AttachedVolumes[0].ID).ExtractErr()
	case "member":
		for _, m := range e.c.Fake.Members("RegionOne", pool) {
			if slices.Contains(addressesOf(s), m.Address) {
				err = pools.DeleteMember(ctx, octavia.Client, pool, m.ID).ExtractErr()
			}
		}
	case "address":
		pages, listed := floatingips.List(neutron, floatingips.ListOpts{}).AllPages(ctx)
		require.NoError(t, listed)
		all, listed := floatingips.ExtractFloatingIPs(pages)
		require.NoError(t, listed)
		for _, f := range all {
			if slices.Contains(e.c.PortsOf(t, "RegionOne", server), f.PortID) {
				err = floatingips.Delete(ctx, neutron, f.ID).ExtractErr()
			}
		}
	}
	require.NoError(t, err, fmt.Sprint(what, " of ", server))
}

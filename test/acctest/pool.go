package acctest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
	"github.com/stretchr/testify/require"
)

// Octavia returns a client for the Octavia of a region, or skips the test if there is none.
func (c *Cloud) Octavia(t testing.TB, region string) *gophercloud.ServiceClient {
	t.Helper()
	client, err := gopher.NewLoadBalancerV2(c.Provider(t), gophercloud.EndpointOpts{Region: region})
	if _, missing := errors.AsType[*gophercloud.ErrEndpointNotFound](err); missing {
		t.Skip("needs Octavia, and the cloud has none")
	}
	require.NoError(t, err)
	return client
}

// Pool makes a load balancer with a pool, until the test ends. It returns the id of the pool.
func (c *Cloud) Pool(t testing.TB, region string) string {
	t.Helper()
	if c.Fake != nil {
		return c.Fake.AddPool(region)
	}
	client := c.Octavia(t, region)
	network, _ := c.Network(t, region)
	balancer, err := loadbalancers.Create(t.Context(), client, loadbalancers.CreateOpts{
		Name: c.Prefix + "lb", VipNetworkID: network,
	}).Extract()
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		err := c.settle(ctx, client, balancer.ID)
		if err == nil {
			err = loadbalancers.Delete(ctx, client, balancer.ID, loadbalancers.DeleteOpts{Cascade: true}).
				ExtractErr()
		}
		if err != nil {
			t.Errorf("the load balancer %s is left: %v", balancer.ID, err)
		}
	})
	require.NoError(t, c.settle(t.Context(), client, balancer.ID))
	pool, err := pools.Create(t.Context(), client, pools.CreateOpts{
		Name: c.Prefix + "pool", LoadbalancerID: balancer.ID, Protocol: "TCP", LBMethod: "ROUND_ROBIN",
	}).Extract()
	if err == nil {
		err = c.settle(t.Context(), client, balancer.ID)
	}
	require.NoError(t, err)
	return pool.ID
}

// settle waits until a load balancer accepts changes.
func (c *Cloud) settle(ctx context.Context, client *gophercloud.ServiceClient, id string) error {
	for {
		balancer, err := loadbalancers.Get(ctx, client, id).Extract()
		if err != nil || balancer.ProvisioningStatus == "ACTIVE" {
			return err
		}
		if err := wait.For(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// Members returns the members of a pool by their names.
func (c *Cloud) Members(t testing.TB, region, pool string) map[string]openstack.Member {
	t.Helper()
	list, err := c.API.Members(t.Context(), region, pool)
	require.NoError(t, err)
	members := map[string]openstack.Member{}
	for _, m := range list {
		members[string(m.Name)] = m
	}
	return members
}

package openstack

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Network is a network of a region.
type Network struct {
	ID   Text `json:"id"`
	Name Text `json:"name"`
}

// NetworksNamed lists the networks of a name in a region that Neutron shows to this user, by id. They are requested
// once.
func (c *Cloud) NetworksNamed(ctx context.Context, region, name string) ([]Network, error) {
	return c.networks(ctx, region, "name", name)
}

// NetworkExists reports whether Neutron shows a network.
func (c *Cloud) NetworkExists(ctx context.Context, region, id string) (bool, error) {
	list, err := c.networks(ctx, region, "id", id)
	return len(list) > 0, err
}

// PortsOf counts the ports of servers, by the ids of the servers.
func (c *Cloud) PortsOf(ctx context.Context, region string, servers []string) (map[string]int, error) {
	client, err := c.client(ctx, region, openstack.NewNetworkV2)
	if err != nil {
		return nil, err
	}
	query := url.Values{"device_id": servers}
	list, err := get[[]struct {
		Server Text `json:"device_id"`
	}](ctx, client, client.ServiceURL("ports")+"?"+query.Encode(), "ports")
	if err != nil {
		return nil, fmt.Errorf("region %s: list the ports of servers: %w", region, err)
	}
	count := map[string]int{}
	for _, p := range list {
		count[string(p.Server)]++
	}
	return count, nil
}

func (c *Cloud) networks(ctx context.Context, region, by, is string) ([]Network, error) {
	return c.networkLists.get(ctx, [3]string{region, by, is}, func(ctx context.Context) ([]Network, error) {
		client, err := c.client(ctx, region, openstack.NewNetworkV2)
		if err != nil {
			return nil, err
		}
		query := url.Values{by: {is}}
		list, err := get[[]Network](ctx, client, client.ServiceURL("networks")+"?"+query.Encode(), "networks")
		if err != nil {
			return nil, fmt.Errorf("region %s: list the networks of the %s %q: %w", region, by, text.Clean(is), err)
		}
		list = slices.DeleteFunc(list, func(n Network) bool {
			return n.ID == "" || by == "name" && string(n.Name) != is || by == "id" && string(n.ID) != is
		})
		slices.SortFunc(list, func(a, b Network) int { return cmp.Compare(a.ID, b.ID) })
		return list, nil
	})
}

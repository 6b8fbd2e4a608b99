package openstackstub

import (
	"context"
	"maps"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
)

// wanted is a configured network.
type wanted struct {
	id, name, port, address string
	access                  bool
}

// configured returns the networks of the configuration, each with its id and name. It asks Neutron for the missing
// one.
func (t *thing) configured(ctx context.Context) (list []wanted) {
	for _, block := range t.Get("network").([]any) {
		b := block.(map[string]any)
		w := wanted{
			b["uuid"].(string),
			b["name"].(string),
			b["port"].(string),
			b["fixed_ip_v4"].(string),
			b["access_network"].(bool),
		}
		if w.id == "" || w.name == "" {
			t.find(ctx, &w)
		}
		list = append(list, w)
	}
	return list
}

// find asks Neutron for the network: by the port, the id or the name.
func (t *thing) find(ctx context.Context, w *wanted) {
	client := must(gopher.NewNetworkV2(t.nova.ProviderClient, gophercloud.EndpointOpts{Region: t.region}))
	opts := networks.ListOpts{Status: "ACTIVE", ID: w.id}
	if w.port != "" {
		opts.ID = one(ctx, ports.List(client, ports.ListOpts{ID: w.port}), ports.ExtractPorts, w.port).NetworkID
	}
	if opts.ID == "" {
		opts.Name = w.name
	}
	found := one(ctx, networks.List(client, opts), networks.ExtractNetworks, opts.Name+opts.ID)
	w.id, w.name = found.ID, found.Name
}

// wantedNetworks returns the networks for a new server.
func (t *thing) wantedNetworks(ctx context.Context) []servers.Network {
	list := []servers.Network{}
	for _, w := range t.configured(ctx) {
		list = append(list, servers.Network{UUID: w.id, Port: w.port, FixedIP: w.address})
	}
	return list
}

// networks returns the networks in which a server has addresses, and the address to reach it at. Without configured
// networks it returns all.
func (t *thing) networks(ctx context.Context, addresses map[string]any) (list []map[string]any, access string) {
	all := t.configured(ctx)
	if len(all) == 0 {
		for _, name := range slices.Sorted(maps.Keys(addresses)) {
			all = append(all, wanted{name: name})
		}
	}
	for _, w := range all {
		nics, _ := addresses[w.name].([]any)
		if len(nics) == 0 {
			continue
		}
		nic := nics[0].(map[string]any)
		addresses[w.name] = nics[1:] // another block may be about the same network
		list = append(list, map[string]any{"name": w.name, "uuid": w.id, "port": w.port, "fixed_ip_v4": nic["addr"],
			"mac": nic["OS-EXT-IPS-MAC:mac_addr"], "access_network": w.access})
		if access == "" || w.access {
			access = nic["addr"].(string)
		}
	}
	return list, access
}

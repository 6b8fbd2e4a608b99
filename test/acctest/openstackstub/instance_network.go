package openstackstub

import (
	"context"
	"fmt"
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

// configured are the networks of the configuration, each with its id and name:
// Neutron is asked for the one that is missing.
func (i *instance) configured(ctx context.Context) ([]wanted, error) {
	var list []wanted
	for _, block := range i.Get("network").([]any) {
		b := block.(map[string]any)
		w := wanted{
			b["uuid"].(string),
			b["name"].(string),
			b["port"].(string),
			b["fixed_ip_v4"].(string),
			b["access_network"].(bool),
		}
		if w.id == "" || w.name == "" {
			if err := i.find(ctx, &w); err != nil {
				return nil, fmt.Errorf("get network information from the Network API: %w", err)
			}
		}
		list = append(list, w)
	}
	return list, nil
}

// find asks Neutron for the network: by the port, the id or the name.
func (i *instance) find(ctx context.Context, w *wanted) error {
	client, err := gopher.NewNetworkV2(i.nova.ProviderClient, gophercloud.EndpointOpts{Region: i.region})
	if err != nil {
		return err
	}
	opts := networks.ListOpts{Status: "ACTIVE", ID: w.id}
	if w.port != "" {
		pages, err := ports.List(client, ports.ListOpts{ID: w.port}).AllPages(ctx)
		if err != nil {
			return err
		}
		found, err := ports.ExtractPorts(pages)
		if err == nil && len(found) != 1 {
			err = fmt.Errorf("%d ports have this id", len(found))
		}
		if err != nil {
			return fmt.Errorf("find the port %s: %w", w.port, err)
		}
		opts.ID = found[0].NetworkID
	}
	if opts.ID == "" {
		opts.Name = w.name
	}
	pages, err := networks.List(client, opts).AllPages(ctx)
	if err != nil {
		return err
	}
	found, err := networks.ExtractNetworks(pages)
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d networks have the name %q or the id %q", len(found), opts.Name, opts.ID)
	}
	if err != nil {
		return err
	}
	w.id, w.name = found[0].ID, found[0].Name
	return nil
}

// wantedNetworks are those that a new server is put into.
func (i *instance) wantedNetworks(ctx context.Context) ([]servers.Network, error) {
	list := []servers.Network{}
	all, err := i.configured(ctx)
	for _, w := range all {
		list = append(list, servers.Network{UUID: w.id, Port: w.port, FixedIP: w.address})
	}
	return list, err
}

// networks are the networks that a server has addresses in, and the address to
// reach it at. Without a configured one all are.
func (i *instance) networks(
	ctx context.Context, addresses map[string]any,
) (list []map[string]any, access string, err error) {
	all, err := i.configured(ctx)
	if err != nil {
		return nil, "", err
	}
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
		addresses[w.name] = nics[1:] // another block may be of the same network
		list = append(list, map[string]any{"name": w.name, "uuid": w.id, "port": w.port, "fixed_ip_v4": nic["addr"],
			"mac": nic["OS-EXT-IPS-MAC:mac_addr"], "access_network": w.access})
		if access == "" || w.access {
			access = nic["addr"].(string)
		}
	}
	return list, access, nil
}

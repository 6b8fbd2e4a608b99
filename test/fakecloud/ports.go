package fakecloud

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// port is a port that a user made, or that Nova made for a server.
type port struct {
	id, name, project, address, mac string

	network network
	pairs   []addressPair
	nova    bool    // reports whether it ends with its server
	down    bool    // opposite of admin_state_up
	open    bool    // opposite of port_security_enabled
	server  *server // server that has the port; may be nil
	created time.Time
}

// addressPair is an address that a port may have in addition to its own.
type addressPair struct {
	Address string `json:"ip_address"`
	MAC     string `json:"mac_address"`
}

func (k *call) portDocument(p *port) object {
	status, device, owner := "DOWN", "", ""
	if p.server != nil {
		device, owner = p.server.ID, "compute:"+p.server.Zone
		if !p.down && !p.server.launched.IsZero() {
			status = "ACTIVE"
		}
	}
	pairs := []object{}
	for _, pair := range p.pairs {
		pairs = append(pairs, object{{"ip_address", pair.Address}, {"mac_address", cmp.Or(pair.MAC, p.mac)}})
	}
	return object{
		{"id", p.id}, {"name", p.name}, {"network_id", p.network.id}, {"tenant_id", p.project}, {"mac_address", p.mac},
		{"admin_state_up", !p.down}, {"status", status}, {"device_id", device}, {"device_owner", owner},
		{"fixed_ips", []object{{{"subnet_id", p.network.subnet}, {"ip_address", p.address}}}},
		{"project_id", p.project},
		{"port_security_enabled", !p.open}, {"security_groups", []string{SecurityGroupID}},
		{"binding:vnic_type", "normal"}, {"allowed_address_pairs", pairs}, {"extra_dhcp_opts", []string{}},
		{"description", ""}, {"tags", []string{}}, {"created_at", isoTime(p.created)},
		{"updated_at", isoTime(p.created)}, {"revision_number", 1},
	}
}

// ports lists the ports of the user, and the ports of the user's servers.
func (k *call) ports() (list []*port) {
	list = slices.Clone(k.region.ports)
	for s := range k.region.servers.oldest() {
		if s.Network && s.ports == nil && !s.launched.IsZero() {
			list = append(list, &port{
				id:      "9" + s.ID[1:],
				network: networks[0],
				project: s.ProjectID,
				address: s.address(),
				mac:     s.mac(),
				server:  s,
				created: s.Created,
			})
		}
	}
	return slices.DeleteFunc(list, func(p *port) bool { return !k.token.admin() && p.project != k.token.projectID() })
}

func (k *call) port(id string) *port {
	return first(k.ports(), func(p *port) bool { return p.id == id })
}

// takePort finds the port for a new server, unless another server has it.
func (k *call) takePort(id string) *port {
	k.region.settle(k.Cloud)
	p := k.port(id)
	switch {
	case p == nil:
		panic(badRequest("Port id %s could not be found.", id))
	case p.server != nil:
		panic(conflict("Port %s is still in use.", id))
	}
	return p
}

// newPort makes a port, which [region.ports] has not yet.
func (k *call) newPort(n network, name, address string) *port {
	k.region.portCount++
	count := k.region.portCount + 1
	return &port{
		id:      k.uuid("port/" + k.region.name),
		name:    name,
		network: n,
		project: k.token.projectID(),
		address: cmp.Or(address, fmt.Sprintf(n.addresses, 128|count>>8&127, count&255)), // ports of Nova's are lower
		mac:     fmt.Sprintf("fa:16:3e:01:%02x:%02x", count>>8&255, count&255),
		created: k.tick(),
	}
}

func (k *call) listPorts() reply {
	return k.filtered("ports", documents(k.ports(), k.portDocument))
}

// findPort finds the port of the request.
func (k *call) findPort() *port {
	if p := k.port(k.vars[0]); p != nil {
		return p
	}
	panic(noNetworking("Port", k.vars[0]))
}

// portBody has the arguments of a port.
type portBody struct {
	Name    string `json:"name"`
	Network string `json:"network_id"`
	Up      *bool  `json:"admin_state_up"`

	Secure *bool         `json:"port_security_enabled"`
	Pairs  []addressPair `json:"allowed_address_pairs"`
	Fixed  []struct {
		Subnet  string `json:"subnet_id"`
		Address string `json:"ip_address"`
	} `json:"fixed_ips"`
}

func (k *call) createPort() reply {
	given := networkBody[portBody](k, "port")
	n, found := networkOf(given.Network)
	switch {
	case given.Network == "":
		panic(badNetworking("Failed to parse request. Required attribute 'network_id' not specified"))
	case !found:
		panic(noNetworking("Network", given.Network))
	}
	address := ""
	for _, fixed := range given.Fixed {
		address = cmp.Or(fixed.Address, address)
	}
	if slices.ContainsFunc(k.region.ports, func(p *port) bool { return address != "" && p.address == address }) {
		panic(&refusal{status: 409, kind: "IpAddressAlreadyAllocated",
			message: "IP address " + address + " already allocated in subnet " + n.subnet})
	}
	p := k.newPort(n, given.Name, address)
	p.down, p.open = given.Up != nil && !*given.Up, given.Secure != nil && !*given.Secure
	p.pairs = given.Pairs
	k.region.ports = append(k.region.ports, p)
	return jsonReply(201, object{{"port", k.portDocument(p)}})
}

// deletePort also detaches the port from its server.
func (k *call) deletePort(p *port) reply {
	if p.server != nil {
		p.server.ports = slices.DeleteFunc(p.server.ports, func(o *port) bool { return o == p })
		p.server.Network = len(p.server.ports) > 0
	}
	k.region.dropPort(p)
	return noContent()
}

// dropPort removes a port, whose floating address belongs to no port then.
func (r *region) dropPort(p *port) {
	r.ports = slices.DeleteFunc(r.ports, func(o *port) bool { return o == p })
	for _, f := range r.floating {
		if f.port == p.id {
			f.port = ""
		}
	}
}

// AddPair gives each port of a user an address pair, as others do by Neutron.
func (c *Cloud) AddPair(region, address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.regions[region].ports {
		p.pairs = append(slices.Clone(p.pairs), addressPair{Address: address})
	}
}

// Pairs returns the address pairs of the ports of each server, by its id.
func (c *Cloud) Pairs(region string) map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string][]string{}
	for _, p := range c.regions[region].ports {
		if p.server != nil {
			for _, pair := range p.pairs {
				all[p.server.ID] = append(all[p.server.ID], pair.Address)
			}
		}
	}
	return all
}

package fakecloud

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// This file has the part of Neutron that terraform-provider-openstack uses for the network of a server. Each region
// has the one network that all projects share, with the same id and name, a port for each server with an address, and
// the ports that users make for their servers.

// NetworkName is the name of the network.
const NetworkName = "shared"

var neutronRoutes = []route{
	{"GET", "/networks", 0, (*call).listNetworks},
	{"GET", "/ports", 0, (*call).listPorts},
	{"POST", "/ports", 0, (*call).createPort},
	{"GET", "/ports/{}", 0, show("port", (*call).findPort, (*call).portDocument)},
	{"DELETE", "/ports/{}", 0, of((*call).findPort, (*call).deletePort)},
}

func (k *call) neutronVersions() reply {
	return jsonReply(200, object{{"versions", []object{{
		{"id", "v2.0"}, {"status", "CURRENT"},
		{"links", []object{{{"rel", "self"}, {"href", k.base + "/network/" + k.region.name + "/v2.0/"}}}},
	}}}})
}

func neutronReply(e *refusal) reply {
	return jsonReply(e.status,
		object{{"NeutronError", object{{"type", e.kind}, {"message", e.message}, {"detail", ""}}}})
}

// noNetworking is Neutron's error for an unknown id.
func noNetworking(kind, id string) *refusal {
	return &refusal{status: 404, kind: kind + "NotFound", message: kind + " " + id + " could not be found."}
}

// badNetworking is Neutron's error for a bad request.
func badNetworking(message string) *refusal {
	return &refusal{status: http.StatusBadRequest, kind: "HTTPBadRequest", message: message}
}

func (k *call) networkDocument() object {
	created := isoTime(Epoch)
	none := []string{}
	doc := object{
		{"id", NetworkID}, {"name", NetworkName}, {"tenant_id", AdminProjectID}, {"admin_state_up", true},
		{"mtu", 1500}, {"status", "ACTIVE"}, {"subnets", []string{SubnetID}}, {"shared", true},
		{"availability_zone_hints", none}, {"availability_zones", none}, {"ipv4_address_scope", nil},
		{"ipv6_address_scope", nil}, {"router:external", false}, {"description", ""}, {"port_security_enabled", true},
		{"tags", none}, {"created_at", created}, {"updated_at", created}, {"revision_number", 2},
		{"project_id", AdminProjectID},
	}
	for _, name := range k.release.Network {
		doc = append(doc, field{name, false})
	}
	return doc
}

// SubnetID is the subnet of the network, SecurityGroupID the default security group.
const (
	SubnetID        = "3d1f0c2b-7a68-4e95-8b04-1c9d2e3f4a50"
	SecurityGroupID = "6c4e2a18-9f3b-4d57-a2c6-0b8d7e5f1a93"
)

// port is a port that a user made, or that Nova made for a server.
type port struct {
	id, name, project, address, mac string

	down    bool    // opposite of admin_state_up
	server  *server // server that has the port; may be nil
	created time.Time
}

func (k *call) portDocument(p *port) object {
	status, device, owner := "DOWN", "", ""
	if p.server != nil {
		device, owner = p.server.ID, "compute:"+p.server.Zone
		if !p.down && !p.server.launched.IsZero() {
			status = "ACTIVE"
		}
	}
	return object{
		{"id", p.id}, {"name", p.name}, {"network_id", NetworkID}, {"tenant_id", p.project}, {"mac_address", p.mac},
		{"admin_state_up", !p.down}, {"status", status}, {"device_id", device}, {"device_owner", owner},
		{"fixed_ips", []object{{{"subnet_id", SubnetID}, {"ip_address", p.address}}}}, {"project_id", p.project},
		{"port_security_enabled", true}, {"security_groups", []string{SecurityGroupID}},
		{"binding:vnic_type", "normal"}, {"allowed_address_pairs", []string{}}, {"extra_dhcp_opts", []string{}},
		{"description", ""}, {"tags", []string{}}, {"created_at", isoTime(p.created)},
		{"updated_at", isoTime(p.created)}, {"revision_number", 1},
	}
}

// ports lists the ports of the user, and the ports of the user's servers.
func (k *call) ports() (list []*port) {
	list = slices.Clone(k.region.ports)
	for s := range k.region.servers.oldest() {
		if s.Network && s.port == nil && !s.launched.IsZero() {
			list = append(list, &port{
				id:      "9" + s.ID[1:],
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

// takePort gives a port to a new server, unless another server has it.
func (k *call) takePort(o *order, id string) {
	k.region.settle(k.Cloud)
	p := k.port(id)
	switch {
	case p == nil:
		panic(badRequest("Port id %s could not be found.", id))
	case p.server != nil:
		panic(conflict("Port %s is still in use.", id))
	case o.port != nil:
		panic(refuse(501, "fakecloud gives a server no second port"))
	}
	o.port, o.server.Network, o.server.Address = p, true, p.address
}

// filtered lists the documents whose fields equal the query. It refuses a filter that is not a text field of a
// document, and Neutron ignores unknown filters.
func (k *call) filtered(name string, list []object) reply {
	fit := []object{}
	for _, doc := range list {
		matches := true
		for key, values := range k.record.Query {
			have := text(doc, key)
			if _, ok := doc.get(key); !ok {
				panic(badNetworking("fakecloud does not filter by " + key))
			}
			matches = matches && slices.Contains(values, have)
		}
		if matches {
			fit = append(fit, doc)
		}
	}
	return jsonReply(200, object{{name, fit}})
}

func (k *call) listNetworks() reply {
	return k.filtered("networks", []object{k.networkDocument()})
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

func (k *call) createPort() reply {
	var given struct {
		Port struct {
			Name    string `json:"name"`
			Network string `json:"network_id"`
			Up      *bool  `json:"admin_state_up"`

			Groups []string `json:"security_groups"`
		} `json:"port"`
	}
	body := json.NewDecoder(bytes.NewReader(k.record.Body))
	body.DisallowUnknownFields() // this cloud supports no more fields
	if err := body.Decode(&given); err != nil {
		panic(badNetworking(err.Error()))
	}
	switch given.Port.Network {
	case NetworkID:
	case "":
		panic(badNetworking("Failed to parse request. Required attribute 'network_id' not specified"))
	default:
		panic(noNetworking("Network", given.Port.Network))
	}
	for _, id := range given.Port.Groups {
		if id != SecurityGroupID {
			panic(noNetworking("SecurityGroup", id))
		}
	}
	k.region.portCount++
	n := k.region.portCount + 1
	p := &port{
		id:      k.uuid("port/" + k.region.name),
		name:    given.Port.Name,
		project: k.token.projectID(),
		down:    given.Port.Up != nil && !*given.Port.Up,
		address: fmt.Sprintf("10.9.%d.%d", 128|n>>8&127, n&255), // ports of Nova's are lower
		mac:     fmt.Sprintf("fa:16:3e:01:%02x:%02x", n>>8&255, n&255),
		created: k.tick(),
	}
	k.region.ports = append(k.region.ports, p)
	return jsonReply(201, object{{"port", k.portDocument(p)}})
}

// deletePort also detaches the port from its server.
func (k *call) deletePort(p *port) reply {
	if p.server != nil {
		p.server.Network, p.server.port = false, nil
	}
	k.region.ports = slices.DeleteFunc(k.region.ports, func(o *port) bool { return o == p })
	return noContent()
}

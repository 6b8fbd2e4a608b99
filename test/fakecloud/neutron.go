package fakecloud

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
)

// This file has the part of Neutron that terraform-provider-openstack uses for the networks of a server. Each region
// has the same networks, which all projects share: one for servers, one for their storage, and one outside for floating
// addresses. A server has a port of Nova's, or the ports that users make for it.

// Names of the networks.
const (
	NetworkName = "shared"
	StorageName = "storage"
	PublicName  = "public"
	SixName     = "six" // its addresses are of IPv6
)

// network is a network with its subnet.
type network struct {
	id, name, subnet, addresses string // addresses is the pattern of its addresses
	external                    bool
}

var networks = []network{
	{NetworkID, NetworkName, SubnetID, "10.9.%d.%d", false},
	{"c7d8e9f0-1a2b-4c3d-8e4f-5a6b7c8d9e0f", StorageName, "d8e9f0a1-2b3c-4d4e-9f5a-6b7c8d9e0f1a", "10.10.%d.%d", false},
	{"e9f0a1b2-3c4d-4e5f-8a6b-7c8d9e0f1a2b", PublicName, "f0a1b2c3-4d5e-4f6a-9b7c-8d9e0f1a2b3c", "203.0.%d.%d", true},
	{"0a1b2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d", SixName, "1b2c3d4e-5f6a-4b7c-9d8e-9f0a1b2c3d4e", "fd00::%d:%d", false},
}

// RenameNetwork gives a network another name.
func (c *Cloud) RenameNetwork(old, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first(c.networks, func(n *network) bool { return n.name == old }).name = name
}

// AddNetwork adds a network, for no server.
func (c *Cloud) AddNetwork(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.networks = append(c.networks, &network{id: c.uuid("network"), name: name, subnet: c.uuid("subnet")})
}

func networkOf(id string) (n network, found bool) {
	i := slices.IndexFunc(networks, func(n network) bool { return n.id == id })
	if i < 0 {
		return network{}, false
	}
	return networks[i], true
}

var neutronRoutes = []route{
	{"GET", "/networks", 0, (*call).listNetworks},
	{"GET", "/ports", 0, (*call).listPorts},
	{"POST", "/ports", 0, (*call).createPort},
	{"GET", "/ports/{}", 0, show("port", (*call).findPort, (*call).portDocument)},
	{"DELETE", "/ports/{}", 0, of((*call).findPort, (*call).deletePort)},
	{"GET", "/floatingips", 0, (*call).listFloating},
	{"POST", "/floatingips", 0, (*call).createFloating},
	{"GET", "/floatingips/{}", 0, show("floatingip", (*call).findFloating, (*call).floatingDocument)},
	{"PUT", "/floatingips/{}", 0, of((*call).findFloating, (*call).updateFloating)},
	{"DELETE", "/floatingips/{}", 0, of((*call).findFloating, (*call).deleteFloating)},
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

func (k *call) networkDocument(n *network) object {
	created := isoTime(Epoch)
	none := []string{}
	return object{
		{"id", n.id}, {"name", n.name}, {"tenant_id", AdminProjectID}, {"admin_state_up", true},
		{"mtu", 1500}, {"status", "ACTIVE"}, {"subnets", []string{n.subnet}}, {"shared", true},
		{"availability_zone_hints", none}, {"availability_zones", none}, {"ipv4_address_scope", nil},
		{"ipv6_address_scope", nil}, {"router:external", n.external}, {"description", ""},
		{"port_security_enabled", true},
		{"tags", none}, {"created_at", created}, {"updated_at", created}, {"revision_number", 2},
		{"project_id", AdminProjectID},
	}
}

// SubnetID is the subnet of the network, SecurityGroupID the default security group.
const (
	SubnetID        = "3d1f0c2b-7a68-4e95-8b04-1c9d2e3f4a50"
	SecurityGroupID = "6c4e2a18-9f3b-4d57-a2c6-0b8d7e5f1a93"
)

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
	return k.filtered("networks", documents(k.networks, k.networkDocument))
}

// networkBody reads the body of a request to Neutron or Octavia. This cloud supports no more fields than it has.
func networkBody[T any](k *call, name string) T {
	given := map[string]T{}
	body := json.NewDecoder(bytes.NewReader(k.record.Body))
	body.DisallowUnknownFields()
	if err := body.Decode(&given); err != nil {
		panic(badNetworking(err.Error()))
	}
	return given[name]
}

package fakecloud

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Neutron, as far as terraform-provider-openstack asks it about the network of
// a server: each region has the one network that all projects share, under one
// id and name, and a port for each server with an address.

// NetworkName is the name of the network.
const NetworkName = "shared"

var neutronRoutes = []route{
	{"GET", "/networks", 0, (*call).listNetworks},
	{"GET", "/networks/{}", 0, (*call).showNetwork},
	{"GET", "/ports", 0, (*call).listPorts},
	{"GET", "/ports/{}", 0, (*call).showPort},
}

func (k *call) serveNeutron() reply {
	k.region = k.regions[k.record.Region]
	if k.region == nil {
		return k.webob(404, "The resource could not be found.")
	}
	if strings.Join(k.parts, "") == "" {
		return jsonReply(200, object{{"versions", []object{{
			{"id", "v2.0"}, {"status", "CURRENT"},
			{"links", []object{{{"rel", "self"}, {"href", k.base + "/network/" + k.region.name + "/v2.0/"}}}},
		}}}})
	}
	if k.token = k.validToken(k.record.Token); k.token == nil {
		return jsonReply(401, object{{"error", object{{"code", 401}, {"title", "Unauthorized"}, {"message", errUnauthorized.message}}}}).
			set("Www-Authenticate", `Keystone uri="`+k.identityURL()+`"`)
	}
	k.region.settle(k.Cloud)
	rep := k.webob(404, "The resource could not be found.")
	if r, _ := k.find(neutronRoutes, k.parts[1:]); k.parts[0] == "v2.0" && r != nil {
		var err error
		if rep, err = r.serve(k); err != nil {
			rep = neutronReply(err)
		}
	}
	return rep.set("X-Openstack-Request-Id", "req-"+k.uuid("request"))
}

// neutronError is what is not there.
type neutronError struct{ kind, message string }

func (e *neutronError) Error() string { return e.message }

func neutronReply(err error) reply {
	e := &neutronError{"HTTPInternalServerError", err.Error()}
	errors.As(err, &e)
	return jsonReply(http.StatusNotFound, object{{"NeutronError", object{{"type", e.kind}, {"message", e.message}, {"detail", ""}}}})
}

func (k *call) networkDocument() object {
	created := isoTime(Epoch)
	none := []string{}
	doc := object{
		{"id", NetworkID}, {"name", NetworkName}, {"tenant_id", AdminProjectID}, {"admin_state_up", true}, {"mtu", 1500},
		{"status", "ACTIVE"}, {"subnets", []string{SubnetID}}, {"shared", true}, {"availability_zone_hints", none},
		{"availability_zones", none}, {"ipv4_address_scope", nil}, {"ipv6_address_scope", nil}, {"router:external", false},
		{"description", ""}, {"port_security_enabled", true}, {"tags", none}, {"created_at", created}, {"updated_at", created},
		{"revision_number", 2}, {"project_id", AdminProjectID},
	}
	for _, name := range k.release.Network {
		doc = append(doc, field{name, false})
	}
	return doc
}

// SubnetID is the subnet of the network.
const SubnetID = "3d1f0c2b-7a68-4e95-8b04-1c9d2e3f4a50"

// portID is the port of a server.
func (s *server) portID() string { return "9" + s.ID[1:8] + s.ID[8:] }

func portDocument(s *server) object {
	return object{
		{"id", s.portID()}, {"name", ""}, {"network_id", NetworkID}, {"tenant_id", s.ProjectID}, {"mac_address", s.mac()},
		{"admin_state_up", true}, {"status", "ACTIVE"}, {"device_id", s.ID}, {"device_owner", "compute:" + s.Zone},
		{"fixed_ips", []object{{{"subnet_id", SubnetID}, {"ip_address", s.address()}}}}, {"project_id", s.ProjectID},
		{"security_groups", []string{}}, {"tags", []string{}},
	}
}

// ports are those of the user's servers.
func (k *call) ports() []object {
	list := []object{}
	for s := range k.region.servers.oldest() {
		if s.Network && !s.launched.IsZero() && (k.token.admin() || s.ProjectID == k.token.projectID()) {
			list = append(list, portDocument(s))
		}
	}
	return list
}

// filtered are the documents whose fields are as the query has them.
func filtered(list []object, q url.Values) []object {
	return slices.DeleteFunc(list, func(doc object) bool {
		for key, values := range q {
			have, ok := doc.get(key)
			if text, isText := have.(string); ok && isText && !slices.Contains(values, text) {
				return true
			}
		}
		return false
	})
}

func (k *call) listNetworks() (reply, error) {
	return jsonReply(200, object{{"networks", filtered([]object{k.networkDocument()}, k.record.Query)}}), nil
}

func (k *call) showNetwork() (reply, error) {
	if k.vars[0] != NetworkID {
		return reply{}, &neutronError{"NetworkNotFound", "Network " + k.vars[0] + " could not be found."}
	}
	return jsonReply(200, object{{"network", k.networkDocument()}}), nil
}

func (k *call) listPorts() (reply, error) {
	return jsonReply(200, object{{"ports", filtered(k.ports(), k.record.Query)}}), nil
}

func (k *call) showPort() (reply, error) {
	for _, doc := range k.ports() {
		if text(doc, "id") == k.vars[0] {
			return jsonReply(200, object{{"port", doc}}), nil
		}
	}
	return reply{}, &neutronError{"PortNotFound", "Port " + k.vars[0] + " could not be found."}
}

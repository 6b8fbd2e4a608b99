package fakecloud

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// This file has the floating addresses of Neutron. A port has one at most. The only pool is the network "public".

// floating is a floating address.
type floating struct {
	id, project, address, description string

	port    string // id of the port that has it; "" if none does
	created time.Time
}

func (k *call) floatingDocument(f *floating) object {
	status, port, fixed := "DOWN", any(nil), any(nil)
	if p := k.port(f.port); f.port != "" && p != nil {
		status, port, fixed = "ACTIVE", p.id, p.address
	}
	return object{
		{"id", f.id}, {"tenant_id", f.project}, {"floating_ip_address", f.address},
		{"floating_network_id", networks[2].id}, {"router_id", nil}, {"port_id", port}, {"fixed_ip_address", fixed},
		{"status", status}, {"description", f.description}, {"port_details", nil}, {"tags", []string{}},
		{"created_at", isoTime(f.created)}, {"updated_at", isoTime(f.created)}, {"revision_number", 1},
		{"project_id", f.project}, {"qos_network_policy_id", nil}, {"qos_policy_id", nil},
		{"port_forwardings", []string{}},
	}
}

func (k *call) listFloating() reply {
	own := slices.DeleteFunc(slices.Clone(k.region.floating), func(f *floating) bool {
		return !k.token.admin() && f.project != k.token.projectID()
	})
	return k.filtered("floatingips", documents(own, k.floatingDocument))
}

// findFloating finds the floating address of the request.
func (k *call) findFloating() *floating {
	f := first(k.region.floating, func(f *floating) bool { return f.id == k.vars[0] })
	if f == nil || !k.token.admin() && f.project != k.token.projectID() {
		panic(noNetworking("FloatingIP", k.vars[0]))
	}
	return f
}

// idOrNull is an id, "" for null, or not given.
type idOrNull struct {
	id    string
	given bool
}

// UnmarshalJSON reads an id, or null.
func (i *idOrNull) UnmarshalJSON(text []byte) error {
	i.given = true
	return json.Unmarshal(text, &i.id)
}

// floatingBody has the arguments of a floating address.
type floatingBody struct {
	Network     string   `json:"floating_network_id"`
	Address     string   `json:"floating_ip_address"`
	Description *string  `json:"description"`
	Port        idOrNull `json:"port_id"`
	Fixed       string   `json:"fixed_ip_address"`
}

func (k *call) createFloating() reply {
	given := networkBody[floatingBody](k, "floatingip")
	if n, found := networkOf(given.Network); !found {
		panic(noNetworking("Network", given.Network))
	} else if !n.external {
		panic(badNetworking("Bad floatingip request: Network " + n.id + " is not a valid external network."))
	}
	k.region.floatingCount++
	n := k.region.floatingCount
	f := &floating{
		id:      k.uuid("floatingip/" + k.region.name),
		project: k.token.projectID(),
		address: cmp.Or(given.Address, fmt.Sprintf(networks[2].addresses, 113+n>>8, n&255)),
		created: k.tick(),
	}
	k.associate(f, given)
	k.region.floating = append(k.region.floating, f)
	return jsonReply(201, object{{"floatingip", k.floatingDocument(f)}})
}

// associate gives a floating address to a port, or takes it away.
func (k *call) associate(f *floating, given floatingBody) {
	if given.Description != nil {
		f.description = *given.Description
	}
	if !given.Port.given {
		return
	}
	id := given.Port.id
	if id != "" && k.port(id) == nil {
		panic(noNetworking("Port", id))
	}
	taken := func(o *floating) bool { return o != f && id != "" && o.port == id }
	if slices.ContainsFunc(k.region.floating, taken) {
		panic(&refusal{status: 409, kind: "FloatingIPPortAlreadyAssociated", message: "Cannot associate floating IP " +
			f.address + " (" + f.id + ") with port " + id + " using fixed IP, as that fixed IP already has a " +
			"floating IP on external network " + networks[2].id + "."})
	}
	f.port = id
}

func (k *call) updateFloating(f *floating) reply {
	k.associate(f, networkBody[floatingBody](k, "floatingip"))
	return jsonReply(200, object{{"floatingip", k.floatingDocument(f)}})
}

func (k *call) deleteFloating(f *floating) reply {
	k.region.floating = slices.DeleteFunc(k.region.floating, func(o *floating) bool { return o == f })
	return noContent()
}

package contract

import "testing"

// TestContractNeutron: the requests of terraform-provider-openstack.
func TestContractNeutron(t *testing.T) { everywhere(t, contractNeutron) }

func contractNeutron(t *testing.T, c *cloud) {
	const network = "id name tenant_id project_id admin_state_up mtu status subnets shared availability_zone_hints availability_zones ipv4_address_scope " +
		"ipv6_address_scope router:external description port_security_enabled tags created_at updated_at revision_number"
	c.hold(t, []fact{
		{"versions", "nobody GET network-root /", 200, are{is("versions.0.id", `"v2.0"`), is("versions.0.status", `"CURRENT"`)}},
		{"by name", "member GET network /networks?name=shared&status=ACTIVE", 200,
			are{size("networks", 1), has("networks.0", network), keep("network", "networks.0.id")}},
		{"by a name of none", "member GET network /networks?name=nothing", 200, are{is("", `{"networks": []}`)}},
		{"by id", "member GET network /networks?id=$network", 200, are{size("networks", 1)}},
		{"a server in it", `member POST compute@2.79 /servers {"server": {"name": "${prefix}n", "imageRef": "$image", "flavorRef": "$flavor", "networks": ` +
			`[{"uuid": "$network"}]}}`, 202, are{keep("one", "server.id")}},
		{"it comes up", "member awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.status", `"ACTIVE"`), like("server.addresses.shared.0.addr", `[0-9.]+`)}},
		{"its ports", "member GET network /ports?device_id=$one", 200,
			are{size("ports", 1), is("ports.0.network_id", `"$network"`), is("ports.0.device_id", `"$one"`), keep("port", "ports.0.id")}},
		{"a port by id", "member GET network /ports?id=$port", 200, are{size("ports", 1), is("ports.0.device_id", `"$one"`)}},
		{"one port", "member GET network /ports/$port", 200, are{is("port.id", `"$port"`)}},
		{"an unknown port", "member GET network /ports/$none", 404, are{is("NeutronError.type", `"PortNotFound"`)}},
		{"shelve it", `member POST compute@2.79 /servers/$one/action {"shelve": null}`, 202, nil},
		{"it keeps its address", "member awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.status", `"SHELVED_OFFLOADED"`), like("server.addresses.shared.0.addr", `[0-9.]+`)}},
		{"nobody", "nobody GET network /networks", 401, nil},
		{"no server", "member DELETE compute@2.79 /servers/$one", 204, nil},
		{"it goes", "member awaits GET compute@2.79 /servers/$one", 404, nil},
		{"no port", "member GET network /ports?device_id=$one", 200, are{is("ports", "[]")}},
	})
}

// TestContractFloating: two ports for a server, a floating address, and a server that boots from a volume.
func TestContractFloating(t *testing.T) { everywhere(t, contractFloating) }

func contractFloating(t *testing.T, c *cloud) {
	const pairs = `"allowed_address_pairs": [{"ip_address": "10.10.200.9"}]`
	c.hold(t, []fact{
		{"the pool", "member GET network /networks?name=public", 200, are{is("networks.0.router:external", "true"), keep("pool", "networks.0.id")}},
		{"a network", "member GET network /networks?name=shared", 200, are{keep("network", "networks.0.id")}},
		{"another", "admin GET network /networks?name=storage", 200, are{keep("storage", "networks.0.id")}},
		{"a port", `admin POST network /ports {"port": {"network_id": "$storage", "fixed_ips": [{"ip_address": "10.10.200.7"}], ` + pairs + `}}`, 201,
			are{is("port.fixed_ips.0.ip_address", `"10.10.200.7"`), is("port.allowed_address_pairs.0.ip_address", `"10.10.200.9"`), keep("port", "port.id")}},
		{"its address is taken", `admin POST network /ports {"port": {"network_id": "$storage", "fixed_ips": [{"ip_address": "10.10.200.7"}]}}`, 409, nil},
		{"a server with two", `admin POST compute@2.79 /servers {"server": {"name": "${prefix}f", "flavorRef": "$flavor", "networks": ` +
			`[{"port": "$port"}, {"uuid": "$network"}], "block_device_mapping_v2": [{"uuid": "$image", "source_type": "image", ` +
			`"destination_type": "volume", "boot_index": 0, "volume_size": 1, "delete_on_termination": true}]}}`, 202, are{keep("one", "server.id")}},
		{"it boots from a volume", "admin awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.status", `"ACTIVE"`), is("server.image", `""`), size("server.os-extended-volumes:volumes_attached", 1),
				is("server.addresses.storage.0.addr", `"10.10.200.7"`), like("server.addresses.shared.0.addr", `10\.9\..*`)}},
		{"a floating address inside", `admin POST network /floatingips {"floatingip": {"floating_network_id": "$network"}}`, 400, nil},
		{"a floating address", `admin POST network /floatingips {"floatingip": {"floating_network_id": "$pool", "port_id": "$port"}}`, 201,
			are{is("floatingip.port_id", `"$port"`), keep("address", "floatingip.floating_ip_address"), keep("floating", "floatingip.id")}},
		{"a second one", `admin POST network /floatingips {"floatingip": {"floating_network_id": "$pool", "port_id": "$port"}}`, 409, nil},
		{"by its address", "admin GET network /floatingips?floating_ip_address=$address", 200, are{is("floatingips.*.id", `["$floating"]`)}},
		{"the server has it", "admin awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.addresses.storage.1.addr", `"$address"`), is("server.addresses.storage.1.OS-EXT-IPS:type", `"floating"`)}},
		{"take it away", `admin PUT network /floatingips/$floating {"floatingip": {"port_id": null}}`, 200, are{is("floatingip.port_id", "null")}},
		{"no server", "admin DELETE compute@2.79 /servers/$one", 204, nil},
		{"it goes, with its disk", "admin awaits GET compute@2.79 /servers/$one", 404, nil},
		{"no floating address", "admin DELETE network /floatingips/$floating", 204, nil},
		{"it is gone", "admin GET network /floatingips/$floating", 404, nil},
		{"no port", "admin DELETE network /ports/$port", 204, nil},
	})
}

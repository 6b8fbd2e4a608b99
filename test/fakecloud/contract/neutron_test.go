package contract

import (
	"strings"
	"testing"
)

// TestContractNeutron: the requests of terraform-provider-openstack.
func TestContractNeutron(t *testing.T) { everywhere(t, contractNeutron) }

func contractNeutron(t *testing.T, c *cloud) {
	network := strings.Join(c.release.Network, " ") +
		" id name tenant_id project_id admin_state_up mtu status subnets shared availability_zone_hints availability_zones ipv4_address_scope " +
		"ipv6_address_scope router:external description port_security_enabled tags created_at updated_at revision_number"
	c.hold(t, []fact{
		{"versions", "nobody GET network-root /", 200, are{is("versions.0.id", `"v2.0"`), is("versions.0.status", `"CURRENT"`)}},
		{"by name", "member GET network /networks?name=shared&status=ACTIVE", 200,
			are{size("networks", 1), keys("networks", network), keep("network", "networks.0.id")}},
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
		{"take its security group off", `member POST compute@2.79 /servers/$one/action {"removeSecurityGroup": {"name": "default"}}`, 202, nil},
		{"it has none", "member GET compute@2.79 /servers/$one", 200, are{lacks("server", "security_groups")}},
		{"shelve it", `member POST compute@2.79 /servers/$one/action {"shelve": null}`, 202, nil},
		{"it keeps its address", "member awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.status", `"SHELVED_OFFLOADED"`), like("server.addresses.shared.0.addr", `[0-9.]+`)}},
		{"nobody", "nobody GET network /networks", 401, nil},
		{"no server", "member DELETE compute@2.79 /servers/$one", 204, nil},
		{"it goes", "member awaits GET compute@2.79 /servers/$one", 404, nil},
		{"no port", "member GET network /ports?device_id=$one", 200, are{is("ports", "[]")}},
	})
}

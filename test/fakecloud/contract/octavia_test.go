package contract

import "testing"

// TestContractOctavia: members of pools, and the objects that they need.
func TestContractOctavia(t *testing.T) { everywhere(t, contractOctavia) }

func contractOctavia(t *testing.T, c *cloud) {
	const member = "id name operating_status provisioning_status admin_state_up address protocol_port weight backup subnet_id project_id created_at " +
		"updated_at monitor_address monitor_port tags tenant_id"
	const stamp = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`
	settled := fact{"it is done", "member awaits GET load-balancer /lbaas/loadbalancers/$balancer", 200,
		are{is("loadbalancer.provisioning_status", `"ACTIVE"`)}}
	c.NeedsMember(t) // the pool is theirs
	c.vars["pool"] = c.Pool(t, c.vars["region"])
	c.hold(t, []fact{
		{"nobody", "nobody GET load-balancer /lbaas/pools/$none/members", 401,
			are{is("error.code", "401"), header("Www-Authenticate", `Keystone uri="http.*"`)}},
		{"nothing", "member GET load-balancer /lbaas/nothing", 404, are{is("", `{"code": 404, "title": "Not Found", "description": ""}`)}},
		{"the pool", "member GET load-balancer /lbaas/pools/$pool", 200,
			are{is("pool.members", "[]"), is("pool.provisioning_status", `"ACTIVE"`), keep("balancer", "pool.loadbalancers.0.id")}},
		{"no members", "member GET load-balancer /lbaas/pools/$pool/members", 200, are{is("", `{"members": [], "members_links": []}`)}},
		{"a member", `member POST load-balancer /lbaas/pools/$pool/members {"member": {"name": "web-0", "address": "10.9.0.10", "protocol_port": 80}}`, 201,
			are{has("member", member), is("member.provisioning_status", `"PENDING_CREATE"`),
				is("member.weight", "1"), is("member.tags", "[]"), like("member.created_at", stamp), is("member.updated_at", "null"),
				keep("one", "member.id")}},
		settled,
		{"it is known", "member GET load-balancer /lbaas/pools/$pool/members/$one", 200,
			are{has("member", member), is("member.name", `"web-0"`), is("member.address", `"10.9.0.10"`), is("member.protocol_port", "80"),
				is("member.provisioning_status", `"ACTIVE"`)}},
		{"its subnet", "member GET load-balancer /lbaas/loadbalancers/$balancer", 200, are{keep("subnet", "loadbalancer.vip_subnet_id")}},
		{"its like", `member POST load-balancer /lbaas/pools/$pool/members {"member": {"address": "10.9.0.10", "protocol_port": 80}}`, 409,
			are{is("", `{"faultcode": "Client", "faultstring": "Another member on this pool is already using ip 10.9.0.10 on protocol_port 80", "debuginfo": `+
				`null}`)}},
		{"another", `member POST load-balancer /lbaas/pools/$pool/members {"member": {"name": "web-1", "address": "10.9.0.11", "protocol_port": 80, ` +
			`"weight": 7, "subnet_id": "$subnet"}}`, 201,
			are{is("member.weight", "7"), is("member.subnet_id", `"$subnet"`), keep("two", "member.id")}},
		settled,
		{"its like in the subnet", `member POST load-balancer /lbaas/pools/$pool/members {"member": {"address": "10.9.0.10", "protocol_port": 80, ` +
			`"subnet_id": "$subnet"}}`, 409, are{is("faultcode", `"Client"`)}},
		{"all", "member GET load-balancer /lbaas/pools/$pool/members", 200,
			are{keys("", "members members_links"), size("members", 2), includes("members.*.id", "$one"), includes("members.*.id", "$two"),
				is("members_links", "[]")}},
		{"change it", `member PUT load-balancer /lbaas/pools/$pool/members/$two {"member": {"name": "web-2", "weight": 3, "admin_state_up": false}}`, 200,
			are{has("member", member), is("member.provisioning_status", `"PENDING_UPDATE"`), is("member.name", `"web-2"`), is("member.weight", "3"),
				is("member.admin_state_up", "false"), is("member.subnet_id", `"$subnet"`)}},
		settled,
		{"it has changed", "member GET load-balancer /lbaas/pools/$pool/members/$two", 200,
			are{is("member.weight", "3"), is("member.address", `"10.9.0.11"`), is("member.subnet_id", `"$subnet"`)}},
		{"its address stays", `member PUT load-balancer /lbaas/pools/$pool/members/$two {"member": {"address": "10.9.0.12"}}`, 400,
			are{is("faultcode", `"Client"`)}},
		{"an unknown member", "member GET load-balancer /lbaas/pools/$pool/members/$none", 404,
			are{is("", `{"faultcode": "Client", "faultstring": "Member $none not found.", "debuginfo": null}`)}},
		{"of an unknown pool", "member GET load-balancer /lbaas/pools/$none/members", 404,
			are{is("", `{"code": 404, "title": "Bad Request", "description": "Pool $none not found."}`)}},
		{"one of an unknown pool", "member GET load-balancer /lbaas/pools/$none/members/$one", 404,
			are{is("", `{"code": 404, "title": "Bad Request", "description": "Pool $none not found."}`)}},
		{"an unknown pool", "member GET load-balancer /lbaas/pools/$none", 404,
			are{is("", `{"faultcode": "Client", "faultstring": "Pool $none not found.", "debuginfo": null}`)}},

		{"delete one", "member DELETE load-balancer /lbaas/pools/$pool/members/$one", 204, are{text("")}},
		settled,
		{"it is gone", "member GET load-balancer /lbaas/pools/$pool/members/$one", 404, nil},
	})
}

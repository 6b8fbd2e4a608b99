package contract

import "testing"

// TestContractServerLists: four servers, listed with the youngest first. Servers of the same second are listed by
// their ids, so most facts do not depend on the order.
func TestContractServerLists(t *testing.T) { everywhere(t, contractServerLists) }

func contractServerLists(t *testing.T, c *cloud) {
	const list = "member GET compute@2.79 /servers?name=$prefix"
	c.hold(t, []fact{
		{"a", boot("2.79", "a", `, "tags": ["red", "big"], "metadata": {"role": "web"}`), 202, are{keep("a", "server.id")}},
		{"b", boot("2.79", "b", `, "tags": ["red"]`), 202, are{keep("b", "server.id")}},
		{"c", boot("2.79", "c", `, "tags": ["blue"]`), 202, are{keep("c", "server.id")}},
		{"d", boot("2.79", "d", ""), 202, are{keep("d", "server.id")}},
		{"all come up", "member awaits GET compute@2.79 /servers/detail?name=$prefix", 200,
			are{is("servers.*.status", `["ACTIVE", "ACTIVE", "ACTIVE", "ACTIVE"]`), is("servers.*.OS-EXT-STS:task_state", "[null, null, null, null]")}},
		{"one stops", `member POST compute@2.79 /servers/$d/action {"os-stop": null}`, 202, nil},
		{"it does", "member awaits GET compute@2.79 /servers/$d", 200, are{is("server.status", `"SHUTOFF"`)}},

		{"briefly", list, 200, are{keys("", "servers"), size("servers", 4), keys("servers", "id name links")}},
		{"in detail", "member GET compute@2.79 /servers/detail?name=${prefix}a", 200,
			are{size("servers", 1), has("servers.0", "status created tags metadata locked OS-EXT-AZ:availability_zone hostId"),
				lacks("servers.0", "server_groups host_status fault")}},
		{"by name, which is a pattern", "member GET compute@2.79 /servers?name=%5E${prefix}[ab]%24", 200,
			are{size("servers", 2), includes("servers.*.id", "$a"), includes("servers.*.id", "$b")}},
		{"a name without a pattern is a part", "member GET compute@2.79 /servers?name=${prefix}", 200, are{size("servers", 4)}},
		{"case does not matter", "member GET compute@2.79 /servers?name=%5EACC-.*", 200, are{includes("servers.*.id", "$a")}},
		{"a bar is no alternative", "member GET compute@2.79 /servers?name=${prefix}a%7C${prefix}b", 200, are{size("servers", 0)}},
		{"a pattern that is none", "member GET compute@2.79 /servers?name=(", 400, are{invalid}},
		{"by an unknown key, at 2.75", list + "&what=1", 400, are{invalid}},

		{"a page", list + "&limit=3", 200,
			are{keys("", "servers servers_links"), size("servers", 3), is("servers_links.*.rel", `["next"]`), keep("last", "servers.2.id"),
				like("servers_links.0.href", `http.*/v2\.1/servers\?.*marker=$uuid.*`)}},
		{"the page after it", list + "&limit=3&marker=$last", 200, are{keys("", "servers"), size("servers", 1)}},
		{"a full last page has a link too", list + "&limit=4", 200, are{size("servers_links", 1), keep("last", "servers.3.id")}},
		{"and the page after it is empty", list + "&limit=4&marker=$last", 200, are{is("", `{"servers": []}`)}},
		{"links of details lead to details", "member GET compute@2.79 /servers/detail?limit=1&name=$prefix", 200,
			are{like("servers_links.0.href", `.*/servers/detail\?.*marker=$uuid.*`)}},
		{"an unknown marker", list + "&marker=$none", 400, are{fault("badRequest", "marker [$none] not found")}},
		{"a limit of 0", list + "&limit=0", 200, are{is("servers", "[]")}},
		{"a limit below 0", list + "&limit=-1", 400, are{invalid}},
		{"a limit that is no number", list + "&limit=ten", 400, are{invalid}},
		{"a limit beyond Nova's own", list + "&limit=100000", 200, are{size("servers", 4), lacks("", "servers_links")}},

		{"not those of a member", "admin GET compute@2.79 /servers?name=$prefix", 200, are{size("servers", 0)}},

		{"a goes", "member DELETE compute@2.79 /servers/$a", 204, nil},
		{"it is gone", "member awaits GET compute@2.79 /servers/$a", 404, nil},
		{"gone from the list", list, 200, are{size("servers", 3), without("servers.*.id", "$a")}},
		{"a marker that is deleted", list + "&marker=$a", 200, are{has("", "servers")}},
		{"b goes", "member DELETE compute@2.79 /servers/$b", 204, nil},
		{"c goes", "member DELETE compute@2.79 /servers/$c", 204, nil},
		{"d goes", "member DELETE compute@2.79 /servers/$d", 204, nil},
	})
}

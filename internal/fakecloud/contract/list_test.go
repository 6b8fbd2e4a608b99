package contract

import "testing"

// TestContractServerLists: four servers, of which the youngest comes first.
// Those of one second come in the order of their ids, so the facts do without
// the order where they can.
func TestContractServerLists(t *testing.T) { everywhere(t, contractServerLists) }

func contractServerLists(t *testing.T, c *cloud) {
	const list = "member GET compute@2.79 /servers?name=$prefix"
	c.hold(t, []fact{
		{"a", boot("2.79", "a", `, "tags": ["red", "big"], "metadata": {"role": "web"}`), 202, are{keep("a", "server.id")}},
		{"b", boot("2.79", "b", `, "tags": ["red"]`), 202, are{keep("b", "server.id")}},
		{"c", boot("2.79", "c", `, "tags": ["blue"]`), 202, are{keep("c", "server.id")}},
		{"d", boot("2.79", "d", ""), 202, are{keep("d", "server.id")}},
		{"all come up", "member awaits GET compute@2.79 /servers/detail?status=ACTIVE&name=$prefix", 200, are{size("servers", 4), is("servers.*.OS-EXT-STS:task_state", "[null, null, null, null]")}},
		{"one stops", `member POST compute@2.79 /servers/$d/action {"os-stop": null}`, 202, nil},
		{"it does", "member awaits GET compute@2.79 /servers/$d", 200, are{is("server.status", `"SHUTOFF"`)}},

		{"briefly", list, 200, are{keys("", "servers"), size("servers", 4), keys("servers", "id name links")}},
		{"in detail", "member GET compute@2.79 /servers/detail?name=${prefix}a", 200, are{size("servers", 1), has("servers.0", "status created tags metadata locked OS-EXT-AZ:availability_zone hostId"), lacks("servers.0", "server_groups host_status fault")}},
		{"by name, which is a pattern", "member GET compute@2.79 /servers?name=%5E${prefix}[ab]%24&sort_key=display_name&sort_dir=asc", 200, are{is("servers.*.id", `["$a", "$b"]`)}},
		{"a name without a pattern is a part", "member GET compute@2.79 /servers?name=${prefix}", 200, are{size("servers", 4)}},
		{"case does not matter", "member GET compute@2.79 /servers?name=%5EACC-.*&sort_key=display_name&sort_dir=asc", 200, are{includes("servers.*.id", "$a")}},
		{"a bar is no alternative", "member GET compute@2.79 /servers?name=${prefix}a%7C${prefix}b", 200, are{size("servers", 0)}},
		{"a pattern that is none", "member GET compute@2.79 /servers?name=(", 400, are{fault("badRequest", "Invalid input for query parameters name. Value: (. '(' is not a 'regex'")}},
		{"by status", list + "&status=SHUTOFF", 200, are{is("servers.*.id", `["$d"]`)}},
		{"by two statuses", list + "&status=SHUTOFF&status=ACTIVE", 200, are{size("servers", 4)}},
		{"by an unknown status, at 2.37", "member GET compute@2.37 /servers?status=HAPPY", 200, are{is("servers", "[]")}},
		{"by an unknown status, at 2.38", "member GET compute@2.38 /servers?status=HAPPY", 400, are{fault("badRequest", "Invalid status value")}},
		{"by a tag", list + "&tags=red", 200, are{size("servers", 2), includes("servers.*.id", "$a"), includes("servers.*.id", "$b")}},
		{"by all tags", list + "&tags=red,big", 200, are{is("servers.*.id", `["$a"]`)}},
		{"by any tag", list + "&tags-any=big,blue", 200, are{size("servers", 2)}},
		{"by no tag of all", list + "&not-tags=red,big", 200, are{size("servers", 3)}},
		{"by no tag of any", list + "&not-tags-any=red,blue", 200, are{is("servers.*.id", `["$d"]`)}},
		{"by tags before 2.26", "member GET compute@2.25 /servers?name=$prefix&tags=red", 200, are{size("servers", 4)}},
		{"by metadata, which members may not", list + "&metadata=%7B%22role%22:%22web%22%7D", 200, are{size("servers", 4)}},
		{"by metadata, which admins may not", "admin GET compute@2.79 /servers?metadata=%7B%22role%22:%22web%22%7D", 400, are{fault("badRequest", "Invalid filter field: metadata.")}},
		{"by host, which members may not", list + "&host=nowhere", 200, are{size("servers", 4)}},
		{"by id, which members may not", list + "&uuid=$a", 200, are{size("servers", 4)}},
		{"by zone, which members may not before 2.83", "member GET compute@2.82 /servers?name=$prefix&availability_zone=nowhere", 200, are{size("servers", 4)}},
		{"by zone, from 2.83", "member GET compute@2.83 /servers?name=$prefix&availability_zone=nowhere", 200, are{size("servers", 0)}},
		{"by an unknown key, at 2.74", "member GET compute@2.74 /servers?name=$prefix&what=1", 200, are{size("servers", 4)}},
		{"by an unknown key, at 2.75", list + "&what=1", 400, are{fault("badRequest", "'what' does not match any of the regexes: '^_'")}},
		{"by flavor", list + "&flavor=$flavor", 200, are{size("servers", 4)}},
		{"by image", list + "&image=$none", 200, are{size("servers", 0)}},
		{"changed since", list + "&changes-since=2999-01-01T00:00:00Z", 200, are{size("servers", 0)}},
		{"changed since no time", list + "&changes-since=yesterday", 400, are{fault("badRequest", "Invalid input for query parameters changes-since. Value: yesterday. 'yesterday' is not a 'date-time'")}},
		{"unlocked", list + "&locked=false", 200, are{size("servers", 4)}},

		{"a page", list + "&limit=3", 200, are{keys("", "servers servers_links"), size("servers", 3), is("servers_links.*.rel", `["next"]`), keep("last", "servers.2.id"),
			like("servers_links.0.href", `http.*/v2\.1/servers\?limit=3&name=$prefix&marker=$uuid`)}},
		{"the page after it", list + "&limit=3&marker=$last", 200, are{keys("", "servers"), size("servers", 1)}},
		{"a full last page has a link too", list + "&limit=4", 200, are{size("servers_links", 1), keep("last", "servers.3.id")}},
		{"and the page after it is empty", list + "&limit=4&marker=$last", 200, are{is("", `{"servers": []}`)}},
		{"links of details lead to details", "member GET compute@2.79 /servers/detail?limit=1&name=$prefix", 200, are{like("servers_links.0.href", `.*/servers/detail\?limit=1&name=$prefix&marker=$uuid`)}},
		{"an unknown marker", list + "&marker=$none", 400, are{fault("badRequest", "marker [$none] not found")}},
		{"a limit of 0", list + "&limit=0", 200, are{is("servers", "[]")}},
		{"a limit below 0", list + "&limit=-1", 400, are{fault("badRequest", "Invalid input for query parameters limit. Value: -1. '-1' does not match '^[0-9]*$'")}},
		{"a limit that is no number", list + "&limit=ten", 400, are{fault("badRequest", "Invalid input for query parameters limit. Value: ten. 'ten' does not match '^[0-9]*$'")}},
		{"a limit beyond Nova's own", list + "&limit=100000", 200, are{size("servers", 4), lacks("", "servers_links")}},
		{"sorted", list + "&sort_key=display_name&sort_dir=asc", 200, are{is("servers.*.id", `["$a", "$b", "$c", "$d"]`)}},
		{"sorted the other way, by default", list + "&sort_key=display_name", 200, are{is("servers.*.id", `["$d", "$c", "$b", "$a"]`)}},
		{"sorted and paged", list + "&sort_key=display_name&sort_dir=asc&limit=2&marker=$b", 200, are{is("servers.*.id", `["$c", "$d"]`)}},
		{"sorted by an unknown key", list + "&sort_key=beauty", 400, are{like("badRequest.message", "Invalid input for query parameters sort_key. Value: beauty. 'beauty' is not one of .*")}},
		{"sorted by host, which members may not", list + "&sort_key=host", 403, are{fault("forbidden", "Only administrators can sort servers by host")}},
		{"sorted no known way", list + "&sort_key=display_name&sort_dir=up", 400, are{fault("badRequest", "Invalid input received: Unknown sort direction, must be 'desc' or 'asc'")}},

		{"all projects, for a member", list + "&all_tenants=1", 403, are{fault("forbidden", "Policy doesn't allow os_compute_api:servers:index:get_all_tenants to be performed.")}},
		{"all projects in detail, for a member", "member GET compute@2.79 /servers/detail?all_tenants=1", 403, are{fault("forbidden", "Policy doesn't allow os_compute_api:servers:detail:get_all_tenants to be performed.")}},
		{"all projects, but not, for a member", list + "&all_tenants=0", 200, are{size("servers", 4)}},
		{"all projects, perhaps", list + "&all_tenants=perhaps", 400, are{like("badRequest.message", "Unrecognized value 'perhaps', acceptable values are: .*")}},
		{"not those of a member", "admin GET compute@2.79 /servers?name=$prefix", 200, are{size("servers", 0)}},
		{"all projects, for the admin", "admin GET compute@2.79 /servers?name=$prefix&all_tenants=1", 200, are{size("servers", 4)}},
		{"a project, for the admin", "admin GET compute@2.79 /servers?name=$prefix&all_tenants=1&project_id=$member_project", 200, are{size("servers", 4)}},
		{"an id, for the admin", "admin GET compute@2.79 /servers?uuid=$a&all_tenants=1", 200, are{is("servers.*.id", `["$a"]`)}},
		{"in detail for the admin", "admin GET compute@2.79 /servers/detail?uuid=$a&all_tenants=1", 200, are{has("servers.0", "host_status OS-EXT-SRV-ATTR:host OS-EXT-SRV-ATTR:hostname"), keep("host", "servers.0.OS-EXT-SRV-ATTR:host")}},
		{"a host, for the admin", "admin GET compute@2.79 /servers?host=$host&name=${prefix}a&all_tenants=1", 200, are{is("servers.*.id", `["$a"]`)}},

		{"a goes", "member DELETE compute@2.79 /servers/$a", 204, nil},
		{"it is gone", "member awaits GET compute@2.79 /servers/$a", 404, nil},
		{"gone from the list", list, 200, are{size("servers", 3), without("servers.*.id", "$a")}},
		{"a marker that is deleted", list + "&sort_key=display_name&sort_dir=asc&marker=$a", 200, are{is("servers.*.id", `["$b", "$c", "$d"]`)}},
		{"deleted ones, for a member", list + "&deleted=true", 200, are{size("servers", 3)}},
		{"the status DELETED, for a member", list + "&status=DELETED", 403, are{fault("forbidden", "Only administrators may list deleted instances")}},
		{"deleted ones, for the admin", "admin GET compute@2.79 /servers/detail?deleted=true&all_tenants=1&name=$prefix", 200, are{is("servers.*.id", `["$a"]`), is("servers.*.status", `["DELETED"]`), is("servers.*.tags", "[[]]"), is("servers.*.metadata", "[{}]"), is("servers.*.host_status", `[""]`)}},
		{"deleted ones are changes", list + "&changes-since=2020-01-01T00:00:00Z", 200, are{size("servers", 4)}},
		{"b goes", "member DELETE compute@2.79 /servers/$b", 204, nil},
		{"c goes", "member DELETE compute@2.79 /servers/$c", 204, nil},
		{"d goes", "member DELETE compute@2.79 /servers/$d", 204, nil},
	})
}

package contract

import (
	"testing"
)

func TestContractServerGroups(t *testing.T) { everywhere(t, contractServerGroups) }

func contractServerGroups(t *testing.T, c *cloud) {
	const unknown = "Instance group 00000000-0000-0000-0000-000000000000 could not be found."
	c.hold(t, []fact{
		{"policies, at first", `member POST compute@2.1 /os-server-groups {"server_group": {"name": "${prefix}old", "policies": ["affinity"]}}`, 200,
			are{keys("server_group", "id name policies metadata members"), is("server_group.policies", `["affinity"]`), is("server_group.metadata", "{}"),
				is("server_group.members", "[]"), keep("old", "server_group.id")}},
		{"with its owner, from 2.13", "member GET compute@2.13 /os-server-groups/$old", 200,
			are{keys("server_group", "id name policies metadata members project_id user_id"), is("server_group.project_id", `"$member_project"`),
				is("server_group.user_id", `"$member_id"`)}},
		{"no soft policies before 2.15",
			`member POST compute@2.14 /os-server-groups {"server_group": {"name": "${prefix}soft", "policies": ["soft-affinity"]}}`, 400, are{invalid}},
		{"soft policies from 2.15", `member POST compute@2.15 /os-server-groups {"server_group": {"name": "${prefix}soft", "policies": ` +
			`["soft-anti-affinity"]}}`, 200, are{is("server_group.policies", `["soft-anti-affinity"]`), keep("soft", "server_group.id")}},
		{"a policy, from 2.64", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}new", "policy": "anti-affinity", "rules": ` +
			`{"max_server_per_host": 2}}}`, 200,
			are{keys("server_group", "id name policy rules members project_id user_id"), is("server_group.policy", `"anti-affinity"`),
				is("server_group.rules", `{"max_server_per_host": 2}`), like("server_group.id", "$uuid"), keep("new", "server_group.id")}},
		{"the old one, as 2.64 has it", "member GET compute@2.64 /os-server-groups/$old", 200,
			are{is("server_group.policy", `"affinity"`), is("server_group.rules", "{}"), lacks("server_group", "policies metadata")}},
		{"the new one, as 2.63 has it", "member GET compute@2.63 /os-server-groups/$new", 200,
			are{is("server_group.policies", `["anti-affinity"]`), lacks("server_group", "policy rules")}},
		{"a name twice is two groups", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}new", "policy": "anti-affinity"}}`, 200,
			are{is("server_group.name", `"${prefix}new"`), keep("twin", "server_group.id")}},

		{"policies from 2.64", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policies": ["affinity"]}}`,
			400, are{invalid}},
		{"policy before 2.64", `member POST compute@2.63 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "affinity"}}`, 400, are{invalid}},
		{"both", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "affinity", "policies": ["affinity"]}}`,
			400, are{invalid}},
		{"an unknown policy", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "magic"}}`, 400, are{invalid}},
		{"two policies", `member POST compute@2.15 /os-server-groups {"server_group": {"name": "${prefix}x", "policies": ["affinity", "anti-affinity"]}}`,
			400, are{invalid}},
		{"no policy", `member POST compute@2.15 /os-server-groups {"server_group": {"name": "${prefix}x", "policies": []}}`, 400, are{invalid}},
		{"no name", `member POST compute@2.64 /os-server-groups {"server_group": {"policy": "affinity"}}`, 400, are{invalid}},
		{"an empty name", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "", "policy": "affinity"}}`, 400, are{invalid}},
		{"a name with a blank at its end",
			`member POST compute@2.64 /os-server-groups {"server_group": {"name": "x ", "policy": "affinity"}}`, 400, are{invalid}},
		{"an unknown key", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "affinity", "what": 1}}`,
			400, are{invalid}},
		{"rules of another policy", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "affinity", "rules": ` +
			`{"max_server_per_host": 2}}}`, 400, are{fault("badRequest", "Only anti-affinity policy supports rules.")}},
		{"rules that are empty", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}empty", "policy": "affinity", "rules": {}}}`,
			200, are{is("server_group.rules", "{}"), keep("empty", "server_group.id")}},
		{"none on a host", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "anti-affinity", "rules": ` +
			`{"max_server_per_host": 0}}}`, 400, are{invalid}},
		{"a word on a host", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "anti-affinity", "rules": ` +
			`{"max_server_per_host": "two"}}}`, 400, are{invalid}},
		{"an unknown rule", `member POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}x", "policy": "anti-affinity", "rules": {"what": ` +
			`1}}}`, 400, are{invalid}},
		{"rules before 2.64", `member POST compute@2.63 /os-server-groups {"server_group": {"name": "${prefix}x", "policies": ["anti-affinity"], "rules": {}}}`,
			400, are{invalid}},

		{"all", "member GET compute@2.64 /os-server-groups", 200,
			are{keys("", "server_groups"), keys("server_groups", "id name policy rules members project_id user_id"), includes("server_groups.*.id", "$old"),
				includes("server_groups.*.id", "$new")}},
		{"a page after the end", "member GET compute@2.64 /os-server-groups?offset=100000", 200, are{is("server_groups", "[]")}},
		{"by an unknown key, at 2.75", "member GET compute@2.75 /os-server-groups?what=1", 400, are{invalid}},
		{"not those of a member", "admin GET compute@2.64 /os-server-groups", 200, are{without("server_groups.*.id", "$old")}},
		{"one of a member, for the admin", "admin GET compute@2.64 /os-server-groups/$old", 200, are{is("server_group.project_id", `"$member_project"`)}},
		{"one of the admin", `admin POST compute@2.64 /os-server-groups {"server_group": {"name": "${prefix}admin", "policy": "affinity"}}`, 200,
			are{keep("foreign", "server_group.id")}},
		{"it is hidden from a member", "member GET compute@2.64 /os-server-groups/$foreign", 404,
			are{fault("itemNotFound", "Instance group ${foreign} could not be found.")}},
		{"nor can he delete it", "member DELETE compute@2.64 /os-server-groups/$foreign", 404, nil},
		{"the admin can", "admin DELETE compute@2.64 /os-server-groups/$foreign", 204, nil},
		{"an unknown one", "member GET compute@2.64 /os-server-groups/$none", 404, are{fault("itemNotFound", unknown)}},
		{"delete", "member DELETE compute@2.64 /os-server-groups/$old", 204, are{text(""), header("Content-Type", "application/json")}},
		{"delete twice", "member DELETE compute@2.64 /os-server-groups/$old", 404, are{fault("itemNotFound", "Instance group ${old} could not be found.")}},

		{"a hint without such a group", `member POST compute@2.79 /servers {"server": {"name": "${prefix}m", "imageRef": "$image", "flavorRef": "$flavor", ` +
			`"networks": "none"}, "os:scheduler_hints": {"group": "$none"}}`, 400, are{fault("badRequest", unknown)}},
		{"a hint that is no id", `member POST compute@2.79 /servers {"server": {"name": "${prefix}m", "imageRef": "$image", "flavorRef": "$flavor", ` +
			`"networks": "none"}, "os:scheduler_hints": {"group": "${prefix}new"}}`, 400, are{invalid}},
		{"a member", `member POST compute@2.79 /servers {"server": {"name": "${prefix}m", "imageRef": "$image", "flavorRef": "$flavor", "networks": "none"}, ` +
			`"os:scheduler_hints": {"group": "$twin"}}`, 202, are{keep("server", "server.id")}},
		{"it is there", "member awaits GET compute@2.79 /servers/$server", 200, are{is("server.status", `"ACTIVE"`), is("server.server_groups", `["$twin"]`)}},
		{"server_groups came with 2.71", "member GET compute@2.70 /servers/$server", 200, are{lacks("server", "server_groups")}},
		{"it is not in lists", "member GET compute@2.79 /servers/detail?name=${prefix}m", 200, are{size("servers", 1), lacks("servers.0", "server_groups")}},
		{"the group has it", "member GET compute@2.64 /os-server-groups/$twin", 200, are{is("server_group.members", `["$server"]`)}},
		{"delete a group with members", "member DELETE compute@2.64 /os-server-groups/$twin", 204, nil},
		{"its member lives on", "member GET compute@2.79 /servers/$server", 200, are{is("server.server_groups", "[]")}},
		{"no group", "member DELETE compute@2.64 /os-server-groups/$new", 204, nil},
		{"no soft group", "member DELETE compute@2.64 /os-server-groups/$soft", 204, nil},
		{"no empty group", "member DELETE compute@2.64 /os-server-groups/$empty", 204, nil},
		{"no server", "member DELETE compute@2.79 /servers/$server", 204, nil},
	})
}

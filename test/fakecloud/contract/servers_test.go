package contract

import "testing"

// boot is a request for a server: its name after the prefix, and more of the body.
func boot(version, name, more string) string {
	return "member POST compute@" + version + ` /servers {"server": {"name": "${prefix}` + name +
		`", "imageRef": "$image", "flavorRef": "$flavor", "networks": "none"` + more + "}}"
}

func TestContractServers(t *testing.T) { everywhere(t, contractServers) }

func contractServers(t *testing.T, c *cloud) {
	c.addDiskless(t)
	const unknown = "Instance $none could not be found."
	const shared = "id name status tenant_id user_id metadata hostId image flavor created updated addresses accessIPv4 accessIPv6 links OS-DCF:diskConfig " +
		"progress OS-EXT-AZ:availability_zone config_drive key_name OS-SRV-USG:launched_at OS-SRV-USG:terminated_at " +
		"OS-EXT-STS:task_state OS-EXT-STS:vm_state OS-EXT-STS:power_state os-extended-volumes:volumes_attached "
	const since79 = shared + "locked locked_reason description tags "
	const admins = "OS-EXT-SRV-ATTR:host OS-EXT-SRV-ATTR:hypervisor_hostname "
	c.hold(t, []fact{
		{"a zone", "member GET compute@2.79 /os-availability-zone", 200, are{keep("zone", "availabilityZoneInfo.0.zoneName")}},
		{"boot", boot("2.79", "one", `, "metadata": {"role": "web"}, "tags": ["blue", "green"], "description": "first", "availability_zone": "$zone"`),
			202, are{
				keys("", "server"), keys("server", "id links OS-DCF:diskConfig security_groups adminPass"), like("server.id", "$uuid"),
				header("Location", ".*/v2.1/servers/$uuid"), keep("one", "server.id")}},
		{"it comes up", "member awaits GET compute@2.79 /servers/$one", 200, are{is("server.status", `"ACTIVE"`), is("server.OS-EXT-STS:task_state", "null")}},
		{"all of it", "member GET compute@2.79 /servers/$one", 200,
			are{has("server", since79+"server_groups"), is("server.name", `"${prefix}one"`), is("server.metadata", `{"role": "web"}`),
				is("server.tags", `["blue", "green"]`),
				is("server.description", `"first"`), is("server.OS-EXT-AZ:availability_zone", `"$zone"`), is("server.tenant_id", `"$member_project"`),
				is("server.locked", "false"), is("server.image.id", `"$image"`),
				is("server.OS-EXT-STS:vm_state", `"active"`), is("server.OS-EXT-STS:power_state", "1"), is("server.server_groups", "[]"),
				is("server.addresses", "{}"), is("server.locked_reason", "null"),
				like("server.created", "$time"), like("server.hostId", "[0-9a-f]{56}"),
				keys("server.flavor", "vcpus ram disk ephemeral swap original_name extra_specs")}},
		{"as 2.1 has it", "member GET compute /servers/$one", 200,
			are{has("server", shared), lacks("server", "locked tags"), keys("server.flavor", "id links"), is("server.flavor.id", `"$flavor"`)}},
		{"as 2.26 has it", "member GET compute@2.26 /servers/$one", 200,
			are{has("server", shared+"locked description tags"), lacks("server", "locked_reason server_groups")}},
		{"as 2.71 has it", "member GET compute@2.71 /servers/$one", 200,
			are{has("server", shared+"locked description tags server_groups")}},
		{"more for the admin", "admin GET compute@2.79 /servers/$one", 200,
			are{has("server", admins)}},
		{"an unknown one", "member GET compute@2.79 /servers/$none", 404, are{fault("itemNotFound", unknown)}},
		{"one of the admin", `admin POST compute@2.79 /servers {"server": {"name": "${prefix}admin", "imageRef": "$image", "flavorRef": "$flavor", ` +
			`"networks": "none"}}`, 202, are{keep("foreign", "server.id")}},
		{"it comes up too", "admin awaits GET compute@2.79 /servers/$foreign", 200,
			are{is("server.status", `"ACTIVE"`)}}, // a server that is not built yet is refused differently
		{"it is hidden from a member", "member GET compute@2.79 /servers/$foreign", 404, are{fault("itemNotFound", "Instance $foreign could not be found.")}},
		{"nor can he delete it", "member DELETE compute@2.79 /servers/$foreign", 404, nil},

		{"no name", `member POST compute@2.79 /servers {"server": {"imageRef": "$image", "flavorRef": "$flavor", "networks": "none"}}`, 400, are{invalid}},
		{"no networks, from 2.37", `member POST compute@2.79 /servers {"server": {"name": "${prefix}x", "imageRef": "$image", "flavorRef": "$flavor"}}`,
			400, are{invalid}},
		{"no image", `member POST compute@2.79 /servers {"server": {"name": "${prefix}x", "imageRef": "", "flavorRef": "$flavor", "networks": "none"}}`,
			400, nil},
		{"an unknown image", `member POST compute@2.79 /servers {"server": {"name": "${prefix}x", "imageRef": "$none", "flavorRef": "$flavor", "networks": ` +
			`"none"}}`, 400, are{fault("badRequest", "Can not find requested image")}},
		{"an unknown flavor", `member POST compute@2.79 /servers {"server": {"name": "${prefix}x", "imageRef": "$image", "flavorRef": "nothing", "networks": ` +
			`"none"}}`, 400, are{fault("badRequest", "Flavor nothing could not be found.")}},
		{"a flavor without a disk", `member POST compute@2.79 /servers {"server": {"name": "${prefix}x", "imageRef": "$image", "flavorRef": "$diskless", ` +
			`"networks": "none"}}`, 403, are{fault("forbidden", "Only volume-backed servers are allowed for flavors with zero disk.")}},
		{"an unknown zone", boot("2.79", "x", `, "availability_zone": "nowhere"`), 400,
			are{fault("badRequest", "The requested availability zone is not available")}},
		{"a host by the zone", boot("2.79", "x", `, "availability_zone": "$zone:host"`), 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:servers:create:forced_host to be performed.")}},
		{"an unknown key", boot("2.79", "x", `, "what": 1`), 400, are{invalid}},
		{"metadata that is no text", boot("2.79", "x", `, "metadata": {"a": 1}`), 400, are{invalid}},
		{"a tag with a comma", boot("2.79", "x", `, "tags": ["a,b"]`), 400, are{invalid}},
		{"tags before 2.52", boot("2.51", "x", `, "tags": ["a"]`), 400, are{invalid}},
		{"no body", "member POST compute@2.79 /servers", 400, nil},
		{"a body that is no JSON", "member POST compute@2.79 /servers {", 400, are{fault("badRequest", "Malformed request body")}},

		{"rename", `member PUT compute@2.79 /servers/$one {"server": {"name": "${prefix}first"}}`, 200, are{is("server.name", `"${prefix}first"`)}},
		{"rename to nothing", `member PUT compute@2.79 /servers/$one {"server": {"name": ""}}`, 400, are{invalid}},

		{"stop one of the admin", `member POST compute@2.79 /servers/$foreign/action {"os-stop": null}`, 404,
			are{fault("itemNotFound", "Instance $foreign could not be found.")}},
		{"stop", `member POST compute@2.79 /servers/$one/action {"os-stop": null}`, 202, are{text("")}},
		{"it stops", "member awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.status", `"SHUTOFF"`), is("server.OS-EXT-STS:power_state", "4"), is("server.OS-EXT-STS:task_state", "null"),
				lacks("server", "progress")}},
		{"how the stop went", "member GET compute@2.79 /servers/$one/os-instance-actions", 200,
			are{is("instanceActions.0.action", `"stop"`), is("instanceActions.0.message", "null"), like("instanceActions.0.request_id", "req-.*")}},
		{"stop twice", `member POST compute@2.79 /servers/$one/action {"os-stop": null}`, 409,
			are{fault("conflictingRequest", "Cannot 'stop' instance $one while it is in vm_state stopped")}},
		{"start", `member POST compute@2.79 /servers/$one/action {"os-start": null}`, 202, nil},
		{"it starts", "member awaits GET compute@2.79 /servers/$one", 200, are{is("server.status", `"ACTIVE"`), is("server.OS-EXT-STS:task_state", "null")}},
		{"start twice", `member POST compute@2.79 /servers/$one/action {"os-start": null}`, 409,
			are{fault("conflictingRequest", "Cannot 'start' instance $one while it is in vm_state active")}},
		{"an unknown action", `member POST compute@2.79 /servers/$one/action {"dance": null}`, 400, are{fault("badRequest", "There is no such action: dance")}},
		{"two actions", `member POST compute@2.79 /servers/$one/action {"os-stop": null, "os-start": null}`, 400,
			are{fault("badRequest", "Malformed request body")}},
		{"stop an unknown one", `member POST compute@2.79 /servers/$none/action {"os-stop": null}`, 404,
			are{fault("itemNotFound", "Instance $none has no mapping to a cell.")}},
		{"lock an unknown one", `member POST compute@2.79 /servers/$none/action {"lock": null}`, 404, are{fault("itemNotFound", unknown)}},
		{"an action of admins", `member POST compute@2.79 /servers/$one/action {"os-resetState": {"state": "error"}}`, 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:os-admin-actions:reset_state to be performed.")}},

		{"lock", `member POST compute@2.79 /servers/$one/action {"lock": null}`, 202, nil},
		{"it is locked", "member GET compute@2.79 /servers/$one", 200, are{is("server.locked", "true")}},
		{"a locked one does not stop", `member POST compute@2.79 /servers/$one/action {"os-stop": null}`, 409,
			are{fault("conflictingRequest", "Instance $one is locked")}},
		{"nor goes", "member DELETE compute@2.79 /servers/$one", 409, are{fault("conflictingRequest", "Instance $one is locked")}},
		{"unlock", `member POST compute@2.79 /servers/$one/action {"unlock": null}`, 202, nil},

		{"put into ERROR", `admin POST compute@2.79 /servers/$one/action {"os-resetState": {"state": "error"}}`, 202, nil},
		{"it is in ERROR", "admin GET compute@2.79 /servers/$one", 200, are{is("server.status", `"ERROR"`), lacks("server", "progress")}},
		{"an ERROR does not start", `admin POST compute@2.79 /servers/$one/action {"os-start": null}`, 409,
			are{fault("conflictingRequest", "Cannot 'start' instance $one while it is in vm_state error")}},

		{"the admin can", "admin DELETE compute@2.79 /servers/$foreign", 204, nil},
		{"delete", "member DELETE compute@2.79 /servers/$one", 204, are{text("")}},
		{"it goes", "member awaits GET compute@2.79 /servers/$one", 404, are{fault("itemNotFound", "Instance $one could not be found.")}},
		{"delete twice", "member DELETE compute@2.79 /servers/$one", 404, are{fault("itemNotFound", "Instance $one could not be found.")}},
	})
}

func TestContractMetadata(t *testing.T) { everywhere(t, contractMetadata) }

func contractMetadata(t *testing.T, c *cloud) {
	const unknown = "Instance $none could not be found."
	c.hold(t, []fact{
		{"boot", boot("2.79", "m", ""), 202, are{keep("one", "server.id")}},
		{"it comes up", "member awaits GET compute@2.79 /servers/$one", 200, are{is("server.status", `"ACTIVE"`)}},
		{"none", "member GET compute@2.79 /servers/$one/metadata", 200, are{is("", `{"metadata": {}}`)}},
		{"set", `member POST compute@2.79 /servers/$one/metadata {"metadata": {"a": "1", "b": "2"}}`, 200, are{is("", `{"metadata": {"a": "1", "b": "2"}}`)}},
		{"set more", `member POST compute@2.79 /servers/$one/metadata {"metadata": {"b": "3"}}`, 200, are{is("", `{"metadata": {"a": "1", "b": "3"}}`)}},
		{"set one", `member PUT compute@2.79 /servers/$one/metadata/c {"meta": {"c": "4"}}`, 200, are{is("", `{"meta": {"c": "4"}}`)}},
		{"set one under another name", `member PUT compute@2.79 /servers/$one/metadata/c {"meta": {"d": "4"}}`, 400,
			are{fault("badRequest", "Request body and URI mismatch")}},
		{"delete one", "member DELETE compute@2.79 /servers/$one/metadata/c", 204, are{text("")}},
		{"delete it twice", "member DELETE compute@2.79 /servers/$one/metadata/c", 404, are{fault("itemNotFound", "Metadata item was not found")}},
		{"a number", `member POST compute@2.79 /servers/$one/metadata {"metadata": {"a": 1}}`, 400, are{invalid}},
		{"a strange key", `member POST compute@2.79 /servers/$one/metadata {"metadata": {"a/b": "1"}}`, 400, are{invalid}},
		{"lock", `member POST compute@2.79 /servers/$one/action {"lock": null}`, 202, nil},
		{"a locked one takes no metadata", `member PUT compute@2.79 /servers/$one/metadata/c {"meta": {"c": "5"}}`, 409,
			are{fault("conflictingRequest", "Instance $one is locked")}},
		{"and gives none up", "member DELETE compute@2.79 /servers/$one/metadata/a", 409, are{fault("conflictingRequest", "Instance $one is locked")}},
		{"unlock", `member POST compute@2.79 /servers/$one/action {"unlock": null}`, 202, nil},
		{"no metadata", `member POST compute@2.79 /servers/$one/metadata {}`, 400, are{invalid}},
		{"of an unknown server", "member GET compute@2.79 /servers/$none/metadata", 404, are{fault("itemNotFound", unknown)}},
		{"set on an unknown server", `member POST compute@2.79 /servers/$none/metadata {"metadata": {"a": "1"}}`, 404, are{fault("itemNotFound", unknown)}},

		{"tags", `member PUT compute@2.79 /servers/$one/tags {"tags": ["b", "a"]}`, 200, are{is("", `{"tags": ["a", "b"]}`)}},
		{"all tags", "member GET compute@2.79 /servers/$one/tags", 200, are{is("", `{"tags": ["a", "b"]}`)}},
		{"too long a tag", `member PUT compute@2.79 /servers/$one/tags {"tags": ["0123456789012345678901234567890123456789012345678901234567890"]}`,
			400, are{invalid}},
		{"tags of an unknown server", "member GET compute@2.79 /servers/$none/tags", 404,
			are{fault("itemNotFound", "Instance $none has no mapping to a cell.")}},
		{"no server", "member DELETE compute@2.79 /servers/$one", 204, nil},
	})
}

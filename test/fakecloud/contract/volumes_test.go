package contract

import "testing"

// TestContractVolumes: the volume and the port of a node outlive its servers.
func TestContractVolumes(t *testing.T) { everywhere(t, contractVolumes) }

func contractVolumes(t *testing.T, c *cloud) {
	if c.urls["block-storage"] == "" {
		t.Skip("needs the service block-storage, and the cloud has none")
	}
	const (
		volume = "id status size availability_zone created_at updated_at name description volume_type snapshot_id source_volid metadata links user_id " +
			"bootable encrypted replication_status consistencygroup_id multiattach attachments"
		port = "id name network_id tenant_id mac_address admin_state_up status device_id device_owner fixed_ips project_id port_security_enabled " +
			"security_groups binding:vnic_type allowed_address_pairs extra_dhcp_opts description tags created_at updated_at revision_number"
		attachment = "id volumeId serverId device"
		inUse      = "Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be " +
			"migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer."
		stamp = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}`
	)
	withPort := func(name, port string) string {
		return `member POST compute@2.79 /servers {"server": {"name": "${prefix}` + name +
			`", "imageRef": "$image", "flavorRef": "$flavor", "networks": [{"port": "` + port + `"}]}}`
	}
	c.hold(t, []fact{
		{"nobody", "nobody GET block-storage /volumes/$none", 401, are{is("error.code", "401"), header("Www-Authenticate", `Keystone uri="http.*"`)}},
		{"an unknown volume", "member GET block-storage /volumes/$none", 404, are{fault("itemNotFound", "Volume $none could not be found.")}},
		{"no size", `member POST block-storage /volumes {"volume": {"name": "${prefix}v"}}`, 400,
			are{fault("badRequest", "The server could not comply with the request since it is either malformed or otherwise incorrect.")}},
		{"too small a size", `member POST block-storage /volumes {"volume": {"name": "${prefix}v", "size": 0}}`, 400, are{invalid}},
		{"an unknown zone", `member POST block-storage /volumes {"volume": {"name": "${prefix}v", "size": 1, "availability_zone": "nowhere"}}`, 400,
			are{fault("badRequest", "Availability zone 'nowhere' is invalid.")}},
		{"an unknown type", `member POST block-storage /volumes {"volume": {"name": "${prefix}v", "size": 1, "volume_type": "nothing"}}`, 404,
			are{fault("itemNotFound", "Volume type with name nothing could not be found.")}},
		{"a volume", `member POST block-storage /volumes {"volume": {"name": "${prefix}v", "size": 1}}`, 202,
			are{has("volume", volume), is("volume.status", `"creating"`), is("volume.attachments", "[]"), like("volume.id", "$uuid"),
				keep("volume", "volume.id")}},
		{"it is there", "member awaits GET block-storage /volumes/$volume", 200,
			are{is("volume.status", `"available"`), has("volume", volume), is("volume.name", `"${prefix}v"`), is("volume.size", "1"),
				like("volume.created_at", stamp), is("volume.attachments", "[]"), is("volume.metadata", "{}"), is("volume.description", "null")}},

		{"all volumes", "member GET block-storage /volumes/detail", 200, are{includes("volumes.*.id", "$volume"), has("volumes.0", volume)}},

		{"the network", "member GET network /networks?name=shared", 200, are{keep("network", "networks.0.id")}},
		{"no network", `member POST network /ports {"port": {"name": "${prefix}p"}}`, 400,
			are{is("", `{"NeutronError": {"type": "HTTPBadRequest", "message": "Failed to parse request. Required attribute 'network_id' not specified", `+
				`"detail": ""}}`)}},
		{"an unknown network", `member POST network /ports {"port": {"network_id": "$none"}}`, 404, are{is("NeutronError.type", `"NetworkNotFound"`)}},
		{"a port", `member POST network /ports {"port": {"name": "${prefix}p", "network_id": "$network"}}`, 201,
			are{has("port", port), is("port.status", `"DOWN"`), is("port.admin_state_up", "true"), is("port.device_id", `""`), is("port.device_owner", `""`),
				size("port.fixed_ips", 1), keep("address", "port.fixed_ips.0.ip_address"), keep("mac", "port.mac_address"), keep("port", "port.id")}},
		{"a port that is down", `member POST network /ports {"port": {"network_id": "$network", "admin_state_up": false}}`, 201,
			are{is("port.name", `""`), is("port.admin_state_up", "false"), keep("down", "port.id")}},
		{"without it", "member DELETE network /ports/$down", 204, are{text("")}},
		{"delete it twice", "member DELETE network /ports/$down", 404, are{is("NeutronError.type", `"PortNotFound"`)}},

		{"a server with an unknown port", withPort("s", "$none"), 400, are{fault("badRequest", "Port id $none could not be found.")}},
		{"a server with the port", withPort("s", "$port"), 202, are{keep("one", "server.id")}},
		{"it comes up at its address", "member awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.status", `"ACTIVE"`), is("server.addresses.shared.0.addr", `"$address"`),
				is("server.addresses.shared.0.OS-EXT-IPS-MAC:mac_addr", `"$mac"`), is("server.os-extended-volumes:volumes_attached", "[]")}},
		{"the port is its", "member awaits GET network /ports/$port", 200,
			are{has("port", port), is("port.device_id", `"$one"`), like("port.device_owner", "compute:.+"), is("port.status", `"ACTIVE"`),
				is("port.fixed_ips.0.ip_address", `"$address"`)}},
		{"all its ports", "member GET network /ports?device_id=$one", 200, are{is("ports.*.id", `["$port"]`)}},
		{"another server with the port", withPort("t", "$port"), 409, are{fault("conflictingRequest", "Port $port is still in use.")}},

		{"attach nothing", `member POST compute@2.1 /servers/$one/os-volume_attachments {"volumeAttachment": {}}`, 400, are{invalid}},
		{"attach an unknown one", `member POST compute@2.1 /servers/$one/os-volume_attachments {"volumeAttachment": {"volumeId": "$none"}}`, 404,
			are{fault("itemNotFound", "Volume $none could not be found.")}},
		{"attach to an unknown one", `member POST compute@2.1 /servers/$none/os-volume_attachments {"volumeAttachment": {"volumeId": "$volume"}}`, 404,
			are{fault("itemNotFound", "Instance $none could not be found.")}},
		{"attach", `member POST compute@2.1 /servers/$one/os-volume_attachments {"volumeAttachment": {"volumeId": "$volume"}}`, 200,
			are{keys("volumeAttachment", attachment), is("volumeAttachment.id", `"$volume"`), is("volumeAttachment.volumeId", `"$volume"`),
				is("volumeAttachment.serverId", `"$one"`), is("volumeAttachment.device", `"/dev/sdb"`)}},
		{"it is in use", "member awaits GET block-storage /volumes/$volume", 200,
			are{is("volume.status", `"in-use"`), size("volume.attachments", 1),
				keys("volume.attachments", "id attachment_id volume_id server_id host_name device attached_at"), is("volume.attachments.0.id", `"$volume"`),
				is("volume.attachments.0.server_id", `"$one"`), is("volume.attachments.0.device", `"/dev/sdb"`)}},
		{"the server has it", "member GET compute@2.79 /servers/$one", 200,
			are{is("server.os-extended-volumes:volumes_attached", `[{"id": "$volume", "delete_on_termination": false}]`)}},
		{"in an older version", "member GET compute@2.1 /servers/$one", 200, are{is("server.os-extended-volumes:volumes_attached", `[{"id": "$volume"}]`)}},
		{"one attachment", "member GET compute@2.1 /servers/$one/os-volume_attachments/$volume", 200,
			are{keys("volumeAttachment", attachment), is("volumeAttachment.device", `"/dev/sdb"`)}},
		{"an unknown attachment", "member GET compute@2.1 /servers/$one/os-volume_attachments/$none", 404,
			are{fault("itemNotFound", "Instance $one is not attached to volume $none")}},
		{"attach it twice", `member POST compute@2.1 /servers/$one/os-volume_attachments {"volumeAttachment": {"volumeId": "$volume"}}`, 400,
			are{fault("badRequest", "Invalid volume: volume $volume is already attached to instances: $one")}},
		{"a volume in use stays", "member DELETE block-storage /volumes/$volume", 400, are{fault("badRequest", inUse)}},

		{"extend it to its size", `member POST block-storage /volumes/$volume/action {"os-extend": {"new_size": 1}}`, 400, are{fault("badRequest",
			"Invalid input received: New size for extend must be greater than current size. (current: 1, extended: 1).")}},
		{"in an old version", `member POST block-storage /volumes/$volume/action {"os-extend": {"new_size": 2}}`, 400, are{fault("badRequest",
			"Invalid volume: Volume $volume status must be '{'status': 'available'}' to extend, currently in-use.")}},
		{"extend it", `member POST block-storage@3.42 /volumes/$volume/action {"os-extend": {"new_size": 2}}`, 202, are{text("")}},
		{"and its name", `member PUT block-storage /volumes/$volume {"volume": {"name": "${prefix}v", "description": ""}}`, 200,
			are{has("volume", volume), is("volume.name", `"${prefix}v"`)}},
		{"it is larger", "member awaits GET block-storage /volumes/$volume", 200, are{is("volume.status", `"in-use"`), is("volume.size", "2")}},

		{"detach", "member DELETE compute@2.1 /servers/$one/os-volume_attachments/$volume", 202, are{text("")}},
		{"it is detached", "member awaits GET compute@2.1 /servers/$one/os-volume_attachments/$volume", 404,
			are{fault("itemNotFound", "Instance $one is not attached to volume $volume")}},
		{"it is free", "member awaits GET block-storage /volumes/$volume", 200, are{is("volume.status", `"available"`), is("volume.attachments", "[]")}},
		{"detach it twice", "member DELETE compute@2.1 /servers/$one/os-volume_attachments/$volume", 404,
			are{fault("itemNotFound", "Instance $one is not attached to volume $volume")}},
		{"detach an unknown one", "member DELETE compute@2.1 /servers/$one/os-volume_attachments/$none", 404,
			are{fault("itemNotFound", "Volume $none could not be found.")}},
		{"attach it again", `member POST compute@2.1 /servers/$one/os-volume_attachments {"volumeAttachment": {"volumeId": "$volume"}}`, 200, nil},
		{"it is in use again", "member awaits GET block-storage /volumes/$volume", 200, are{is("volume.status", `"in-use"`)}},

		{"the zone of the server", "member GET compute@2.79 /servers/$one", 200, are{keep("zone", "server.OS-EXT-AZ:availability_zone")}},
		{"another zone", "member GET compute@2.79 /os-availability-zone", 200, are{other("other_zone", "availabilityZoneInfo.*.zoneName", "$zone")}},
		{"a volume there", `member POST block-storage /volumes {"volume": {"name": "${prefix}w", "size": 1, "availability_zone": "$other_zone"}}`, 202,
			are{keep("far", "volume.id")}},
		{"it is made there", "member awaits GET block-storage /volumes/$far", 200,
			are{is("volume.status", `"available"`), is("volume.availability_zone", `"$other_zone"`)}},
		{"attach it across zones", `member POST compute@2.1 /servers/$one/os-volume_attachments {"volumeAttachment": {"volumeId": "$far"}}`, 200, nil},
		{"it is in use there", "member awaits GET block-storage /volumes/$far", 200, are{is("volume.status", `"in-use"`)}},

		{"no server", "member DELETE compute@2.79 /servers/$one", 204, nil},
		{"it goes", "member awaits GET compute@2.79 /servers/$one", 404, nil},
		{"the volume stays", "member awaits GET block-storage /volumes/$volume", 200, are{is("volume.status", `"available"`), is("volume.attachments", "[]")}},
		{"that one too", "member awaits GET block-storage /volumes/$far", 200, are{is("volume.status", `"available"`)}},
		{"it is deleted", "member DELETE block-storage /volumes/$far", 202, nil},
		{"the port stays", "member GET network /ports/$port", 200,
			are{is("port.device_id", `""`), is("port.device_owner", `""`), is("port.status", `"DOWN"`), is("port.fixed_ips.0.ip_address", `"$address"`)}},
		{"another server gets the port", withPort("t", "$port"), 202, are{keep("two", "server.id")}},
		{"it comes up at the same address", "member awaits GET compute@2.79 /servers/$two", 200,
			are{is("server.status", `"ACTIVE"`), is("server.addresses.shared.0.addr", `"$address"`)}},
		{"Neutron takes the port away", "member DELETE network /ports/$port", 204, are{text("")}},
		{"it is gone", "member GET network /ports/$port", 404, are{is("NeutronError.message", `"Port $port could not be found."`)}},
		{"no other server", "member DELETE compute@2.79 /servers/$two", 204, nil},
		{"it goes too", "member awaits GET compute@2.79 /servers/$two", 404, nil},
		{"no volume", "member DELETE block-storage /volumes/$volume", 202, are{text("")}},
		{"it goes at last", "member awaits GET block-storage /volumes/$volume", 404, are{fault("itemNotFound", "Volume $volume could not be found.")}},
		{"delete it twice again", "member DELETE block-storage /volumes/$volume", 404, nil},
	})
}

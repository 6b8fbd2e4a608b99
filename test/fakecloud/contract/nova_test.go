package contract

import "testing"

// TestContractNova: versions and their negotiation, and general information about Nova.
func TestContractNova(t *testing.T) { everywhere(t, contractNova) }

func contractNova(t *testing.T, c *cloud) {
	const gone = "The resource could not be found."
	c.hold(t, []fact{
		{"version", "member GET compute /", 200,
			are{keys("", "version"), keys("version", "id status version min_version updated links media-types"), is("version.version", `"$newest"`),
				is("version.min_version", `"2.1"`), size("version.links", 2)}},
		{"version for nobody", "nobody GET compute /", 200, are{is("version.id", `"v2.1"`)}},

		{"no microversion is the lowest", "member GET compute /limits", 200,
			are{header("Openstack-Api-Version", "compute 2.1"), header("X-Openstack-Nova-Api-Version", "2.1"), header("Vary", ".*OpenStack-API-Version.*")}},
		{"a microversion", "member GET compute@2.79 /limits", 200,
			are{header("Openstack-Api-Version", "compute 2.79"), header("X-Openstack-Nova-Api-Version", "2.79"), header("X-Openstack-Request-Id", "$request"),
				header("X-Compute-Request-Id", "$request"), header("Content-Type", "application/json")}},
		{"the older header", "member GET compute X-OpenStack-Nova-API-Version:2.20 /limits", 200,
			are{header("Openstack-Api-Version", "compute 2.20"), header("X-Openstack-Nova-Api-Version", "2.20")}},
		{"the newer header wins", "member GET compute@2.30 X-OpenStack-Nova-API-Version:2.20 /limits", 200,
			are{header("Openstack-Api-Version", "compute 2.30")}},
		{"latest", "member GET compute@latest /limits", 200, are{header("Openstack-Api-Version", "compute $newest")}},
		{"too high", "member GET compute@2.999 /limits", 406,
			are{fault("computeFault", "Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is $newest."),
				header("Openstack-Api-Version", "compute 2.999")}},
		{"too low", "member GET compute@2.0 /limits", 406,
			are{fault("computeFault", "Version 2.0 is not supported by the API. Minimum is 2.1 and maximum is $newest.")}},
		{"of another major", "member GET compute@3.0 /limits", 406,
			are{fault("computeFault", "Version 3.0 is not supported by the API. Minimum is 2.1 and maximum is $newest.")}},
		{"garbage", "member GET compute@new /limits", 400,
			are{fault("badRequest", "API Version String new is of invalid format. Must be of format MajorNum.MinorNum.")}},
		{"the version of a version", "member GET compute@2.79 /", 200, are{header("Openstack-Api-Version", "compute 2.79")}},

		{"nobody", "nobody GET compute /servers", 401,
			are{is("", `{"error": {"code": 401, "title": "Unauthorized", "message": "`+wrong+`"}}`), header("Www-Authenticate", `Keystone uri="http.*"`),
				header("Openstack-Api-Version", "")}},
		{"garbage for a token", "nobody GET compute X-Auth-Token:garbage /servers", 401,
			are{is("error.code", "401"), header("Content-Type", "application/json")}},
		{"unknown path", "member GET compute /nothing", 404, are{text(`.*The resource could not be found\..*`)}},
		{"unknown path, in JSON", "member GET compute /nothing", 404,
			are{is("", `{"message": "The resource could not be found.<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"}`)}},
		{"unknown content type", `member POST compute@2.79 Content-Type:text/xml /os-server-groups <a/>`, 415,
			are{fault("badMediaType", "Unsupported Content-Type")}},
		{"no JSON", `member POST compute@2.79 /os-server-groups {`, 400, are{fault("badRequest", "Malformed request body")}},
		{"before its microversion", "member GET compute@2.25 /servers/$none/tags", 404, are{fault("itemNotFound", gone)}},

		{"limits", "member GET compute@2.79 /limits", 200, are{keys("limits", "rate absolute"), is("limits.rate", "[]"),
			keys("limits.absolute", "maxTotalInstances maxTotalCores maxTotalRAMSize maxTotalKeypairs maxServerMeta maxServerGroups maxServerGroupMembers "+
				"totalRAMUsed totalCoresUsed totalInstancesUsed totalServerGroupsUsed")}},
		{"limits by an unknown key, at 2.75", "member GET compute@2.75 /limits?what=1", 400, are{invalid}},

		{"flavors", "member GET compute@2.79 /flavors/detail", 200,
			are{keys("flavors", "id name ram disk swap OS-FLV-EXT-DATA:ephemeral OS-FLV-DISABLED:disabled vcpus os-flavor-access:is_public rxtx_factor links "+
				"description extra_specs"), includes("flavors.*.id", "$flavor")}},
		{"a flavor", "member GET compute@2.79 /flavors/$flavor", 200,
			are{keys("flavor", "id name ram disk swap OS-FLV-EXT-DATA:ephemeral OS-FLV-DISABLED:disabled vcpus os-flavor-access:is_public rxtx_factor links "+
				"description extra_specs")}},
		{"a flavor before 2.55", "member GET compute@2.54 /flavors/$flavor", 200, are{lacks("flavor", "description extra_specs"), is("flavor.swap", `""`)}},
		{"an unknown flavor", "member GET compute@2.79 /flavors/nothing", 404, are{fault("itemNotFound", "Flavor nothing could not be found.")}},

		{"zones", "member GET compute@2.79 /os-availability-zone", 200,
			are{keys("", "availabilityZoneInfo"), keys("availabilityZoneInfo", "zoneName zoneState hosts"),
				is("availabilityZoneInfo.0.zoneState", `{"available": true}`), is("availabilityZoneInfo.0.hosts", "null"),
				keep("zone", "availabilityZoneInfo.0.zoneName")}},
		{"the zone of the services is hidden", "admin GET compute@2.79 /os-availability-zone", 200,
			are{lacks("", "error"), includes("availabilityZoneInfo.*.zoneName", "$zone"), without("availabilityZoneInfo.*.zoneName", "internal")}},
		{"zones in detail", "member GET compute@2.79 /os-availability-zone/detail", 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:os-availability-zone:detail to be performed.")}},
		{"zones in detail for the admin", "admin GET compute@2.79 /os-availability-zone/detail", 200,
			are{keys("availabilityZoneInfo", "zoneName zoneState hosts"), includes("availabilityZoneInfo.*.zoneName", "internal")}},

		{"hypervisors in detail", "member GET compute@2.79 /os-hypervisors/detail", 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:os-hypervisors:list-detail to be performed.")}},
		{"hypervisors for the admin", "admin GET compute@2.79 /os-hypervisors/detail", 200,
			are{has("hypervisors.0", "hypervisor_hostname state status vcpus memory_mb running_vms hypervisor_type service host_ip"),
				keys("hypervisors.0.service", "id host disabled_reason"), like("hypervisors.0.id", "$uuid"), keep("hypervisor", "hypervisors.0.id")}},
		{"hypervisors by page", "admin GET compute@2.79 /os-hypervisors/detail?limit=1", 200,
			are{size("hypervisors", 1), is("hypervisors_links.*.rel", `["next"]`),
				like("hypervisors_links.0.href", `.*/v2\.1/os-hypervisors/detail\?limit=1&marker=$hypervisor`)}},
		{"hypervisors by a marker of none", "admin GET compute@2.79 /os-hypervisors/detail?marker=$none", 400,
			are{fault("badRequest", "marker [00000000-0000-0000-0000-000000000000] not found")}},
		{"services", "member GET compute@2.79 /os-services", 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:os-services:list to be performed.")}},
		{"services for the admin", "admin GET compute@2.79 /os-services?binary=nova-compute", 200,
			are{keys("services", "binary host id zone status state updated_at disabled_reason forced_down")}},
	})
}

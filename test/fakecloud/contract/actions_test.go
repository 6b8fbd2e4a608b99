package contract

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestContractActions: the actions that change a running server, and the states on the way.
func TestContractActions(t *testing.T) { everywhere(t, contractActions) }

func contractActions(t *testing.T, c *cloud) {
	if c.Fake != nil {
		c.Fake.AddImage(fakecloud.Image{Name: "other"})
	}
	c.addDiskless(t)
	show := func(more ...check) are { return append(are{is("server.OS-EXT-STS:task_state", "null")}, more...) }
	// launched is the time of the server's present launch, from which its age counts. It has whole seconds: on a fast
	// cloud a stop and a rebuild after it fall into one second, and would not seem to change it.
	const launched = "server.OS-SRV-USG:launched_at"
	nextSecond := func(*answer) error { time.Sleep(c.second); return nil }
	again := func(more ...check) are { return append(show(more...), renewed(true, "launched", launched), nextSecond) }
	still := func(more ...check) are {
		return append(show(more...), renewed(false, "launched", launched), nextSecond)
	}
	act := func(body string) string { return "member POST compute@2.79 /servers/$one/action " + body }
	refused := func(what, state string) are {
		return are{fault("conflictingRequest", "Cannot '"+what+"' instance $one while it is in vm_state "+state)}
	}
	listed := lacks
	if c.release.ListsFaults {
		listed = has
	}
	const look = "member awaits GET compute@2.79 /servers/$one"
	c.hold(t, []fact{
		{"an image", "member GET image /images/$image", 200, are{keep("image_name", "name")}},
		{"another flavor", "member GET compute@2.79 /flavors/detail", 200, are{other("other_flavor", "flavors.*.id", "$flavor")}},
		{"another image", "member GET image /images", 200, are{other("other_image", "images.*.id", "$image")}},
		{"images by name, of Nova", "member GET compute /images?name=$image_name", 200,
			are{keys("images", "id name links"), is("images.0.name", `"$image_name"`)}},
		{"images by a name of none", "member GET compute /images?name=nothing", 200, are{is("images", "[]")}},
		{"no images of Nova from 2.36 on", "member GET compute@2.36 /images?name=nothing", 404, are{fault("itemNotFound", "The resource could not be found.")}},
		{"a zone", "member GET compute@2.79 /os-availability-zone", 200, are{keep("zone", "availabilityZoneInfo.0.zoneName")}},
		{"boot", boot("2.79", "one", `, "availability_zone": "$zone"`), 202, are{keep("one", "server.id")}},
		{"it comes up", look, 200, again(is("server.status", `"ACTIVE"`), lacks("server", "fault"))},

		{"rebuild to an unknown image", act(`{"rebuild": {"imageRef": "$none"}}`), 400, are{fault("badRequest", "Cannot find image for rebuild")}},
		{"rebuild without an image", act(`{"rebuild": {}}`), 400, are{invalid}},
		{"rebuild", act(`{"rebuild": {"imageRef": "$other_image"}}`), 202,
			are{is("server.id", `"$one"`), has("server", "adminPass"), header("Location", ".*/servers/$one")}},
		{"it is rebuilt", look, 200, again(is("server.status", `"ACTIVE"`), is("server.image.id", `"$other_image"`))},

		{"resize to an unknown flavor", act(`{"resize": {"flavorRef": "nothing"}}`), 400, are{fault("badRequest", "Flavor nothing could not be found.")}},
		{"resize to a flavor without a disk", act(`{"resize": {"flavorRef": "$diskless"}}`), 400,
			are{fault("badRequest", "Server disk was unable to be resized because: Resize to zero disk flavor is not allowed.")}},
		{"resize to its own flavor", act(`{"resize": {"flavorRef": "$flavor"}}`), 400,
			are{fault("badRequest", "When resizing, instances must change flavor!")}},
		{"confirm nothing", act(`{"confirmResize": null}`), 409, refused("confirmResize", "active")},
		{"revert nothing", act(`{"revertResize": null}`), 409, refused("revertResize", "active")},
		{"resize", act(`{"resize": {"flavorRef": "$other_flavor"}}`), 202, are{text("")}},
		{"it waits for the confirmation", look, 200, again(is("server.status", `"VERIFY_RESIZE"`), is("server.flavor.original_name", `"$other_flavor"`))},
		{"resize before that", act(`{"resize": {"flavorRef": "$flavor"}}`), 409, refused("resize", "resized")},
		{"rebuild before that", act(`{"rebuild": {"imageRef": "$image"}}`), 409, refused("rebuild", "resized")},
		{"confirm", act(`{"confirmResize": null}`), 204, are{text("")}},
		{"it is resized", look, 200, still(is("server.status", `"ACTIVE"`), is("server.flavor.original_name", `"$other_flavor"`),
			is("server.OS-EXT-AZ:availability_zone", `"$zone"`))},
		{"resize again", act(`{"resize": {"flavorRef": "$flavor"}}`), 202, nil},
		{"it waits again", look, 200, again(is("server.status", `"VERIFY_RESIZE"`))},
		{"revert", act(`{"revertResize": null}`), 202, are{text("")}},
		{"it is as it was", look, 200, again(is("server.status", `"ACTIVE"`), is("server.flavor.original_name", `"$other_flavor"`))},

		{"stop", act(`{"os-stop": null}`), 202, nil},
		{"it stops", look, 200, still(is("server.status", `"SHUTOFF"`))},
		{"rebuild a stopped one", act(`{"rebuild": {"imageRef": "$image"}}`), 202, nil},
		{"it is stopped again", look, 200, again(is("server.status", `"SHUTOFF"`), is("server.image.id", `"$image"`))},
		{"resize a stopped one", act(`{"resize": {"flavorRef": "$flavor"}}`), 202, nil},
		{"it waits too", look, 200, again(is("server.status", `"VERIFY_RESIZE"`))},
		{"confirm that", act(`{"confirmResize": null}`), 204, nil},
		{"it is stopped still", look, 200, still(is("server.status", `"SHUTOFF"`), is("server.flavor.original_name", `"$flavor"`))},
		{"pause a stopped one", act(`{"pause": null}`), 409, refused("pause", "stopped")},
		{"suspend a stopped one", act(`{"suspend": null}`), 409, refused("suspend", "stopped")},
		{"start", act(`{"os-start": null}`), 202, nil},
		{"it starts", look, 200, still(is("server.status", `"ACTIVE"`))},

		{"pause", act(`{"pause": null}`), 202, are{text("")}},
		{"it is paused", look, 200, still(is("server.status", `"PAUSED"`))},
		{"stop a paused one", act(`{"os-stop": null}`), 409, refused("stop", "paused")},
		{"unpause", act(`{"unpause": null}`), 202, nil},
		{"it runs again", look, 200, still(is("server.status", `"ACTIVE"`))},
		{"unpause twice", act(`{"unpause": null}`), 409, refused("unpause", "active")},
		{"suspend", act(`{"suspend": null}`), 202, are{text("")}},
		{"it is suspended", look, 200, still(is("server.status", `"SUSPENDED"`))},
		{"rebuild a suspended one", act(`{"rebuild": {"imageRef": "$image"}}`), 409, refused("rebuild", "suspended")},
		{"resume", act(`{"resume": null}`), 202, nil},
		{"it runs after that", look, 200, still(is("server.status", `"ACTIVE"`))},
		{"resume twice", act(`{"resume": null}`), 409, refused("resume", "active")},

		{"unshelve what is not", act(`{"unshelve": null}`), 409, refused("unshelve", "active")},
		{"shelve", act(`{"shelve": null}`), 202, are{text("")}},
		{"it is shelved, and has no zone", look, 200,
			still(is("server.status", `"SHELVED_OFFLOADED"`), is("server.OS-EXT-AZ:availability_zone", `""`), is("server.hostId", `""`),
				is("server.OS-EXT-STS:power_state", "4"))},
		{"shelve twice", act(`{"shelve": null}`), 409, refused("shelve", "shelved_offloaded")},
		{"unshelve", act(`{"unshelve": null}`), 202, are{text("")}},
		{"it is back", look, 200, again(is("server.status", `"ACTIVE"`), is("server.OS-EXT-AZ:availability_zone", `"$zone"`))},
		{"shelve again", act(`{"shelve": null}`), 202, nil},
		{"it is shelved again", look, 200, show(is("server.status", `"SHELVED_OFFLOADED"`))},
		{"unshelve to an unknown zone", `member POST compute@2.77 /servers/$one/action {"unshelve": {"availability_zone": "nowhere"}}`, 400,
			are{fault("badRequest", "The requested availability zone is not available")}},
		{"another zone", "member GET compute@2.79 /os-availability-zone", 200, are{other("other_zone", "availabilityZoneInfo.*.zoneName", "$zone")}},
		{"unshelve to another zone", `member POST compute@2.77 /servers/$one/action {"unshelve": {"availability_zone": "$other_zone"}}`, 202, nil},
		{"it is there", look, 200, again(is("server.status", `"ACTIVE"`), is("server.OS-EXT-AZ:availability_zone", `"$other_zone"`))},

		{"a member does not migrate", act(`{"os-migrateLive": {"host": null, "block_migration": "auto"}}`), 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:os-migrate-server:migrate_live to be performed.")}},
		{"nor to an unknown host", `admin POST compute@2.79 /servers/$one/action {"os-migrateLive": {"host": "nowhere", "block_migration": "auto"}}`, 400, nil},
		{"migrate", `admin POST compute@2.79 /servers/$one/action {"os-migrateLive": {"host": null, "block_migration": "auto"}}`, 202, nil},
		{"it runs, there or here", look, 200, still(is("server.status", `"ACTIVE"`))},
		{"lock", act(`{"lock": null}`), 202, nil},
		{"a locked one is not rebuilt", act(`{"rebuild": {"imageRef": "$image"}}`), 409, are{fault("conflictingRequest", "Instance $one is locked")}},
		{"nor resized", act(`{"resize": {"flavorRef": "$other_flavor"}}`), 409, are{fault("conflictingRequest", "Instance $one is locked")}},
		{"nor paused", act(`{"pause": null}`), 409, are{fault("conflictingRequest", "Instance $one is locked")}},
		{"nor shelved", act(`{"shelve": null}`), 409, are{fault("conflictingRequest", "Instance $one is locked")}},
		{"unlock", act(`{"unlock": null}`), 202, nil},
		{"delete", "member DELETE compute@2.79 /servers/$one", 204, nil},
		{"it goes", "member awaits GET compute@2.79 /servers/$one", 404, nil},

		{"a group that keeps together", `member POST compute@2.79 /os-server-groups {"server_group": {"name": "${prefix}together", "policy": "affinity"}}`, 200,
			are{keep("group", "server_group.id")}},
		{"a first member", `member POST compute@2.79 /servers {"server": {"name": "${prefix}a", "imageRef": "$image", "flavorRef": "$flavor", "networks": ` +
			`"none", "availability_zone": "$zone"}, "os:scheduler_hints": {"group": "$group"}}`, 202, are{keep("one", "server.id")}},
		{"it comes up in the group", look, 200, show(is("server.status", `"ACTIVE"`))},
		{"the network", "member GET network /networks?name=shared", 200, are{keep("network", "networks.0.id")}},
		{"a port", `member POST network /ports {"port": {"network_id": "$network"}}`, 201, are{keep("port", "port.id")}},
		{"a member that fits nowhere", `member POST compute@2.79 /servers {"server": {"name": "${prefix}b", "imageRef": "$image", "flavorRef": "$flavor", ` +
			`"networks": [{"port": "$port"}], "availability_zone": "$other_zone"}, "os:scheduler_hints": {"group": "$group"}}`, 202,
			are{keep("two", "server.id")}},
		{"it says why", "member awaits GET compute@2.79 /servers/$two", 200,
			are{is("server.status", `"ERROR"`), keys("server.fault", "code created message"),
				is("server.fault.message", `"No valid host was found. There are not enough hosts available."`), is("server.fault.code", "500")}},
		{"in the list too, or not", "member GET compute@2.79 /servers/detail?name=${prefix}b", 200,
			are{is("servers.0.status", `"ERROR"`), listed("servers.0", "fault")}},
		{"its port is free", "member GET network /ports/$port", 200, are{is("port.device_id", `""`), is("port.device_owner", `""`)}},
		{"pause what has no host", "member POST compute@2.79 /servers/$two/action {\"pause\": null}", 409, nil},
		{"the one is deleted", "member DELETE compute@2.79 /servers/$one", 204, nil},
		{"the other too", "member DELETE compute@2.79 /servers/$two", 204, nil},
		{"what had no host is gone at once", "member GET compute@2.79 /servers/$two", 404, nil},
		{"the port stays", "member DELETE network /ports/$port", 204, nil},
		{"no group", "member DELETE compute@2.79 /os-server-groups/$group", 204, nil},
	})
}

package contract

import "testing"

func TestContractQuotas(t *testing.T) { everywhere(t, contractQuotas) }

func contractQuotas(t *testing.T, c *cloud) {
	const modern = "cores instances key_pairs metadata_items ram server_group_members server_groups"
	c.hold(t, []fact{
		{"in detail", "member GET compute@2.79 /os-quota-sets/$member_project/detail", 200,
			are{keys("quota_set.cores", "limit in_use reserved"), keys("quota_set", "id "+modern)}},
		{"of others in detail", "member GET compute@2.79 /os-quota-sets/$admin_project/detail", 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:os-quota-sets:detail to be performed.")}},
		{"of a member for the admin", "admin GET compute@2.79 /os-quota-sets/$member_project/detail", 200,
			are{keep("cores", "quota_set.cores.limit"), keep("groups", "quota_set.server_groups.limit"),
				keep("members", "quota_set.server_group_members.limit")}},
		{"of a project that is none", "admin GET compute@2.79 /os-quota-sets/$none/detail", 400,
			are{fault("badRequest", "Project ID 00000000-0000-0000-0000-000000000000 is not a valid project.")}},
		{"changed by a member", `member PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"cores": 1}}`, 403,
			are{fault("forbidden", "Policy doesn't allow os_compute_api:os-quota-sets:update to be performed.")}},
		{"of an unknown resource", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"horses": 1}}`, 400, are{invalid}},
		{"below -1", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"cores": -2}}`, 400, are{invalid}},

		{"no more groups", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"server_groups": 0, "force": true}}`, 200,
			are{is("quota_set.server_groups", "0"), keys("quota_set", modern)}},
		{"a group too many", `member POST compute@2.79 /os-server-groups {"server_group": {"name": "${prefix}q", "policy": "affinity"}}`, 403,
			are{fault("forbidden", "Quota exceeded, too many server groups.")}},
		{"seen in the limits", "member GET compute@2.79 /limits", 200, are{is("limits.absolute.maxServerGroups", "0")}},
		{"groups again", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"server_groups": $groups}}`, 200, nil},

		{"no more cores", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"cores": 0, "force": true}}`, 200, nil},
		{"a server too many", `member POST compute@2.79 /servers {"server": {"name": "${prefix}q", "imageRef": "$image", "flavorRef": "$flavor", "networks": ` +
			`"none"}}`, 403, are{like("forbidden.message", "Quota exceeded for cores: Requested 1, but already used \\d+ of 0 cores")}},
		{"cores again", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"cores": $cores}}`, 200, nil},

		{"no member a group", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"server_group_members": 0}}`, 200, nil},
		{"a group", `member POST compute@2.79 /os-server-groups {"server_group": {"name": "${prefix}q", "policy": "soft-affinity"}}`, 200,
			are{keep("group", "server_group.id")}},
		{"a member", `member POST compute@2.79 /servers {"server": {"name": "${prefix}q", "imageRef": "$image", "flavorRef": "$flavor", "networks": "none"}, ` +
			`"os:scheduler_hints": {"group": "$group"}}`, 403, are{fault("forbidden", "Quota exceeded, too many servers in group")}},
		{"members again", `admin PUT compute@2.79 /os-quota-sets/$member_project {"quota_set": {"server_group_members": $members}}`, 200, nil},
		{"no group", "member DELETE compute@2.79 /os-server-groups/$group", 204, nil},
	})
}

func TestContractGlance(t *testing.T) { everywhere(t, contractGlance) }

func contractGlance(t *testing.T, c *cloud) {
	const schema = "name disk_format container_format visibility size virtual_size status checksum protected min_ram min_disk owner os_hidden os_hash_algo " +
		"os_hash_value id created_at updated_at tags self file schema"
	c.hold(t, []fact{
		{"versions", "nobody GET image-root /", 300,
			are{keys("versions", "id status links"), includes("versions.*.id", "v2.15"), includes("versions.*.status", "CURRENT")}},
		{"an image", "member GET image /images/$image", 200,
			are{keys("", schema), is("id", `"$image"`), is("status", `"active"`), like("created_at", "$time"), is("self", `"/v2/images/$image"`),
				is("schema", `"/v2/schemas/image"`), keep("image_name", "name"), header("Content-Type", "application/json"),
				header("X-Openstack-Request-Id", "$request")}},
		{"an unknown image", "member GET image /images/$none", 404, are{text(`.*No image found with ID $none.*`)}},
		{"images", "member GET image /images", 200,
			are{keys("", "images first schema"), keys("images", schema), is("schema", `"/v2/schemas/images"`),
				includes("images.*.id", "$image")}},
		{"by name", "member GET image /images?name=$image_name", 200, are{includes("images.*.id", "$image")}},
		{"by a name of none", "member GET image /images?name=nothing", 200, are{is("images", "[]")}},
		{"by status", "member GET image /images?status=active", 200, are{includes("images.*.id", "$image")}},
		{"by another status", "member GET image /images?status=queued", 200, are{without("images.*.id", "$image")}},
		{"the newest", "member GET image /images?name=$image_name&status=active&sort_key=created_at&sort_dir=desc&limit=100", 200,
			are{includes("images.*.id", "$image")}},
		{"nobody", "nobody GET image /images", 401,
			are{text(".*could not verify that you are authorized to access the document you requested.*"),
				header("Www-Authenticate", `Keystone uri="http.*"`)}},
		{"an unknown path", "member GET image /nothing", 404, are{text(".*The resource could not be found.*")}},
	})
}

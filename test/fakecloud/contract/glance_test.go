package contract

import "testing"

func TestContractGlance(t *testing.T) { everywhere(t, contractGlance) }

func contractGlance(t *testing.T, c *cloud) {
	const schema = "name disk_format container_format visibility size virtual_size status checksum protected min_ram min_disk owner os_hidden os_hash_algo " +
		"os_hash_value id created_at updated_at tags self file schema"
	c.hold(t, []fact{
		{"versions", "nobody GET image-root /", 300,
			are{keys("versions", "id status links"), is("versions.*.id", `[$image_versions]`), includes("versions.*.status", "CURRENT")}},
		{"an image", "member GET image /images/$image", 200,
			are{keys("", schema), is("id", `"$image"`), is("status", `"active"`), like("created_at", "$time"), is("self", `"/v2/images/$image"`),
				is("schema", `"/v2/schemas/image"`), keep("image_name", "name"), header("Content-Type", "application/json"),
				header("X-Openstack-Request-Id", "$request")}},
		{"an unknown image", "member GET image /images/$none", 404, are{text(`.*No image found with ID $none.*`)}},
		{"images", "member GET image /images", 200,
			are{keys("", "images first schema"), keys("images", schema), is("first", `"/v2/images"`), is("schema", `"/v2/schemas/images"`),
				includes("images.*.id", "$image")}},
		{"by name", "member GET image /images?name=$image_name", 200, are{includes("images.*.id", "$image"), is("first", `"/v2/images?name=$image_name"`)}},
		{"by a name of none", "member GET image /images?name=nothing", 200, are{is("images", "[]")}},
		{"by status", "member GET image /images?status=active", 200, are{includes("images.*.id", "$image")}},
		{"by another status", "member GET image /images?status=queued", 200, are{without("images.*.id", "$image")}},
		{"the newest", "member GET image /images?name=$image_name&status=active&sort_key=created_at&sort_dir=desc&limit=100", 200,
			are{includes("images.*.id", "$image")}},
		{"a page", "member GET image /images?limit=1", 200, are{size("images", 1), like("next", "/v2/images\\?(limit=1&marker=$uuid|marker=$uuid&limit=1)")}},
		{"the page after it", "member GET image /images?marker=$image&name=$image_name", 200, are{without("images.*.id", "$image")}},
		{"an unknown marker", "member GET image /images?marker=$none", 400, nil},
		{"a limit that is no number", "member GET image /images?limit=ten", 400, are{text(`.*limit param must be an integer.*`)}},
		{"a limit below 0", "member GET image /images?limit=-1", 400, are{text(`.*limit param must be positive.*`)}},
		{"nobody", "nobody GET image /images", 401,
			are{text(".*could not verify that you are authorized to access the document you requested.*"),
				header("Www-Authenticate", `Keystone uri="http.*"`)}},
		{"an unknown path", "member GET image /nothing", 404, are{text(".*The resource could not be found.*")}},
	})
}

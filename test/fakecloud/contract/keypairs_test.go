package contract

import "testing"

// TestContractKeyPairs: the key pairs of a user, and servers that name them.
func TestContractKeyPairs(t *testing.T) { everywhere(t, contractKeyPairs) }

func contractKeyPairs(t *testing.T, c *cloud) {
	const (
		given = "name public_key fingerprint user_id"
		shown = given + " id created_at deleted deleted_at updated_at"
	)
	c.vars["key"] = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGiCoXUQyQe0DZZxVz35U2YkEeM2o7/bOulxNd8gqZ7"
	server := func(key string) string {
		return `member POST compute@2.79 /servers {"server": {"name": "${prefix}k", "imageRef": "$image", "flavorRef": "$flavor", "networks": "none", ` +
			`"key_name": "` + key + `"}}`
	}
	none := fault("itemNotFound", "Keypair ${prefix}k not found for user $member_id")
	c.hold(t, []fact{
		{"none", "member GET compute@2.1 /os-keypairs/${prefix}k", 404, are{none}},
		{"what is no key", `member POST compute@2.1 /os-keypairs {"keypair": {"name": "${prefix}k", "public_key": "ssh-ed25519 not"}}`, 400,
			are{fault("badRequest", "Keypair data is invalid: failed to generate fingerprint")}},
		{"a key pair", `member POST compute@2.1 /os-keypairs {"keypair": {"name": "${prefix}k", "public_key": "$key"}}`, 200,
			are{keys("keypair", given), is("keypair.name", `"${prefix}k"`), is("keypair.public_key", `"$key"`), is("keypair.user_id", `"$member_id"`),
				is("keypair.fingerprint", `"a0:d2:a6:a3:cf:5b:b4:20:ee:ac:83:50:7c:55:6d:85"`)}},
		{"a second one", `member POST compute@2.1 /os-keypairs {"keypair": {"name": "${prefix}k", "public_key": "$key"}}`, 409,
			are{fault("conflictingRequest", "Key pair '${prefix}k' already exists.")}},
		{"it is there", "member GET compute@2.1 /os-keypairs/${prefix}k", 200, are{keys("keypair", shown), is("keypair.deleted", "false")}},
		{"in a newer version", "member GET compute@2.79 /os-keypairs/${prefix}k", 200, are{keys("keypair", shown+" type"), is("keypair.type", `"ssh"`)}},
		{"another user has none", "admin GET compute@2.1 /os-keypairs/${prefix}k", 404, nil},
		{"a server with a key of none", server("${prefix}none"), 400, are{fault("badRequest", "Invalid key_name provided.")}},
		{"a server with the key", server("${prefix}k"), 202, are{keep("one", "server.id")}},
		{"no key pair", "member DELETE compute@2.1 /os-keypairs/${prefix}k", 202, are{text("")}},
		{"delete it twice", "member DELETE compute@2.1 /os-keypairs/${prefix}k", 404, are{none}},
		{"the server keeps its name", "member awaits GET compute@2.79 /servers/$one", 200,
			are{is("server.status", `"ACTIVE"`), is("server.key_name", `"${prefix}k"`)}},
		{"another", `member POST compute@2.79 /os-keypairs {"keypair": {"name": "${prefix}k", "public_key": "$key"}}`, 201,
			are{keys("keypair", given+" type")}},
		{"without it", "member DELETE compute@2.79 /os-keypairs/${prefix}k", 204, are{text("")}},
		{"no server", "member DELETE compute@2.79 /servers/$one", 204, nil},
		{"it goes", "member awaits GET compute@2.79 /servers/$one", 404, nil},
	})
}

package contract

import (
	"crypto/rand"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

const (
	wrong     = "The request you have made requires authentication."
	malformed = " The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error."

	scoped = `{"auth": {"identity": {"methods": ["password"], "password": {"user": {"id": "$member_id", "password": "$member_password"}}}, "scope": ` +
		`{"project": {"id": "$member_project"}}}}`
	unscoped = `{"auth": {"identity": {"methods": ["password"], "password": {"user": {"id": "$member_id", "password": "$member_password"}}}}}`
)

func TestContractKeystone(t *testing.T) { everywhere(t, contractKeystone) }

func contractKeystone(t *testing.T, c *cloud) {
	c.credential(t)
	c.hold(t, []fact{
		{"version", "nobody GET identity /", 200, are{keys("version", "id status updated links media-types"), is("version.status", `"stable"`)}},

		{"password", "nobody POST identity /auth/tokens " + scoped, 201, are{
			keys("token", "methods user audit_ids expires_at issued_at project is_domain roles catalog"),
			is("token.methods", `["password"]`), is("token.user.id", `"$member_id"`), is("token.project.id", `"$member_project"`),
			is("token.is_domain", "false"),
			keys("token.user", "id name domain password_expires_at"), keys("token.project", "id name domain"), keys("token.roles", "id name"),
			size("token.audit_ids", 1),
			like("token.expires_at", `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z`), like("token.audit_ids.0", `[\w-]{22}`), header("X-Subject-Token", "gAAAAA.*"),
			header("Vary", "X-Auth-Token"),
			header("Content-Type", "application/json"), header("X-Openstack-Request-Id", "$request")}},
		{"an endpoint is in a region", "nobody POST identity /auth/tokens " + scoped, 201,
			are{keys("token.catalog", "endpoints id type name"), keys("token.catalog.0.endpoints", "id interface region_id url region"),
				includes("token.catalog.*.type", "compute"), includes("token.catalog.*.type", "image"), includes("token.catalog.*.type", "identity"),
				includes("token.catalog.0.endpoints.*.region", "$region"), includes("token.catalog.0.endpoints.*.region_id", "$region"),
				includes("token.catalog.0.endpoints.*.interface", "public")}},
		{"password by names", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": ` +
			`"$member_name", "domain": {"id": "$member_domain"}, "password": "$member_password"}}}, "scope": {"project": {"name": "$member_project_name", ` +
			`"domain": {"id": "$member_domain"}}}}}`, 201, are{is("token.project.id", `"$member_project"`)}},
		{"unscoped", "nobody POST identity /auth/tokens " + unscoped, 201,
			are{keys("token", "methods user audit_ids expires_at issued_at"), keepHeader("unscoped_token", "X-Subject-Token")}},

		{"wrong password", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {"user": {"id": "$member_id", ` +
			`"password": "wrong"}}}}}`, 401,
			are{denial("Unauthorized", wrong), header("Www-Authenticate", `Keystone uri="http.*"`), header("Content-Type", "application/json")}},
		{"unknown user", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "nobody", ` +
			`"domain": {"id": "default"}, "password": "x"}}}}}`, 401, are{denial("Unauthorized", wrong)}},
		{"unknown project", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {"user": {"id": "$member_id", ` +
			`"password": "$member_password"}}}, "scope": {"project": {"id": "$none"}}}}`, 401, are{denial("Unauthorized", wrong)}},
		{"no role in the project", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {"user": {"id": ` +
			`"$member_id", "password": "$member_password"}}}, "scope": {"project": {"id": "$admin_project"}}}}`, 401, are{denial("Unauthorized", wrong)}},
		{"no role in the system", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {"user": {"id": ` +
			`"$member_id", "password": "$member_password"}}}, "scope": {"system": {"all": true}}}}`, 401, are{denial("Unauthorized", wrong)}},
		{"user without a domain", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": ` +
			`"$member_name", "password": "x"}}}}}`, 400, are{denial("Bad Request", "Expecting to find domain in user."+malformed)}},
		{"no user", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["password"], "password": {}}}}`, 400,
			are{denial("Bad Request", "Expecting to find user in None."+malformed)}},
		{"no auth", `nobody POST identity /auth/tokens {}`, 400, nil},
		{"no JSON", `nobody POST identity /auth/tokens {`, 400, nil},

		{"application credential", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["application_credential"], ` +
			`"application_credential": {"id": "$credential", "secret": "$secret"}}}}`, 201, are{
			keys("token", "methods user audit_ids expires_at issued_at project is_domain roles catalog application_credential"),
			keys("token.application_credential", "id name restricted"),
			is("token.project.id", `"$member_project"`), is("token.methods", `["application_credential"]`)}},
		{"application credential by name",
			`nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["application_credential"], "application_credential": {"name": ` +
				`"$credential_name", "user": {"id": "$member_id"}, "secret": "$secret"}}}}`, 201, are{is("token.application_credential.id", `"$credential"`)}},
		{"its wrong secret", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["application_credential"], "application_credential": ` +
			`{"id": "$credential", "secret": "wrong"}}}}`, 401, are{denial("Unauthorized", wrong)}},
		{"an unknown one", `nobody POST identity /auth/tokens {"auth": {"identity": {"methods": ["application_credential"], "application_credential": {"id": ` +
			`"$none", "secret": "x"}}}}`, 404, are{denial("Not Found", "Could not find Application Credential: 00000000-0000-0000-0000-000000000000.")}},
		{"validate one's own", "member GET identity X-Subject-Token:$member_token /auth/tokens", 200,
			are{is("token.user.id", `"$member_id"`), header("X-Subject-Token", "gAAAAA.*")}},
		{"an admin validates any", "admin GET identity X-Subject-Token:$member_token /auth/tokens", 200, are{is("token.user.id", `"$member_id"`)}},
		{"a member does not", "member GET identity X-Subject-Token:$admin_token /auth/tokens", 403,
			are{denial("Forbidden", "You are not authorized to perform the requested action: identity:validate_token.")}},
		{"validate nothing", "member GET identity /auth/tokens", 403, nil},
		{"validate garbage", "member GET identity X-Subject-Token:garbage /auth/tokens", 404, are{like("error.title", "Not Found")}},

		{"regions", "member GET identity /regions", 200,
			are{keys("", "regions links"), keys("regions", "id description parent_region_id links"), includes("regions.*.id", "$region"),
				keys("links", "next self previous"), is("links.next", "null")}},
		{"regions, unscoped", "unscoped GET identity /regions", 200, are{includes("regions.*.id", "$region")}},
		{"regions for nobody", "nobody GET identity /regions", 401, are{denial("Unauthorized", wrong), header("Www-Authenticate", `Keystone uri="http.*"`)}},
		{"regions for garbage", "nobody GET identity X-Auth-Token:garbage /regions", 401, are{denial("Unauthorized", wrong)}},
	})
}

// credential makes an application credential of the member. The fake has one, and cannot make others.
func (c *cloud) credential(t *testing.T) {
	t.Helper()
	if c.Fake != nil {
		c.vars["credential"], c.vars["credential_name"], c.vars["secret"] = fakecloud.AppCredentialID, fakecloud.AppCredentialName,
			fakecloud.AppCredentialSecret
		return
	}
	c.vars["credential_name"], c.vars["secret"] = c.Prefix+"contract", rand.Text()
	c.hold(t, []fact{{"make an application credential",
		`member POST identity /users/$member_id/application_credentials {"application_credential": {"name": "$credential_name", "secret": "$secret"}}`, 201,
		are{keep("credential", "application_credential.id")}}})
	t.Cleanup(func() {
		c.check(t, fact{"delete it", "member DELETE identity /users/$member_id/application_credentials/$credential", 204, nil})
	})
}

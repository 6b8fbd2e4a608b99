package fakecloud

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const unauthorized = `"message": "The request you have made requires authentication.", "title": "Unauthorized"`

// auth is a request for a token.
func auth(identity, scope string) string {
	if scope != "" {
		scope = `, "scope": ` + scope
	}
	return `{"auth": {"identity": ` + identity + scope + `}}`
}

func password(user, secret string) string {
	return fmt.Sprintf(`{"methods": ["password"], "password": {"user": {%s, "password": %q}}}`, user, secret)
}

func TestTokens(t *testing.T) {
	c := Start(t, Config{})
	member := login(t, c, "member")
	const (
		byName  = `"name": "member", "domain": {"name": "Default"}`
		admin   = `"name": "admin", "domain": {"name": "Default"}`
		project = `{"project": {"name": "member", "domain": {"name": "Default"}}}`
		post    = "POST identity /auth/tokens"
	)
	appCred := func(s string) string {
		return `{"methods": ["application_credential"], "application_credential": {` + s + `}}`
	}
	byID := fmt.Sprintf(`"id": %q, "secret": %q`, AppCredentialID, AppCredentialSecret)
	token := func(id string) string { return fmt.Sprintf(`{"methods": ["token"], "token": {"id": %q}}`, id) }
	scoped := fmt.Sprintf(`"project": {"domain": {"id": "default", "name": "Default"}, "id": %q, "name": "member"}, "is_domain": false`, MemberProjectID)
	facts(t, c, []fact{
		{"nobody", post, auth(password(byName, "secret"), project), 201, scoped},
		{"nobody", post, auth(password(byName, "secret"), fmt.Sprintf(`{"project": {"id": %q}}`, MemberProjectID)), 201, scoped},
		{"nobody", post, auth(password(fmt.Sprintf(`"id": %q`, MemberUserID), "secret"), project), 201, scoped},
		{"nobody", post, auth(password(byName, "secret"), ""), 201, `"methods": ["password"]`},
		{"nobody", post, auth(password(byName, "secret"), `"unscoped"`), 201, `"methods": ["password"]`},
		{"nobody", post, auth(password(admin, "secret"), `{"system": {"all": true}}`), 201, `"system": {"all": true}`},
		{"nobody", post, auth(password(byName, "secret"), `{"system": {"all": true}}`), 401, unauthorized},
		{"nobody", post, auth(password(byName, "wrong"), project), 401, unauthorized},
		{"nobody", post, auth(password(`"name": "x", "domain": {"name": "Default"}`, "secret"), ""), 401, unauthorized},
		{"nobody", post, auth(password(`"name": "member", "domain": {"name": "Nope"}`, "secret"), ""), 401, unauthorized},
		{"nobody", post, auth(password(`"name": "member"`, "secret"), ""), 400, "Expecting to find domain in user."},
		{"nobody", post, auth(password(`"x": 1`, "secret"), ""), 400, "id or name must be present"},
		{"nobody", post, auth(password(byName, "secret"), `{"project": {"name": "admin", "domain": {"id": "default"}}}`), 401, unauthorized},
		{"nobody", post, auth(password(byName, "secret"), `{"project": {"name": "member"}}`), 400, "Expecting to find domain in project."},
		{"nobody", post, auth(password(byName, "secret"), `{"domain": {"id": "default"}}`), 401, unauthorized},
		{"nobody", post, auth(appCred(byID), ""), 201, `"application_credential": {"id": "` + AppCredentialID + `"`},
		{"nobody", post, auth(appCred(fmt.Sprintf(`"name": %q, "secret": %q, "user": {%s}`, AppCredentialName, AppCredentialSecret, byName)), ""), 201, scoped},
		{"nobody", post, auth(appCred(fmt.Sprintf(`"name": "x", "secret": %q, "user": {%s}`, AppCredentialSecret, byName)), ""), 401, unauthorized},
		{"nobody", post, auth(appCred(fmt.Sprintf(`"id": %q, "secret": "x"`, AppCredentialID)), ""), 401, unauthorized},
		{"nobody", post, auth(appCred(`"id": "x", "secret": "x"`), ""), 404, "Could not find Application Credential: x."},
		{"nobody", post, auth(appCred(byID), project), 401, "Application credentials cannot request a scope."},
		{"nobody", post, auth(token(member.token), project), 201, `"methods": ["password", "token"]`},
		{"nobody", post, auth(token("x"), project), 404, "Could not recognize Fernet token"},
		{"nobody", post, auth(`{"methods": ["password"]}`, ""), 400, "Expecting to find password in identity."},
		{"nobody", post, auth(`{"methods": ["magic"], "magic": {}}`, ""), 401, "unsupported method"},
		{"nobody", post, auth(`{"methods": []}`, ""), 401, unauthorized},
		{"nobody", post, `{}`, 400, "Expecting to find auth in request body."},
		{"nobody", post, `{"auth": {}}`, 400, ""},
		{"nobody", post, `{`, 400, "Expecting to find valid JSON in request body."},
		{"nobody", "GET identity /regions", "", 401, unauthorized},
		{"nobody", "GET raw /identity/v3", "", 200, `"id": "v3.14"`},
		{"nobody", "GET raw /identity/", "", 300, `{"versions": {"values": [{"id": "v3.14"`},
		{"nobody", "GET raw /identity/v2.0", "", 404, "<title>404 Not Found</title>"},
		{"nobody", "PUT identity /auth/tokens", "", 405, "The method is not allowed for the requested URL."},
		{"member", "GET identity /auth/tokens", "", 403, "identity:validate_token."},
		{"member", "GET identity /regions", "", 200, `{"regions": [{"id": "RegionOne", "description": "", "parent_region_id": null`},
	})
}

func TestTokensAreChecked(t *testing.T) {
	c := Start(t, Config{})
	member, admin := login(t, c, "member"), login(t, c, "admin")
	check := func(k *client, subject string) answer {
		return k.ask("GET identity /auth/tokens", "", "X-Subject-Token", subject)
	}
	for _, k := range []*client{member, admin} {
		if a := check(k, member.token); a.status != 200 || a.header.Get("X-Subject-Token") != member.token || !strings.Contains(a.body, `"catalog"`) {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := check(member, admin.token); a.status != 403 {
		t.Errorf("the member may look at the admin's token: %d", a.status)
	}
	if a := check(member, "x"); a.status != 404 {
		t.Errorf("an unknown token: %d", a.status)
	}
}

// TestTokensWithoutProject: what can be done with a token that is for no
// project, or for the system.
func TestTokensWithoutProject(t *testing.T) {
	c := Start(t, Config{})
	unscoped, system := *login(t, c, "nobody"), *login(t, c, "nobody")
	post := "POST identity /auth/tokens"
	unscoped.token = unscoped.ask(post, auth(password(`"name": "member", "domain": {"id": "default"}`, "secret"), "")).header.Get("X-Subject-Token")
	system.token = system.ask(post, auth(password(`"name": "admin", "domain": {"id": "default"}`, "secret"), `{"system": {"all": true}}`)).
		header.Get("X-Subject-Token")
	server := fmt.Sprintf(`{"server": {"name": "a", "imageRef": %q, "flavorRef": "m1.tiny", "networks": "none"}}`, c.images[0].ID)
	group := `{"server_group": {"name": "g", "policies": ["affinity"]}}`
	for _, row := range []struct {
		k      *client
		what   string
		body   string
		status int
		want   string
	}{
		{&unscoped, "GET compute /servers", "", 200, `{"servers": []}`},
		{&unscoped, "GET compute /limits", "", 403, `"Forbidden"`},
		{&unscoped, "POST compute /servers 2.79", server, 403, `"Forbidden"`},
		{&unscoped, "POST compute /os-server-groups 2.15", group, 403, `"Forbidden"`},
		{&unscoped, "GET messaging /queues", "", 400, "The header X-PROJECT-ID was missing"},
		{&system, "GET compute /limits", "", 200, `"totalInstancesUsed": 0`},
		{&system, "POST compute /servers 2.79", server, 500, "ValueError"},
		{&system, "POST compute /os-server-groups 2.15", group, 200, `"project_id": null`},
		{&system, "GET compute /os-hypervisors/detail 2.53", "", 200, "r1-cmp-1"},
	} {
		if a := row.k.ask(row.what, row.body); a.status != row.status || !strings.Contains(a.body, row.want) {
			t.Errorf("%s: %d %s, want %d %s", row.what, a.status, a.body, row.status, row.want)
		}
	}
}

func TestTokensExpire(t *testing.T) {
	c := Start(t, Config{TokenTTL: time.Hour})
	k := login(t, c, "member")
	k.must(200, "GET compute /servers", "")
	c.Advance(59 * time.Minute)
	k.must(200, "GET compute /servers", "")
	c.Advance(time.Minute)
	for _, what := range []string{"compute /servers", "image /images", "messaging /queues", "identity /regions"} {
		k.must(401, "GET "+what, "")
	}
	k = login(t, c, "member")
	k.must(200, "GET compute /servers", "")
	c.ExpireTokens()
	k.must(401, "GET compute /servers", "")
	login(t, c, "member").must(200, "GET compute /servers", "")
}

// endpoints lists the catalogue as service, interface, region and URL.
func endpoints(t *testing.T, c *Cloud) []string {
	t.Helper()
	a := login(t, c, "nobody").must(201, "POST identity /auth/tokens", auth(password(`"name": "member", "domain": {"id": "default"}`, "secret"),
		`{"project": {"name": "member", "domain": {"id": "default"}}}`))
	var list []string
	for _, s := range a.object(t)["token"].(map[string]any)["catalog"].([]any) {
		service := s.(map[string]any)
		for _, e := range service["endpoints"].([]any) {
			endpoint := e.(map[string]any)
			if endpoint["region"] != endpoint["region_id"] {
				t.Errorf("endpoint %v", endpoint)
			}
			list = append(list, fmt.Sprint(service["type"], " ", endpoint["interface"], " ", endpoint["region"], " ", endpoint["url"]))
		}
	}
	slices.Sort(list)
	return list
}

func TestCatalog(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	list := func() []string { return endpoints(t, c) }
	all := list()
	if len(all) != 7*2*3 || !slices.Contains(all, "compute public RegionTwo "+c.url+"/compute/RegionTwo/v2.1") {
		t.Errorf("catalogue:\n%s", strings.Join(all, "\n"))
	}

	c.AddRegion("RegionThree")
	if !slices.Equal(list(), all) {
		t.Error("a region of Keystone's own has endpoints")
	}

	c.HideEndpoint(Compute, "RegionTwo", true)
	if got := list(); len(got) != len(all)-3 || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "/compute/RegionTwo/") }) {
		t.Errorf("catalogue:\n%s", strings.Join(got, "\n"))
	}
	k.must(200, "GET two /servers", "") // it is still there
	c.HideEndpoint(Compute, "RegionTwo", false)

	c.HideRegionNames(true)
	if got := list(); !slices.Contains(got, "compute public <nil> "+c.url+"/compute/RegionOne/v2.1") {
		t.Errorf("catalogue:\n%s", strings.Join(got, "\n"))
	}
}

func TestCatalogWithProjectsInURLs(t *testing.T) {
	c := Start(t, Config{ProjectInURL: true})
	k := login(t, c, "member")
	list := endpoints(t, c)
	if want := "compute public RegionOne " + c.url + "/compute/RegionOne/v2.1/" + MemberProjectID; !slices.Contains(list, want) {
		t.Errorf("%s is not in\n%s", want, strings.Join(list, "\n"))
	}
	for _, f := range []struct {
		path   string
		status int
	}{
		{"/" + MemberProjectID, http.StatusNotFound}, // only with a slash is that the version document
		{"/" + MemberProjectID + "/", http.StatusOK},
		{"/" + MemberProjectID + "/servers", http.StatusOK},
		{"/servers", http.StatusOK},
		{"/" + AdminProjectID + "/servers", http.StatusBadRequest},
	} {
		if a := k.ask("GET compute "+f.path, ""); a.status != f.status {
			t.Errorf("%s: %d %s", f.path, a.status, a.body)
		}
	}
	id := k.server("one", "")
	if a := k.ask("GET compute /"+MemberProjectID+"/servers?limit=1", ""); !strings.Contains(a.body,
		"/v2.1/"+MemberProjectID+"/servers?limit=1&marker="+id) {
		t.Errorf("the next page is elsewhere: %s", a.body)
	}
}

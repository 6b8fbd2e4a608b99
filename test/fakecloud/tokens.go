package fakecloud

import (
	"slices"
	"time"
)

type project struct{ id, name string }

type user struct {
	id, name string
	project  project
	admin    bool
}

var users = []*user{
	{AdminUserID, AdminUser, project{AdminProjectID, AdminProject}, true},
	{MemberUserID, MemberUser, project{MemberProjectID, MemberProject}, false},
}

// roles lists the roles of a user in the user's project, with the roles that they imply.
func (u *user) roles() []object {
	roles := []object{
		{{"id", "9a1b2c3d4e5f46078192a3b4c5d6e7f8"}, {"name", "member"}},
		{{"id", "0b1c2d3e4f5a46b798c9d0e1f2a3b4c5"}, {"name", "reader"}},
		{{"id", "1c2d3e4f5a6b47c8a9d0e1f2a3b4c5d6"}, {"name", "load-balancer_member"}},
	}
	if u.admin {
		roles = slices.Insert(roles, 0, object{{"id", "2d3e4f5a6b7c48d9a0b1c2d3e4f5a6b7"}, {"name", "admin"}})
	}
	return roles
}

// token is a login.
type token struct {
	id      string
	user    *user
	project *project // nil for an unscoped token
	appCred bool
	methods []string
	audit   []string
	issued  time.Time
	expires time.Time
}

// admin reports whether the user is an administrator for Nova.
func (t *token) admin() bool { return t.user.admin && t.project != nil }

// projectID is "" without a project.
func (t *token) projectID() string {
	if t.project == nil {
		return ""
	}
	return t.project.id
}

// validToken looks a token up; nil if it is unknown or has expired.
func (c *Cloud) validToken(id string) *token {
	if t := c.tokens[id]; t != nil && c.time().Before(t.expires) {
		return t
	}
	return nil
}

// givenToken looks up a token that a request to Keystone is about.
func (c *Cloud) givenToken(id string) *token {
	if t := c.validToken(id); t != nil {
		return t
	}
	if c.tokens[id] == nil {
		panic(notFound("Could not recognize Fernet token"))
	}
	panic(notFound("Failed to validate token"))
}

// ExpireTokens ends all tokens: the services answer 401 until the next login.
func (c *Cloud) ExpireTokens() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tokens {
		t.expires = time.Time{}
	}
}

func (k *call) issueToken() reply {
	auth := k.readAuth()
	t := &token{issued: k.time(), expires: k.time().Add(k.config.TokenTTL), audit: []string{k.hexID("audit")[:22]}}
	k.identify(auth, t)
	k.scope(auth, t)
	t.id = "gAAAAA" + k.hexID("token") + k.hexID("token")
	k.tokens[t.id] = t
	return jsonReply(201, k.tokenDocument(t)).set("X-Subject-Token", t.id)
}

// readAuth reads the auth object of the request, which has identity and methods.
func (k *call) readAuth() object {
	body, err := decode(k.record.Body)
	if err != nil {
		panic(expecting("valid JSON", "request body"))
	}
	doc, _ := body.(object)
	auth, ok := sub(doc, "auth")
	if !ok {
		panic(expecting("auth", "request body"))
	}
	return auth
}

// sub returns an object within an object.
func sub(o object, key string) (object, bool) {
	v, _ := o.get(key)
	inner, ok := v.(object)
	return inner, ok
}

// text returns a string within an object; "" if there is none.
func text(o object, key string) string {
	v, _ := o.get(key)
	s, _ := v.(string)
	return s
}

// identify finds the user by the methods of the request.
func (k *call) identify(auth object, t *token) {
	identity, _ := sub(auth, "identity")
	list, _ := identity.get("methods")
	methods, _ := list.([]any)
	for _, m := range methods {
		data, _ := sub(identity, bare(m))
		switch m {
		case "password":
			identifyPassword(data, t)
		case "application_credential":
			identifyAppCred(data, t)
		default:
			panic(refuse(401, "Attempted to authenticate with an unsupported method."))
		}
		t.methods = append(t.methods, bare(m))
	}
	if t.user == nil {
		panic(errUnauthorized)
	}
}

// findUser finds a user by id, or by name and domain.
func findUser(data object) *user {
	id, name := text(data, "id"), text(data, "name")
	if id == "" {
		if _, ok := data.get("domain"); !ok {
			panic(expecting("domain", "user"))
		}
		if !inDomain(data) {
			panic(errUnauthorized)
		}
	}
	for _, u := range users {
		if u.id == id || id == "" && u.name == name {
			return u
		}
	}
	panic(errUnauthorized)
}

// inDomain reports whether an object names the only domain.
func inDomain(o object) bool {
	domain, _ := sub(o, "domain")
	id, name := text(domain, "id"), text(domain, "name")
	return (id == "" || id == DomainID) && (name == "" || name == DomainName) && id+name != ""
}

func identifyPassword(data object, t *token) {
	given, ok := sub(data, "user")
	if !ok {
		panic(expecting("user", "None")) // Keystone's own word
	}
	u := findUser(given)
	if text(given, "password") != Password {
		panic(errUnauthorized)
	}
	t.user = u
}

func identifyAppCred(data object, t *token) {
	member := users[1]
	switch id, name := text(data, "id"), text(data, "name"); {
	case id != "" && id != AppCredentialID:
		panic(notFound("Could not find Application Credential: %s.", id))
	case id == "":
		given, _ := sub(data, "user")
		if findUser(given) != member || name != AppCredentialName {
			panic(errUnauthorized)
		}
	}
	if text(data, "secret") != AppCredentialSecret {
		panic(errUnauthorized)
	}
	t.user, t.project, t.appCred = member, &member.project, true
}

// scope sets the project of the token, if the request names one; the users have no default project.
func (k *call) scope(auth object, t *token) {
	scope, ok := sub(auth, "scope")
	if !ok || t.appCred {
		return
	}
	given, _ := sub(scope, "project") // no user has a role in a domain, or in the system
	id, name := text(given, "id"), text(given, "name")
	if name != "" && !inDomain(given) {
		panic(errUnauthorized)
	}
	p := t.user.project
	if name != "" && name != p.name || name == "" && id != p.id {
		panic(errUnauthorized) // it belongs to another user, or to nobody
	}
	t.project = &t.user.project
}

// tokenDocument is Keystone's description of a token.
func (k *call) tokenDocument(t *token) object {
	// Keystone writes fractions of a second, which are always zero.
	stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }
	domain := object{{"id", DomainID}, {"name", DomainName}}
	doc := object{
		{"methods", t.methods},
		{"user", object{{"domain", domain}, {"id", t.user.id}, {"name", t.user.name}, {"password_expires_at", nil}}},
		{"audit_ids", t.audit}, {"expires_at", stamp(t.expires)}, {"issued_at", stamp(t.issued)},
	}
	if t.project == nil {
		return object{{"token", doc}} // an unscoped token has no catalogue
	}
	doc = append(doc,
		field{"project", object{{"domain", domain}, {"id", t.project.id}, {"name", t.project.name}}},
		field{"is_domain", false}, field{"roles", t.user.roles()}, field{"catalog", k.catalog(t)})
	if t.appCred {
		doc = append(doc, field{"application_credential", object{
			{"id", AppCredentialID}, {"name", AppCredentialName}, {"restricted", true},
		}})
	}
	return object{{"token", doc}}
}

// subjectToken is the token that a request is about.
func (k *call) subjectToken() *token {
	k.authenticate()
	id := k.header.Get("X-Subject-Token")
	if id == "" {
		panic(notAllowed("identity:validate_token"))
	}
	t := k.givenToken(id)
	if t.user != k.token.user && !k.token.admin() {
		panic(notAllowed("identity:validate_token"))
	}
	return t
}

func (k *call) validateToken(t *token) reply {
	return jsonReply(200, k.tokenDocument(t)).set("X-Subject-Token", t.id)
}

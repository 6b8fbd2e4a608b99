package fakecloud

import "time"

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

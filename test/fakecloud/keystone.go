package fakecloud

import (
	"net/http"
	"slices"
)

var errUnauthorized = refuse(401, "The request you have made requires authentication.")

// expecting is Keystone's error about a missing part of a body.
func expecting(attribute, target string) *refusal {
	return refuse(400, "Expecting to find %s in %s. The server could not comply with the request since it is either "+
		"malformed or otherwise incorrect. The client is assumed to be in error.", attribute, target)
}

func notAllowed(action string) *refusal {
	return refuse(403, "You are not authorized to perform the requested action: %s.", action)
}

var keystoneRoutes = []route{
	{"GET", "/", 0, (*call).identityVersion},
	{"POST", "/auth/tokens", 0, (*call).issueToken},
	{"GET", "/auth/tokens", 0, of((*call).subjectToken, (*call).validateToken)},
	{"GET", "/regions", 0, (*call).listRegions},
}

func (k *call) serveKeystone() reply {
	rep := k.askKeystone()
	rep.header.Set("Vary", "X-Auth-Token")
	rep.header.Set("X-Openstack-Request-Id", "req-"+k.uuid("request"))
	if rep.status == http.StatusUnauthorized {
		rep.header.Set("Www-Authenticate", `Keystone uri="`+k.identityURL()+`"`)
	}
	return rep
}

func (k *call) askKeystone() reply {
	parts := k.parts[1:]
	if len(parts) == 0 {
		parts = []string{""}
	}
	r := k.find(keystoneRoutes, parts)
	if k.parts[0] != "v3" || r == nil {
		return k.nowhere()
	}
	return refusable(func() reply { return r.serve(k) },
		func(e *refusal) reply { return jsonReply(e.status, keystoneFault(e.status, e.message)) })
}

func keystoneFault(status int, message string) object {
	return object{{"error", object{{"code", status}, {"message", message}, {"title", http.StatusText(status)}}}}
}

func (k *call) identityURL() string { return k.base + "/identity/v3" }

func (k *call) identityDocument() object {
	return object{
		{"id", "v3.14"}, {"status", "stable"}, {"updated", "2020-04-07T00:00:00Z"},
		{"links", []object{{{"rel", "self"}, {"href", k.identityURL() + "/"}}}},
		{"media-types", []object{{
			{"base", "application/json"},
			{"type", "application/vnd.openstack.identity-v3+json"},
		}}},
	}
}

func (k *call) identityVersion() reply {
	return jsonReply(200, object{{"version", k.identityDocument()}})
}

// authenticate finds the token of the request, for calls that need one.
func (k *call) authenticate() {
	if k.token = k.validToken(k.record.Token); k.token == nil {
		panic(errUnauthorized)
	}
}

func (k *call) regionDocument(name string) object {
	return object{
		{"id", name}, {"description", ""}, {"parent_region_id", nil},
		{"links", object{{"self", k.identityURL() + "/regions/" + name}}},
	}
}

// listRegions is open to every user.
func (k *call) listRegions() reply {
	k.authenticate()
	list := documents(slices.Sorted(slices.Values(k.known)), k.regionDocument)
	return jsonReply(200, object{
		{"regions", list},
		{"links", object{{"next", nil}, {"self", k.identityURL() + "/regions"}, {"previous", nil}}},
	})
}

// AddRegion makes a region known to Keystone. It has no compute service.
func (c *Cloud) AddRegion(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = append(c.known, name)
}

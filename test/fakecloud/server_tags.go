package fakecloud

import "slices"

// taggedServer finds the server of the request. Unlike elsewhere, a server of another project is forbidden.
func (k *call) taggedServer(action string) *server {
	k.region.settle(k.Cloud)
	k.mapped()
	s := k.region.servers.byID[k.vars[0]]
	switch {
	case !k.token.admin() && s.ProjectID != k.token.projectID():
		panic(denied("os_compute_api:os-server-tags:" + action))
	case s.deleted:
		panic(notFound("Instance %s could not be found.", s.ID))
	case s.host.cellDown():
		panic(unexpected("oslo_db.exception.DBConnectionError"))
	}
	return s
}

func (k *call) listTags() reply {
	return jsonReply(200, object{{"tags", k.taggedServer("index").Tags}})
}

var tagsBody = wrapped("tags", tagListSchema)

// replaceTags sorts the tags, as the database does. A lock does not matter.
func (k *call) replaceTags(doc object) reply {
	s := k.taggedServer("update_all")
	s.inState("update tags", "active", "paused", "suspended", "stopped")
	tags := stringList(doc, "tags")
	slices.Sort(tags)
	s.Tags = slices.Compact(tags)
	return jsonReply(200, object{{"tags", s.Tags}})
}

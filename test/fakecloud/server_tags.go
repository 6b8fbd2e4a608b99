package fakecloud

import "slices"

// taggedServer finds the server of the request. Unlike elsewhere, a server of another project is forbidden.
func (k *call) taggedServer(action string) (*server, error) {
	k.region.settle(k.Cloud)
	if err := k.mapped(); err != nil {
		return nil, err
	}
	s := k.region.servers.byID[k.vars[0]]
	switch {
	case !k.token.admin() && s.ProjectID != k.token.projectID():
		return nil, denied("os_compute_api:os-server-tags:" + action)
	case s.deleted:
		return nil, notFound("Instance %s could not be found.", s.ID)
	case s.host.cellDown():
		return nil, unexpected("oslo_db.exception.DBConnectionError")
	}
	return s, nil
}

func (k *call) listTags() (reply, error) {
	s, err := k.taggedServer("index")
	if err != nil {
		return reply{}, err
	}
	return jsonReply(200, object{{"tags", s.Tags}}), nil
}

var tagsBody = wrapped("tags", tagListSchema)

// replaceTags sorts the tags, as the database does. A lock does not matter.
func (k *call) replaceTags(doc object) (reply, error) {
	s, err := k.taggedServer("update_all")
	if err == nil {
		err = s.inState("update tags", "active", "paused", "suspended", "stopped")
	}
	if err != nil {
		return reply{}, err
	}
	tags := stringList(doc, "tags")
	slices.Sort(tags)
	s.Tags = slices.Compact(tags)
	return jsonReply(200, object{{"tags", s.Tags}}), nil
}

package fakecloud

import (
	"net/http"
	"slices"
)

// maxTags is the most tags that a server may have.
const maxTags = 50

// taggedServer finds the server of the request. Other than elsewhere, that of
// another project is forbidden.
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

// changeTags finds the server for a change. A lock does not matter.
func (k *call) changeTags(action, doing string) (*server, error) {
	s, err := k.taggedServer(action)
	if err == nil {
		err = s.inState(doing, "active", "paused", "suspended", "stopped")
	}
	return s, err
}

// setTags sorts, as the data base does.
func (s *server) setTags(tags []string) {
	tags = slices.Clone(tags)
	slices.Sort(tags)
	s.Tags = slices.Compact(tags)
}

func tagsReply(s *server) reply {
	return jsonReply(200, object{{"tags", append([]string{}, s.Tags...)}})
}

func (k *call) listTags() (reply, error) {
	s, err := k.taggedServer("index")
	if err != nil {
		return reply{}, err
	}
	return tagsReply(s), nil
}

var tagsBody = &schema{
	types:  jsonObject,
	closed: true,
	props:  []prop{{name: "tags", schema: tagListSchema, required: true}},
}

func (k *call) replaceTags() (reply, error) {
	doc, err := k.body(tagsBody)
	if err != nil {
		return reply{}, err
	}
	s, err := k.changeTags("update_all", "update tags")
	if err != nil {
		return reply{}, err
	}
	s.setTags(stringList(doc, "tags"))
	return tagsReply(s), nil
}

func (k *call) deleteTags() (reply, error) {
	s, err := k.changeTags("delete_all", "delete tags")
	if err != nil {
		return reply{}, err
	}
	s.Tags = nil
	return empty(204), nil
}

func (k *call) showTag() (reply, error) {
	s, err := k.taggedServer("show")
	if err != nil {
		return reply{}, err
	}
	if !slices.Contains(s.Tags, k.vars[1]) {
		return reply{}, notFound("Server %s has no tag '%s'", s.ID, k.vars[1])
	}
	return empty(204), nil
}

func (k *call) addTag() (reply, error) {
	if _, err := k.body(&schema{types: []string{"null"}}); err != nil {
		return reply{}, err
	}
	s, err := k.changeTags("update", "update tag")
	if err != nil {
		return reply{}, err
	}
	tag := k.vars[1]
	if bad := tagSchema.check(tag, k.minor); bad != nil {
		return reply{}, badRequest(
			"Tag '%s' is invalid. It must be a non empty string without characters '/' and ','. "+
				"Validation error message: %s",
			tag,
			bad.message,
		)
	}
	rep := reply{status: http.StatusNoContent, header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}}
	switch {
	case len(s.Tags) >= maxTags:
		return reply{}, badRequest("The number of tags exceeded the per-server limit %d", maxTags)
	case slices.Contains(s.Tags, tag):
		return rep, nil
	}
	s.setTags(append(s.Tags, tag))
	rep.status = http.StatusCreated
	return rep.set("Location", k.selfURL()+"servers/"+s.ID+"/tags/"+tag), nil
}

func (k *call) deleteTag() (reply, error) {
	s, err := k.changeTags("delete", "delete tag")
	if err != nil {
		return reply{}, err
	}
	i := slices.Index(s.Tags, k.vars[1])
	if i < 0 {
		return reply{}, notFound("Instance %s has no tag '%s'", s.ID, k.vars[1])
	}
	s.Tags = slices.Delete(slices.Clone(s.Tags), i, i+1)
	return empty(204), nil
}

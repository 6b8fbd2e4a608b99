package fakecloud

import "slices"

// mappedServer finds the server of the request, and first asks whether a cell has ever had it.
func (k *call) mappedServer() *server {
	k.mapped()
	return k.reachServer()
}

func (k *call) listTags(s *server) reply {
	return jsonReply(200, object{{"tags", s.Tags}})
}

var tagsBody = wrapped("tags", tagListSchema)

// replaceTags sorts the tags, as the database does. A lock does not matter.
func (k *call) replaceTags(doc object) reply {
	s := k.mappedServer()
	s.inState("update tags", "active", "paused", "suspended", "stopped")
	tags := stringList(doc, "tags")
	slices.Sort(tags)
	s.Tags = slices.Compact(tags)
	return k.listTags(s)
}

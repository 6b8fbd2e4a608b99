package fakecloud

import (
	"maps"
	"slices"
)

var (
	metadataBody = wrapped("metadata", metadataSchema)
	metaBody     = wrapped("meta", metadataSchema)
)

// editable refuses changes of the metadata of a server that is locked or in another state.
func (k *call) editable(s *server, action string) {
	k.locked(s)
	s.inState(action, "active", "paused", "suspended", "stopped")
}

// setAll replaces the metadata of a server.
func (k *call) setAll(s *server, metadata map[string]string) {
	k.editable(s, "update metadata")
	if limit := k.quota("metadata_items", s.ProjectID); limit >= 0 && len(metadata) > limit {
		panic(forbidden("Maximum number of metadata items exceeds %d", limit))
	}
	s.Metadata, s.updated = metadata, k.time()
}

// merge adds metadata to a copy of the server's metadata, because servers that were added in bulk may share one map.
func (s *server) merge(more map[string]string) map[string]string {
	all := maps.Clone(s.Metadata)
	if all == nil {
		return more
	}
	maps.Copy(all, more)
	return all
}

func (k *call) listMetadata(s *server) reply {
	return jsonReply(200, object{{"metadata", s.Metadata}})
}

func (k *call) addMetadata(doc object) reply {
	s := k.reachServer()
	k.setAll(s, s.merge(stringMap(doc, "metadata")))
	return k.listMetadata(s)
}

func (k *call) setMetadata(doc object) reply {
	s := k.reachServer()
	meta := stringMap(doc, "meta")
	if _, ok := meta[k.vars[1]]; !ok {
		panic(badRequest("Request body and URI mismatch"))
	}
	k.setAll(s, s.merge(meta))
	return jsonReply(200, object{{"meta", meta}})
}

func (k *call) deleteMetadata(s *server) reply {
	if _, ok := s.Metadata[k.vars[1]]; !ok {
		panic(notFound("Metadata item was not found"))
	}
	k.editable(s, "delete metadata")
	s.Metadata = s.merge(nil)
	delete(s.Metadata, k.vars[1])
	s.updated = k.time()
	return empty(204)
}

// mappedServer finds the server of the request, and first asks whether a cell has ever had it.
func (k *call) mappedServer() *server {
	k.mapped()
	return k.reachServer()
}

func (k *call) listTags(s *server) reply {
	return jsonReply(200, object{{"tags", s.Tags}})
}

var tagsBody = wrapped("tags", listOf(tagSchema))

// replaceTags sorts the tags, as the database does. A lock does not matter.
func (k *call) replaceTags(doc object) reply {
	s := k.mappedServer()
	s.inState("update tags", "active", "paused", "suspended", "stopped")
	tags := stringList(doc, "tags")
	slices.Sort(tags)
	s.Tags = slices.Compact(tags)
	return k.listTags(s)
}

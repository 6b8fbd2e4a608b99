package fakecloud

import "maps"

var (
	metadataBody = wrapped("metadata", metadataSchema)
	metaBody     = wrapped("meta", &schema{
		types: jsonObject, keys: metadataKeys, others: metadataSchema.others, closed: true, minSize: 1, maxSize: 1,
	})
)

// editable refuses changes of the metadata of a server that is locked or in another state.
func (k *call) editable(s *server, action string) error {
	if err := k.locked(s); err != nil {
		return err
	}
	return s.inState(action, "active", "paused", "suspended", "stopped")
}

// setAll replaces the metadata of a server.
func (k *call) setAll(s *server, metadata map[string]string) error {
	if err := k.editable(s, "update metadata"); err != nil {
		return err
	}
	if limit := k.quota("metadata_items", s.ProjectID); limit >= 0 && len(metadata) > limit {
		return forbidden("Maximum number of metadata items exceeds %d", limit)
	}
	s.Metadata, s.updated = metadata, k.time()
	return nil
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

func (k *call) listMetadata(s *server) (reply, error) {
	return jsonReply(200, object{{"metadata", s.Metadata}}), nil
}

func (k *call) addMetadata(doc object) (reply, error) {
	s, err := k.reachServer()
	if err == nil {
		err = k.setAll(s, s.merge(stringMap(doc, "metadata")))
	}
	if err != nil {
		return reply{}, err
	}
	return k.listMetadata(s)
}

func (k *call) setMetadata(doc object) (reply, error) {
	s, err := k.reachServer()
	if err != nil {
		return reply{}, err
	}
	meta := stringMap(doc, "meta")
	if _, ok := meta[k.vars[1]]; !ok {
		return reply{}, badRequest("Request body and URI mismatch")
	}
	if err := k.setAll(s, s.merge(meta)); err != nil {
		return reply{}, err
	}
	return jsonReply(200, object{{"meta", meta}}), nil
}

func (k *call) deleteMetadata(s *server) (reply, error) {
	if _, ok := s.Metadata[k.vars[1]]; !ok {
		return reply{}, notFound("Metadata item was not found")
	}
	if err := k.editable(s, "delete metadata"); err != nil {
		return reply{}, err
	}
	s.Metadata = s.merge(nil)
	delete(s.Metadata, k.vars[1])
	s.updated = k.time()
	return empty(204), nil
}

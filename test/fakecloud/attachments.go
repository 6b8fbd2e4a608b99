package fakecloud

import "slices"

// Volumes of servers, as in Nova up to microversion 2.88.

// volumesOf lists the volumes of a server, in the order in which they were attached.
func (r *region) volumesOf(s *server) (list []*volume) {
	for _, v := range r.volumes {
		if v.server == s {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b *volume) int { return a.updated.Compare(b.updated) })
	return list
}

// free detaches volumes and ports from a server that ends.
func (r *region) free(c *Cloud, s *server) {
	for _, v := range r.volumesOf(s) {
		v.server, v.status, v.next, v.updated = nil, "available", "", c.time()
	}
	if s.port != nil {
		s.port.server, s.port = nil, nil
	}
}

// attachmentDocument is an attachment in the form of the microversion.
func (k *call) attachmentDocument(v *volume) object {
	doc := object{{"id", v.id}, {"volumeId", v.id}, {"serverId", v.server.ID}, {"device", v.device}}
	if k.minor >= 70 {
		doc = append(doc, field{"tag", nil})
	}
	if k.minor >= 79 {
		doc = append(doc, field{"delete_on_termination", false})
	}
	return doc
}

// attached finds the volume of the request, which the server has.
func (k *call) attached() *volume {
	s, v := k.reachServer(), k.volume(k.vars[1])
	if v == nil && k.record.Method != "GET" {
		panic(noVolume(k.vars[1]))
	}
	if v == nil || v.server != s {
		panic(notFound("Instance %s is not attached to volume %s", s.ID, k.vars[1]))
	}
	return v
}

var attachSchema = wrapped("volumeAttachment", wrapped("volumeId", uuidSchema))

// States in which a server can get a volume, or lose one.
var takesVolumes = []string{"active", "paused", "stopped", "resized", "soft-delete", "shelved", "shelved_offloaded"}

func (k *call) attachVolume(doc object) reply {
	s := k.reachServer()
	given, _ := sub(doc, "volumeAttachment")
	id := text(given, "volumeId")
	v := k.volume(id)
	if v == nil {
		panic(noVolume(id))
	}
	k.idle(s, "attach_volume", takesVolumes...)
	switch {
	case v.server != nil:
		panic(badRequest("Invalid volume: volume %s is already attached to instances: %s", v.id, v.server.ID))
	case v.status != "available":
		panic(badRequest("Invalid volume: volume '%s' status must be 'available'. Currently in '%s' "+
			"status.", v.id, v.status))
	}
	v.device = "/dev/sd" + string(rune('b'+len(k.region.volumesOf(s))))
	v.server, v.attachment = s, k.uuid("attachment/"+k.region.name)
	v.begin(k, "reserved", "in-use")
	return jsonReply(200, object{{"volumeAttachment", k.attachmentDocument(v)}})
}

func (k *call) detachVolume(v *volume) reply {
	k.idle(v.server, "detach_volume", takesVolumes...)
	if v.status != "in-use" {
		panic(badRequest("Invalid volume: Invalid input received: Invalid volume: Unable to detach volume. " +
			"Volume status must be 'in-use' and attach_status must be 'attached' to detach."))
	}
	v.begin(k, "detaching", "available")
	return empty(202)
}

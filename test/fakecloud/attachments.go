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
func (k *call) attached() (*volume, error) {
	s, err := k.reachServer()
	if err != nil {
		return nil, err
	}
	v, err := k.volume(k.vars[1])
	if err != nil && k.record.Method != "GET" {
		return nil, err
	}
	if err != nil || v.server != s {
		return nil, notFound("Instance %s is not attached to volume %s", s.ID, k.vars[1])
	}
	return v, nil
}

func (k *call) showAttachment(v *volume) (reply, error) {
	return jsonReply(200, object{{"volumeAttachment", k.attachmentDocument(v)}}), nil
}

var attachSchema = wrapped("volumeAttachment", wrapped("volumeId", uuidSchema))

// States in which a server can get a volume, or lose one.
var takesVolumes = []string{"active", "paused", "stopped", "resized", "soft-delete", "shelved", "shelved_offloaded"}

func (k *call) attachVolume(doc object) (reply, error) {
	s, err := k.reachServer()
	if err != nil {
		return reply{}, err
	}
	given, _ := sub(doc, "volumeAttachment")
	v, err := k.volume(text(given, "volumeId"))
	if err == nil {
		err = k.idle(s, "attach_volume", takesVolumes...)
	}
	switch {
	case err != nil:
		return reply{}, err
	case v.server != nil:
		return reply{}, badRequest("Invalid volume: volume %s is already attached to instances: %s", v.id, v.server.ID)
	case v.status != "available":
		return reply{}, badRequest("Invalid volume: volume '%s' status must be 'available'. Currently in '%s' "+
			"status.", v.id, v.status)
	}
	v.device = "/dev/sd" + string(rune('b'+len(k.region.volumesOf(s))))
	v.server, v.attachment = s, k.uuid("attachment/"+k.region.name)
	v.begin(k, "reserved", "in-use")
	return jsonReply(200, object{{"volumeAttachment", k.attachmentDocument(v)}}), nil
}

func (k *call) detachVolume(v *volume) (reply, error) {
	if err := k.idle(v.server, "detach_volume", takesVolumes...); err != nil {
		return reply{}, err
	}
	if v.status != "in-use" {
		return reply{}, badRequest("Invalid volume: Invalid input received: Invalid volume: Unable to detach volume. " +
			"Volume status must be 'in-use' and attach_status must be 'attached' to detach.")
	}
	v.begin(k, "detaching", "available")
	return empty(202), nil
}

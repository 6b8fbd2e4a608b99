package fakecloud

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// This file has the part of Cinder that terraform-provider-openstack uses for a volume of a server: volumes are made,
// shown, extended and deleted. They hold no data.

// volume is a volume. The next look ends its work.
type volume struct {
	id, name, project, user, zone string

	size             int
	status           string
	next             string // status after the work under way; "" without work
	created, updated time.Time

	server     *server // server that has it, or will have it; may be nil
	device     string
	attachment string // id
	root, ends bool   // reports whether its server boots from it, and whether it ends with the server
}

var cinderRoutes = []route{
	{"POST", "/volumes", 0, of(body(volumeSchema), (*call).createVolume)},
	{"GET", "/volumes/detail", 0, (*call).listVolumes},
	{"GET", "/volumes/{}", 0, show("volume", (*call).findVolume, (*call).volumeDocument)},
	{"PUT", "/volumes/{}", 0, of((*call).findVolume, (*call).renameVolume)},
	{"DELETE", "/volumes/{}", 0, of((*call).findVolume, (*call).deleteVolume)},
	{"POST", "/volumes/{}/action", 0, of((*call).findVolume, (*call).extendVolume)},
}

// cinderReply words errors as Cinder does.
func cinderReply(e *refusal) reply { return jsonReply(e.status, novaFault(e.status, e.message, 0)) }

func (k *call) volumeURL() string {
	return k.base + "/" + BlockStorage + "/" + k.region.name + "/v3/"
}

// begin starts work on a volume.
func (v *volume) begin(k *call, now, next string) {
	v.status, v.next, v.updated = now, next, k.tick()
}

// look ends work whose time has come.
func (v *volume) look(k *call) {
	if v.next == "" {
		return
	}
	v.status, v.next, v.updated = v.next, "", k.time()
	switch v.status {
	case "available":
		v.server = nil
	case "deleted":
		k.region.volumes = slices.DeleteFunc(k.region.volumes, func(o *volume) bool { return o == v })
	}
}

// findVolume finds the volume of the request.
func (k *call) findVolume() *volume {
	if v := k.volume(k.vars[0]); v != nil {
		return v
	}
	panic(noVolume(k.vars[0]))
}

func noVolume(id string) *refusal { return notFound("Volume %s could not be found.", id) }

// volume finds a volume of the user; nil if there is none.
func (k *call) volume(id string) *volume {
	for _, v := range slices.Clone(k.region.volumes) {
		if v.id == id && (k.token.admin() || v.project == k.token.projectID()) {
			if v.look(k); v.status != "deleted" {
				return v
			}
		}
	}
	return nil
}

func (k *call) volumeDocument(v *volume) object {
	attached := []object{}
	if v.server != nil && v.status != "reserved" {
		attached = append(attached, object{
			{"id", v.id}, {"attachment_id", v.attachment}, {"volume_id", v.id}, {"server_id", v.server.ID},
			{"host_name", nil}, {"device", v.device}, {"attached_at", microTime(v.updated)},
		})
	}
	return object{
		{"id", v.id}, {"status", v.status}, {"size", v.size}, {"availability_zone", v.zone},
		{"created_at", microTime(v.created)}, {"updated_at", microTime(v.updated)}, {"name", v.name},
		{"description", nil}, {"volume_type", defaultType}, {"snapshot_id", nil}, {"source_volid", nil},
		{"metadata", object{}},
		{"links", []object{{{"rel", "self"}, {"href", k.volumeURL() +
			"volumes/" + v.id}}}},
		{"user_id", v.user}, {"bootable", strconv.FormatBool(v.root)}, {"encrypted", false},
		{"replication_status", nil},
		{"consistencygroup_id", nil}, {"multiattach", false}, {"attachments", attached},
		{"os-vol-tenant-attr:tenant_id", v.project},
	}
}

// listVolumes lists the newest volume first, on one page. A query for a name leaves the others out.
func (k *call) listVolumes() reply {
	list, names := []object{}, k.record.Query["name"]
	for _, v := range slices.Backward(slices.Clone(k.region.volumes)) {
		if v.project == k.token.projectID() && (names == nil || slices.Contains(names, v.name)) {
			if v.look(k); v.status != "deleted" {
				list = append(list, k.volumeDocument(v))
			}
		}
	}
	return jsonReply(200, object{{"volumes", list}})
}

// defaultType is the only type of volumes.
const defaultType = "__DEFAULT__"

var volumeSchema = wrapped("volume", closed(
	prop{name: "name", schema: plain(`.{0,255}`)},
	prop{name: "size", schema: positive},
	prop{name: "availability_zone", schema: nameSchema},
	prop{name: "volume_type", schema: nameSchema},
))

func (k *call) createVolume(doc object) reply {
	given, _ := sub(doc, "volume")
	v := &volume{
		name:    text(given, "name"),
		zone:    text(given, "availability_zone"),
		project: k.token.projectID(),
		user:    k.token.user.id,
	}
	size, ok := given.get("size")
	if !ok {
		panic(badRequest("The server could not comply with the request since it is either malformed or " +
			"otherwise incorrect."))
	}
	v.size, _ = strconv.Atoi(bare(size)) // the schema has checked it
	zones := k.region.volumeZones
	for _, z := range k.region.zones {
		if k.region.volumeZones == nil {
			zones = append(zones, z.name)
		}
	}
	v.zone = cmp.Or(v.zone, k.region.volumeZone())
	if kind := text(given, "volume_type"); kind != "" && kind != defaultType {
		panic(notFound("Volume type with name %s could not be found.", kind))
	}
	if !slices.Contains(zones, v.zone) {
		panic(badRequest("Availability zone '%s' is invalid.", v.zone))
	}
	v.id = k.uuid("volume/" + k.region.name)
	v.begin(k, "creating", "available")
	v.created = v.updated
	k.region.volumes = append(k.region.volumes, v)
	return jsonReply(202, object{{"volume", k.volumeDocument(v)}})
}

func (k *call) deleteVolume(v *volume) reply {
	if v.status != "available" {
		panic(badRequest("Invalid volume: Volume status must be available or error or error_restoring or " +
			"error_extending or error_managing and must not be migrating, attached, belong to a group, have " +
			"snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer."))
	}
	v.begin(k, "deleting", "deleted")
	return empty(202)
}

var renameSchema = wrapped("volume", closed(
	prop{name: "name", schema: plain(`.{0,255}`)}, prop{name: "description", schema: plain(`.{0,255}`)}))

// renameVolume takes a name. No description is kept.
func (k *call) renameVolume(v *volume) reply {
	given, _ := sub(k.body(renameSchema), "volume")
	v.name = text(given, "name")
	return jsonReply(200, object{{"volume", k.volumeDocument(v)}})
}

var extendSchema = wrapped("os-extend", wrapped("new_size", positive))

// extendVolume makes a volume larger. A volume in use needs version 3.42.
func (k *call) extendVolume(v *volume) reply {
	given, _ := sub(k.body(extendSchema), "os-extend")
	asked, _ := given.get("new_size")
	size, _ := strconv.Atoi(bare(asked)) // the schema has checked it
	expected := "available"
	if k.header.Get("OpenStack-API-Version") == "volume 3.42" && v.status == "in-use" {
		expected = v.status
	}
	switch {
	case size <= v.size:
		panic(badRequest("Invalid input received: New size for extend must be greater than current size. "+
			"(current: %d, extended: %d).", v.size, size))
	case v.status != expected:
		panic(badRequest("Invalid volume: Volume %s status must be '{'status': '%s'}' to extend, currently %s.", v.id,
			expected, v.status))
	}
	v.size = size
	v.begin(k, "extending", v.status)
	return empty(202)
}

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

// bootVolume makes a volume together with a server.
func (k *call) bootVolume(s *server, d device) {
	v := &volume{
		id: k.uuid("volume/" + k.region.name), zone: cmp.Or(s.asked, k.region.volumeZone()), project: s.ProjectID,
		user: s.UserID, size: d.size, status: "in-use", created: k.tick(), server: s, root: d.root, ends: d.ends,
		device:     "/dev/sd" + string(rune('a'+len(k.region.volumesOf(s)))),
		attachment: k.uuid("attachment/" + k.region.name),
	}
	v.updated = v.created
	k.region.volumes = append(k.region.volumes, v)
}

// volumeZone is the zone of a volume that asks for no zone.
func (r *region) volumeZone() string {
	if r.volumeZones != nil {
		return r.volumeZones[0]
	}
	return r.zones[0].name
}

// free detaches volumes and ports from a server that ends, and ends those that Nova made for it.
func (r *region) free(c *Cloud, s *server) {
	for _, v := range r.volumesOf(s) {
		v.server, v.status, v.next, v.updated = nil, "available", "", c.time()
		if v.ends {
			r.volumes = slices.DeleteFunc(r.volumes, func(o *volume) bool { return o == v })
		}
	}
	for _, p := range s.ports {
		if p.server = nil; p.nova {
			r.dropPort(p)
		}
	}
	s.ports = nil
}

// attachmentDocument is an attachment, as Nova has it before 2.70.
func (k *call) attachmentDocument(v *volume) object {
	return object{{"id", v.id}, {"volumeId", v.id}, {"serverId", v.server.ID}, {"device", v.device}}
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
	if v.server != nil {
		panic(badRequest("Invalid volume: volume %s is already attached to instances: %s", v.id, v.server.ID))
	}
	if k.config.SameZoneAttach && s.Zone != v.zone {
		panic(badRequest("Invalid volume: Instance %s and volume %s are not in the same availability_zone. Instance "+
			"is in %s. Volume is in %s", s.ID, v.id, s.Zone, v.zone))
	}
	v.device = "/dev/sd" + string(rune('b'+len(k.region.volumesOf(s))))
	v.server, v.attachment = s, k.uuid("attachment/"+k.region.name)
	v.begin(k, "reserved", "in-use")
	return jsonReply(200, object{{"volumeAttachment", k.attachmentDocument(v)}})
}

func (k *call) detachVolume(v *volume) reply {
	k.idle(v.server, "detach_volume", takesVolumes...)
	v.begin(k, "detaching", "available")
	return empty(202)
}

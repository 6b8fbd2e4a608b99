package fakecloud

// Changes of an existing server, other than starting and stopping it.

// idle checks that a server is not locked, has one of the states, and has no task.
func (k *call) idle(s *server, action string, states ...string) {
	k.locked(s)
	s.inState(action, states...)
	if s.TaskState != "" {
		panic(conflict("Cannot '%s' instance %s while it is in task_state %s", action, s.ID, s.TaskState))
	}
}

// task starts a task. The function done applies its result.
func (k *call) task(s *server, name string, done func(*region, *server)) {
	s.TaskState, s.updated = name, k.time()
	k.region.later(k.Cloud, s, k.config.PowerTime, func(r *region, s *server) {
		s.TaskState, s.updated = "", k.time()
		done(r, s)
	})
}

// move finds another host for a server, or returns nil.
func (r *region) move(s *server, zone string, avoid *host) *host {
	h, _ := r.choose(&order{zone: zone, group: s.group, moved: s, avoid: avoid})
	return h
}

var rebuildSchema = wrapped("rebuild",
	&schema{open: true, props: []prop{{name: "imageRef", required: true, schema: uuidSchema}}})

// rebuildServer gives a server another image. Its id, its host and its addresses stay, and its disk is lost. The
// image changes at once.
func (k *call) rebuildServer(s *server, value any) {
	image := text(value.(object), "imageRef")
	if !k.image(image).active() {
		panic(badRequest("Cannot find image for rebuild"))
	}
	s.ImageID, s.Fault = image, ""
	k.task(s, "rebuilding", func(_ *region, s *server) { s.launched = k.tick() })
}

// rebuildReply is the server and its new password.
func (k *call) rebuildReply(s *server) reply {
	rep := k.serverReply(s, field{"adminPass", k.hexID("password")[:12]})
	rep.status = 202
	return rep.set("Location", k.selfURL()+"servers/"+s.ID)
}

var resizeSchema = wrapped("resize",
	&schema{open: true, props: []prop{{name: "flavorRef", required: true, schema: plain(`.+`)}}})

// resizeServer gives a server another flavor, on any host with room. The server is in VERIFY_RESIZE until the resize
// is confirmed or reverted. Without a host it does not change, without an error.
func (k *call) resizeServer(s *server, value any) {
	ref, _ := value.(object).get("flavorRef")
	wanted := k.findFlavor(bare(ref))
	switch wanted {
	case nil:
		panic(badRequest("Flavor %s could not be found.", bare(ref)))
	case s.flavor:
		panic(badRequest("When resizing, instances must change flavor!"))
	}
	if wanted.Disk == 0 && s.flavor.Disk != 0 && s.ImageID != "" {
		panic(badRequest("Server disk was unable to be resized because: Resize to zero disk flavor is not allowed."))
	}
	more := &Flavor{VCPUs: max(0, wanted.VCPUs-s.flavor.VCPUs), RAM: max(0, wanted.RAM-s.flavor.RAM)}
	k.checkQuota(s.ProjectID, 0, more)
	k.task(s, "resize_prep", func(r *region, s *server) {
		h := r.move(s, s.asked, nil)
		if h == nil {
			return
		}
		s.before = &shape{s.flavor, s.host, s.vmState}
		s.vmState, s.launched = "resized", k.tick()
		r.reshape(s, wanted, h)
	})
}

// reshape gives a server a flavor and a host.
func (r *region) reshape(s *server, f *Flavor, h *host) {
	r.count(s, -1)
	s.flavor, s.Flavor = f, f.ID
	r.count(s, +1)
	r.place(s, h)
}

func (k *call) confirmResize(s *server, _ any) {
	k.task(s, "", func(_ *region, s *server) { s.vmState, s.before = s.before.vmState, nil })
}

func (k *call) revertResize(s *server, _ any) {
	k.task(s, "resize_reverting", func(r *region, s *server) {
		r.reshape(s, s.before.flavor, s.before.host)
		s.vmState, s.before, s.launched = s.before.vmState, nil, k.tick()
	})
}

// shelveServer takes a server from its host at once, as Nova does with a shelved_offload_time of 0. It makes no image
// of it.
func (k *call) shelveServer(s *server, _ any) {
	k.task(s, "shelving", func(r *region, s *server) {
		s.vmState, s.Zone = "shelved_offloaded", ""
		r.place(s, nil)
	})
}

// unshelveServer brings a server back, from 2.77 on into a chosen zone. Without a host it stays shelved.
func (k *call) unshelveServer(s *server, value any) {
	given, _ := value.(object)
	if zone := text(given, "availability_zone"); zone != "" && k.minor >= 77 {
		if !k.region.available()[zone] {
			panic(badRequest("The requested availability zone is not available"))
		}
		s.asked = zone
	}
	k.task(s, "unshelving", func(r *region, s *server) {
		if h := r.move(s, s.asked, nil); h != nil {
			s.vmState, s.launched = "active", k.tick()
			r.place(s, h)
		}
	})
}

// migrateServer moves a running server to another host: to the named one, or to one that its zone and its group
// allow. The server stays if there is no such host, or if its requested zone does not allow the named host and
// nothing is forced.
func (k *call) migrateServer(s *server, value any) {
	k.adminOnly("os_compute_api:os-migrate-server:migrate_live")
	doc := value.(object)
	name := text(doc, "host")
	wanted := k.region.host(name)
	if name != "" && wanted == nil {
		panic(badRequest("Compute host %s could not be found.", name))
	}
	k.hosted(s)
	k.idle(s, "os-migrateLive", "active", "paused")
	force, _ := doc.get("force")
	k.task(s, "migrating", func(r *region, s *server) {
		h := wanted
		if h == nil {
			h = r.move(s, s.asked, s.host)
		}
		if h != nil && (force == true || s.asked == "" || s.asked == h.zone.name) {
			r.place(s, h)
		}
	})
}

package fakecloud

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// view decides which fields the servers of an answer have.
type view struct {
	*call
	detail bool
	show   bool // reports whether it is a single server, which has a few more fields
}

// renderPage writes a page of servers; servers that cannot be read come first. Time passes for a caller that waits
// for a server to be built.
func (k *call) renderPage(path string, detail bool, partial, page []*server, more bool) reply {
	v := view{call: k, detail: detail}
	servers := documents(partial, v.partial)
	for _, s := range page {
		servers = append(servers, v.server(s))
	}
	doc := object{{"servers", servers}}
	if more {
		doc = append(doc, field{"servers_links", k.nextLink(path, page[len(page)-1].ID)})
	}
	if slices.ContainsFunc(page, (*server).waiting) {
		k.tick()
	}
	return jsonReply(200, doc)
}

// serverReply writes a single server, with more fields.
func (k *call) serverReply(s *server, more ...field) reply {
	v := view{call: k, detail: true, show: true}
	doc := v.partial(s)
	if !s.host.cellDown() {
		doc = v.server(s)
	}
	if s.waiting() {
		k.tick()
	}
	return jsonReply(200, object{{"server", append(doc, more...)}})
}

// bookmark is the link to an image or a flavor.
func (v view) bookmark(path string) field { return field{"links", v.links(path)[1:]} }

func (v view) image(s *server) any {
	if s.ImageID == "" {
		return ""
	}
	return object{{"id", s.ImageID}, v.bookmark("images/" + s.ImageID)}
}

func (v view) flavor(f *Flavor) object {
	if v.minor < 47 {
		return object{{"id", f.ID}, v.bookmark("flavors/" + f.ID)}
	}
	return object{
		{"vcpus", f.VCPUs}, {"ram", f.RAM}, {"disk", f.Disk}, {"ephemeral", 0}, {"swap", 0}, {"original_name", f.Name},
		{"extra_specs", object{}},
	}
}

func (v view) server(s *server) object {
	links := field{"links", v.links("servers/" + s.ID)}
	if !v.detail {
		return object{{"id", s.ID}, {"name", s.Name}, links}
	}
	host, status := s.Host, s.status()
	if !s.scheduled() {
		host = ""
	}
	doc := append(make(object, 0, 50), object{
		{"id", s.ID}, {"name", s.Name}, {"status", status}, {"tenant_id", s.ProjectID}, {"user_id", s.UserID},
		{"metadata", s.Metadata}, {"hostId", v.region.hostID(s.ProjectID, host)}, {"image", v.image(s)},
		{"flavor", v.flavor(s.flavor)}, {"created", isoTime(s.Created)}, {"updated", isoTime(s.updated)},
		{"addresses", v.addresses(s)}, {"accessIPv4", ""}, {"accessIPv6", ""}, links, {"OS-DCF:diskConfig", "MANUAL"},
	}...)
	// Before 2026.1 Nova shows the fault of a server that was never scheduled only in the answer about this single
	// server.
	if s.Fault != "" && (status == "ERROR" || status == "DELETED") &&
		(v.show || s.Host != "" || v.release.ListsFaults) {
		fault := object{{"code", 500}, {"created", isoTime(s.updated)}, {"message", s.Fault}}
		if v.token.admin() {
			trace := "Traceback (most recent call last):\nnova.exception.NoValidHost: " + s.Fault
			fault = append(fault, field{"details", trace})
		}
		doc = append(doc, field{"fault", fault})
	}
	switch status {
	case "ACTIVE", "BUILD", "REBUILD", "RESIZE", "VERIFY_RESIZE", "MIGRATING":
		doc = append(doc, field{"progress", 0})
	}
	doc = append(doc, v.extensions(s, host)...)
	return append(doc, v.later(s)...)
}

// address is made from the number of the server, unless one is given.
func (s *server) address() string {
	if s.Address != "" {
		return s.Address
	}
	n := s.number + 1
	return fmt.Sprintf("10.9.%d.%d", n>>8&255, n&255)
}

func (s *server) mac() string {
	return fmt.Sprintf("fa:16:3e:00:%02x:%02x", s.number>>8&255, s.number&255)
}

func (v view) addresses(s *server) (list object) {
	if !s.Network || !s.scheduled() && s.vmState != "shelved_offloaded" { // such a server keeps its ports
		return object{}
	}
	ports := s.ports
	if ports == nil {
		ports = []*port{{id: "9" + s.ID[1:], network: networks[0], address: s.address(), mac: s.mac()}}
	}
	for _, p := range ports {
		own := []object{address(p.address, "fixed", p.mac)}
		for _, f := range v.region.floating {
			if f.port == p.id {
				own = append(own, address(f.address, "floating", p.mac))
			}
		}
		name := first(v.networks, func(n *network) bool { return n.id == p.network.id }).name
		if i := slices.IndexFunc(list, func(f field) bool { return f.key == name }); i >= 0 {
			list[i].value = append(list[i].value.([]object), own...)
		} else {
			list = append(list, field{name, own})
		}
	}
	return list
}

func address(addr, kind, mac string) object {
	version := 4
	if strings.Contains(addr, ":") {
		version = 6
	}
	return object{{"version", version}, {"addr", addr}, {"OS-EXT-IPS:type", kind}, {"OS-EXT-IPS-MAC:mac_addr", mac}}
}

// extensions are the fields of former extensions of the API.
func (v view) extensions(s *server, host string) object {
	launched := ""
	if !s.launched.IsZero() {
		launched = microTime(s.launched)
	}
	doc := object{
		{"OS-EXT-AZ:availability_zone", s.shownZone()}, {"config_drive", ""}, {"key_name", orNull(s.keyName)},
		{"OS-SRV-USG:launched_at", orNull(launched)}, {"OS-SRV-USG:terminated_at", nil},
	}
	if v.token.admin() {
		node := host
		if host != "" && s.host != nil {
			node = s.host.hypervisor
		}
		doc = append(doc, field{"OS-EXT-SRV-ATTR:host", orNull(host)},
			field{"OS-EXT-SRV-ATTR:hypervisor_hostname", orNull(node)})
	}
	volumes := documents(v.region.volumesOf(s), func(volume *volume) object {
		if v.minor < 3 {
			return object{{"id", volume.id}}
		}
		return object{{"id", volume.id}, {"delete_on_termination", volume.ends}}
	})
	doc = append(doc, object{
		{"OS-EXT-STS:task_state", orNull(s.TaskState)}, {"OS-EXT-STS:vm_state", s.vmState},
		{"OS-EXT-STS:power_state", s.powerState()}, {"os-extended-volumes:volumes_attached", volumes},
	}...)
	if s.Network && s.scheduled() {
		groups := []object{{{"name", "default"}}}
		if s.rules != nil {
			groups = documents(s.rules, func(name string) object { return object{{"name", name}} })
		}
		if len(groups) > 0 {
			doc = append(doc, field{"security_groups", groups})
		}
	}
	return doc
}

// later are the fields that microversions added.
func (v view) later(s *server) (doc object) {
	for _, f := range []struct {
		since int
		shown bool
		field
	}{
		{9, true, field{"locked", s.LockedBy != ""}},
		{73, true, field{"locked_reason", nil}},
		{19, true, field{"description", orNull(s.Description)}},
		{26, true, field{"tags", s.Tags}},
		{71, v.show, field{"server_groups", s.groups()}},
	} {
		if f.shown && v.minor >= f.since {
			doc = append(doc, f.field)
		}
	}
	return doc
}

func (s *server) groups() []string {
	if s.group == nil {
		return nil
	}
	return []string{s.group.ID}
}

// partial has the fields that 2.69 knows of a server in a cell that is down: they are in the database of the API.
func (v view) partial(s *server) object {
	doc := object{{"id", s.ID}, {"status", "UNKNOWN"}}
	if v.detail {
		doc = append(doc, field{"tenant_id", s.ProjectID}, field{"created", isoTime(s.Created)})
	}
	doc = append(doc, field{"links", v.links("servers/" + s.ID)})
	if v.show {
		doc = append(doc, object{
			{"image", v.image(s)}, {"flavor", v.flavor(s.flavor)},
			{"OS-EXT-AZ:availability_zone", cmp.Or(s.asked, "UNKNOWN")}, {"OS-EXT-STS:power_state", 0},
			{"user_id", s.UserID},
		}...)
		if v.minor >= 71 {
			doc = append(doc, field{"server_groups", s.groups()})
		}
	}
	return doc
}

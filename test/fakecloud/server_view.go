package fakecloud

import (
	"fmt"
	"net/http"
	"strconv"
)

// A page of a large cluster is a megabyte and more of JSON, made for every
// request. So servers are appended field by field and not made from objects.

// view is what all servers of an answer have in common.
type view struct {
	k        *call
	minor    int
	admin    bool
	detail   bool
	show     bool // of a single server, which has a little more
	brief    bool // the answer to an update before 2.75, which has less
	self     string
	bookmark string
}

func (k *call) view(detail, show bool) *view {
	return &view{
		k:        k,
		minor:    k.minor,
		admin:    k.token.admin(),
		detail:   detail,
		show:     show,
		self:     k.selfURL(),
		bookmark: k.bookmarkURL(),
	}
}

// renderPage writes a page of servers; those that cannot be read come first.
// Time passes for a caller that waits for a server to be built.
func (k *call) renderPage(path string, detail bool, partial, page []*server, more bool) reply {
	v := k.view(detail, false)
	size := 300
	if detail {
		size = 2000
	}
	b := make([]byte, 0, 100+size*(len(page)+len(partial)))
	b = append(b, `{"servers": [`...)
	waiting := false
	for i, s := range partial {
		b = v.appendPartial(comma(b, i), s)
	}
	for i, s := range page {
		b = v.appendServer(comma(b, i+len(partial)), s)
		waiting = waiting || s.waiting()
	}
	b = append(b, ']')
	if more {
		b = append(b, `, "servers_links": `...)
		b = appendJSON(b, k.nextLink(path, page[len(page)-1].ID))
	}
	if waiting {
		k.tick()
	}
	return reply{200, http.Header{"Content-Type": {"application/json"}}, append(b, '}')}
}

// serverReply writes a single server.
func (k *call) serverReply(s *server, brief bool) reply {
	v := k.view(true, true)
	v.brief = brief
	b := append(make([]byte, 0, 2000), `{"server": `...)
	if s.host.cellDown() {
		b = v.appendPartial(b, s)
	} else {
		b = v.appendServer(b, s)
	}
	if s.waiting() {
		k.tick()
	}
	return reply{200, http.Header{"Content-Type": {"application/json"}}, append(b, '}')}
}

// text appends a field that is a string.
func (v *view) text(b []byte, key, value string) []byte {
	b = append(append(append(b, `, "`...), key...), `": `...)
	return appendJSON(b, value)
}

// literal appends a field whose value is JSON.
func (v *view) literal(b []byte, key, value string) []byte {
	b = append(append(append(b, `, "`...), key...), `": `...)
	return append(b, value...)
}

// nullable appends a field that is a string, or null if it is empty.
func (v *view) nullable(b []byte, key, value string) []byte {
	if value == "" {
		return v.literal(b, key, "null")
	}
	return v.text(b, key, value)
}

func (v *view) links(b []byte, s *server) []byte {
	b = append(append(append(b, `, "links": [{"rel": "self", "href": "`...), v.self...), "servers/"...)
	b = append(append(b, s.ID...), `"}, {"rel": "bookmark", "href": "`...)
	b = append(append(append(b, v.bookmark...), "servers/"...), s.ID...)
	return append(b, `"}]`...)
}

func (v *view) image(b []byte, s *server) []byte {
	if s.ImageID == "" {
		return v.literal(b, "image", `""`)
	}
	b = append(append(append(b, `, "image": {"id": "`...), s.ImageID...),
		`", "links": [{"rel": "bookmark", "href": "`...)
	b = append(append(append(b, v.bookmark...), "images/"...), s.ImageID...)
	return append(b, `"}]}`...)
}

func (v *view) flavor(b []byte, f *flavor) []byte {
	if v.minor >= 47 {
		return fmt.Appendf(
			b,
			`, "flavor": {"vcpus": %d, "ram": %d, "disk": %d, "ephemeral": 0, "swap": 0, `+
				`"original_name": "%s", "extra_specs": {}}`,
			f.VCPUs,
			f.RAM,
			f.Disk,
			f.ID,
		)
	}
	return fmt.Appendf(b, `, "flavor": {"id": "%s", "links": [{"rel": "bookmark", "href": "%sflavors/%s"}]}`,
		f.ID, v.bookmark, f.ID)
}

func (v *view) appendServer(b []byte, s *server) []byte {
	b = append(append(append(b, `{"id": "`...), s.ID...), '"')
	b = v.text(b, "name", s.Name)
	if !v.detail {
		return append(v.links(b, s), '}')
	}
	status := s.status()
	b = v.text(b, "status", status)
	b = v.text(b, "tenant_id", s.ProjectID)
	b = v.text(b, "user_id", s.UserID)
	b = appendJSON(append(b, `, "metadata": `...), s.Metadata)
	host := s.Host
	if !s.scheduled() {
		host = ""
	}
	b = v.text(b, "hostId", v.k.region.hostID(s.ProjectID, host))
	b = v.image(b, s)
	b = v.flavor(b, s.flavor)
	b = v.text(b, "created", isoTime(s.Created))
	b = v.text(b, "updated", isoTime(s.updated))
	b = v.addresses(b, s)
	b = append(b, `, "accessIPv4": "", "accessIPv6": ""`...)
	b = v.links(b, s)
	b = v.text(b, "OS-DCF:diskConfig", "MANUAL")
	// Until 2026.1 Nova finds the fault of a server that was never scheduled only
	// when it shows that server alone.
	if s.Fault != "" && (status == "ERROR" || status == "DELETED") &&
		(v.show || s.Host != "" || v.k.release.ListsFaults) {
		b = fmt.Appendf(b, `, "fault": {"code": 500, "created": "%s", "message": `, isoTime(s.updated))
		b = appendJSON(b, s.Fault)
		if v.admin {
			b = v.text(b, "details", "Traceback (most recent call last):\nnova.exception.NoValidHost: "+s.Fault)
		}
		b = append(b, '}')
	}
	switch status {
	case "ACTIVE", "BUILD", "REBUILD", "RESIZE", "VERIFY_RESIZE", "MIGRATING":
		b = append(b, `, "progress": 0`...)
	}
	if !v.brief {
		b = v.extensions(b, s, host)
	}
	b = v.later(b, s)
	return append(b, '}')
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
	if s.port != nil {
		return s.port.mac
	}
	return fmt.Sprintf("fa:16:3e:00:%02x:%02x", s.number>>8&255, s.number&255)
}

func (v *view) addresses(b []byte, s *server) []byte {
	if !s.Network || !s.scheduled() && s.vmState != "shelved_offloaded" { // that one keeps its ports
		return append(b, `, "addresses": {}`...)
	}
	return fmt.Appendf(
		b,
		`, "addresses": {"`+NetworkName+`": [{"version": 4, "addr": "%s", "OS-EXT-IPS:type": "fixed", `+
			`"OS-EXT-IPS-MAC:mac_addr": "%s"}]}`,
		s.address(),
		s.mac(),
	)
}

// extensions are the fields of what were extensions of the API once.
func (v *view) extensions(b []byte, s *server, host string) []byte {
	b = v.text(b, "OS-EXT-AZ:availability_zone", s.shownZone())
	b = append(b, `, "config_drive": "", "key_name": null`...)
	launched, terminated := "", ""
	if !s.launched.IsZero() {
		launched = microTime(s.launched)
	}
	if s.deleted {
		terminated = microTime(s.terminated)
	}
	b = v.nullable(b, "OS-SRV-USG:launched_at", launched)
	b = v.nullable(b, "OS-SRV-USG:terminated_at", terminated)
	if v.admin {
		b = v.nullable(b, "OS-EXT-SRV-ATTR:host", host)
		name, node, device := s.instanceName(), host, "/dev/sda"
		switch {
		case s.vmState == "building":
			name, device = "", ""
		case host == "":
			device = ""
		case s.host != nil:
			node = s.host.hypervisor
		}
		b = v.text(b, "OS-EXT-SRV-ATTR:instance_name", name)
		b = v.nullable(b, "OS-EXT-SRV-ATTR:hypervisor_hostname", node)
		if v.minor >= 3 {
			b = v.text(b, "OS-EXT-SRV-ATTR:reservation_id", s.reserved)
			b = v.literal(b, "OS-EXT-SRV-ATTR:launch_index", "0")
			b = v.text(b, "OS-EXT-SRV-ATTR:hostname", s.hostname)
			b = append(b, `, "OS-EXT-SRV-ATTR:kernel_id": "", "OS-EXT-SRV-ATTR:ramdisk_id": ""`...)
			b = v.nullable(b, "OS-EXT-SRV-ATTR:root_device_name", device)
			b = v.literal(b, "OS-EXT-SRV-ATTR:user_data", "null")
		}
	}
	b = v.nullable(b, "OS-EXT-STS:task_state", s.TaskState)
	b = v.text(b, "OS-EXT-STS:vm_state", s.vmState)
	b = v.literal(b, "OS-EXT-STS:power_state", strconv.Itoa(s.powerState()))
	b = v.volumes(b, s)
	if s.Network && s.scheduled() {
		b = append(b, `, "security_groups": [{"name": "default"}]`...)
	}
	return b
}

func (v *view) volumes(b []byte, s *server) []byte {
	list := []object{}
	for _, volume := range v.k.region.volumesOf(s) {
		doc := object{{"id", volume.id}}
		if v.minor >= 3 {
			doc = append(doc, field{"delete_on_termination", false})
		}
		list = append(list, doc)
	}
	return appendJSON(append(b, `, "os-extended-volumes:volumes_attached": `...), list)
}

// later are the fields that came with microversions.
func (v *view) later(b []byte, s *server) []byte {
	if v.minor >= 16 && v.admin && !v.brief {
		b = v.text(b, "host_status", s.hostStatus())
	}
	if v.minor >= 9 {
		b = v.literal(b, "locked", strconv.FormatBool(s.LockedBy != ""))
	}
	if v.minor >= 73 {
		b = v.nullable(b, "locked_reason", s.LockReason)
	}
	if v.minor >= 19 {
		b = v.nullable(b, "description", s.Description)
	}
	if v.minor >= 26 {
		b = appendJSON(append(b, `, "tags": `...), s.Tags)
	}
	if v.minor >= 63 {
		b = v.literal(b, "trusted_image_certificates", "null")
	}
	if v.minor >= 90 && !v.admin {
		b = v.text(b, "OS-EXT-SRV-ATTR:hostname", s.hostname)
	}
	if v.show {
		b = v.groups(b, s)
	}
	return b
}

func (v *view) groups(b []byte, s *server) []byte {
	switch {
	case v.minor < 71:
		return b
	case s.group == nil:
		return v.literal(b, "server_groups", "[]")
	}
	return v.literal(b, "server_groups", `["`+s.group.id+`"]`)
}

// hostStatus is the state of the host's service, for administrators.
func (s *server) hostStatus() string {
	switch {
	case s.host == nil || !s.scheduled() || s.deleted:
		return ""
	case s.host.disabled:
		return "MAINTENANCE"
	case s.host.down:
		return "DOWN"
	}
	return "UP"
}

// appendPartial is what 2.69 knows of a server in a cell that is down: what is
// in the data base of the API.
func (v *view) appendPartial(b []byte, s *server) []byte {
	b = append(append(append(b, `{"id": "`...), s.ID...), `", "status": "UNKNOWN"`...)
	if v.detail {
		b = v.text(b, "tenant_id", s.ProjectID)
		b = v.text(b, "created", isoTime(s.Created))
	}
	b = v.links(b, s)
	if v.show {
		b = v.image(b, s)
		b = v.flavor(b, s.flavor)
		zone := s.asked
		if zone == "" {
			zone = "UNKNOWN"
		}
		b = v.text(b, "OS-EXT-AZ:availability_zone", zone)
		b = v.literal(b, "OS-EXT-STS:power_state", "0")
		b = v.text(b, "user_id", s.UserID)
		b = v.groups(b, s)
	}
	return append(b, '}')
}

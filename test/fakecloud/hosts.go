package fakecloud

// zoneInfo is a zone in os-availability-zone.
func zoneInfo(name string, available bool, hosts any) object {
	return object{{"zoneName", name}, {"zoneState", object{{"available", available}}}, {"hosts", hosts}}
}

// listZones is open to every user. The zone of the control services is hidden.
func (k *call) listZones() reply {
	list := []object{}
	zones := k.region.available()
	for _, available := range []bool{true, false} {
		for _, name := range sortedNames(zones, available) {
			list = append(list, zoneInfo(name, available, nil))
		}
	}
	return jsonReply(200, object{{"availabilityZoneInfo", list}})
}

// words are the status of a service and its state.
func (s service) words() (status, state string) {
	status, state = "enabled", "up"
	if s.disabled {
		status = "disabled"
	}
	if s.down {
		state = "down"
	}
	return status, state
}

func (s service) state() object {
	return object{{"available", !s.down}, {"active", !s.disabled}, {"updated_at", microTime(s.updated)}}
}

func (k *call) listZonesDetail() reply {
	k.adminOnly("os_compute_api:os-availability-zone:detail")
	zones := k.region.available()
	zones[internalZone] = true
	list := []object{}
	for _, name := range sortedNames(zones, true) {
		hosts := object{}
		for _, h := range k.region.hosts {
			if h.zone.name == name && !h.disabled {
				hosts = append(hosts, field{h.name, object{{"nova-compute", h.state()}}})
			}
		}
		list = append(list, zoneInfo(name, true, hosts))
	}
	for _, name := range sortedNames(zones, false) {
		list = append(list, zoneInfo(name, false, nil))
	}
	return jsonReply(200, object{{"availabilityZoneInfo", list}})
}

// internalZone is the zone of the control services.
const internalZone = "internal"

// serviceDocument is a service in os-services, since 2.53.
func (k *call) serviceDocument(s service, zone string) object {
	status, state := s.words()
	return object{
		{"binary", "nova-compute"}, {"host", s.name}, {"id", s.uuid}, {"zone", zone},
		{"status", status}, {"state", state},
		{"updated_at", microTime(s.updated)}, {"disabled_reason", orNull(s.reason)}, {"forced_down", s.down},
	}
}

// orNull returns null for an empty string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

var serviceQuery = []prop{{name: "host", schema: texts}, {name: "binary", schema: texts}}

func (k *call) listServices() reply {
	q := k.query(serviceQuery...)
	k.adminOnly("os_compute_api:os-services:list")
	list := []object{}
	add := func(doc object) {
		if (last(q, "host") == "" || last(q, "host") == text(doc, "host")) &&
			(last(q, "binary") == "" || last(q, "binary") == text(doc, "binary")) {
			list = append(list, doc)
		}
	}
	for _, h := range k.region.hosts {
		if !h.cellDown() {
			add(k.serviceDocument(h.service, h.zone.name))
		}
	}
	return jsonReply(200, object{{"services", list}})
}

var serviceSchema = closed(
	prop{name: "status", schema: matching(`enabled|disabled`)},
	prop{name: "disabled_reason", schema: matching(`.{1,255}`)},
)

func (k *call) updateService(doc object) reply {
	k.adminOnly("os_compute_api:os-services:update")
	h := first(k.region.hosts, func(h *host) bool { return h.service.uuid == k.vars[0] })
	if h == nil {
		panic(notFound("Service %s could not be found.", k.vars[0]))
	}
	if status := text(doc, "status"); status != "" {
		h.disabled, h.reason = status == "disabled", text(doc, "disabled_reason")
	}
	return jsonReply(200, object{{"service", k.serviceDocument(h.service, h.zone.name)}})
}

// Resources of a host with Nova's fake driver.
const (
	hostVCPUs  = 1000
	hostRAM    = 800_000 // MB
	hostDisk   = 600_000 // GB
	hostRAMOwn = 512     // MB that the host keeps for itself
)

// hypervisorDocument is a hypervisor in the format from 2.53 on, without the details of its processor.
func (k *call) hypervisorDocument(h *host) object {
	status, state := h.words()
	doc := object{
		{"id", h.uuid}, {"hypervisor_hostname", h.hypervisor}, {"state", state}, {"status", status},
		{"hypervisor_type", "fake"}, {"hypervisor_version", 1000}, {"host_ip", "127.0.0.1"},
		{"service", object{{"id", h.service.uuid}, {"host", h.name}, {"disabled_reason", orNull(h.reason)}}},
	}
	return append(doc,
		field{"vcpus", hostVCPUs}, field{"memory_mb", hostRAM}, field{"local_gb", hostDisk},
		field{"vcpus_used", h.vcpus}, field{"memory_mb_used", hostRAMOwn + h.ram}, field{"local_gb_used", h.servers},
		field{"free_ram_mb", hostRAM - hostRAMOwn - h.ram}, field{"free_disk_gb", hostDisk - h.servers},
		field{"current_workload", 0}, field{"running_vms", h.servers}, field{"disk_available_least", 0},
		field{"cpu_info", object{}})
}

// listHypervisors gives a link to a next page for every full one.
func (k *call) listHypervisors() reply {
	q := k.query(pageQuery...)
	k.adminOnly("os_compute_api:os-hypervisors:list-detail")
	if k.region.anyCellDown() {
		panic(unexpected("oslo_db.exception.DBConnectionError"))
	}
	id := func(h *host) string { return h.uuid }
	return pages[*host]{"hypervisors", "os-hypervisors/detail", id, k.hypervisorDocument}.reply(k, q, k.region.hosts)
}

// unexpected is Nova's answer to an unhandled exception.
func unexpected(class string) *refusal {
	return refuse(500, "Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the "+
		"Nova API log if possible.\n<class '%s'>", class)
}

package fakecloud

// Resources of a host with Nova's fake driver.
const (
	hostVCPUs  = 1000
	hostRAM    = 800_000 // MB
	hostDisk   = 600_000 // GB
	hostRAMOwn = 512     // MB that the host keeps for itself
)

var boolean = &schema{types: []string{"boolean", "string"}, enum: []any{
	true, "True", "TRUE", "true", "1", "ON", "On", "on", "YES", "Yes", "yes",
	false, "False", "FALSE", "false", "0", "OFF", "Off", "off", "NO", "No", "no",
}}

// hypervisorDocument is a hypervisor in the format from 2.53 on, without the details of its processor.
func (k *call) hypervisorDocument(h *host) object {
	status, state := h.words()
	doc := object{
		{"id", h.uuid}, {"hypervisor_hostname", h.hypervisor}, {"state", state}, {"status", status},
		{"hypervisor_type", "fake"}, {"hypervisor_version", 1000}, {"host_ip", "127.0.0.1"},
		{"service", object{{"id", h.service.uuid}, {"host", h.name}, {"disabled_reason", orNull(h.reason)}}},
	}
	if k.minor >= 88 {
		return append(doc, field{"uptime", nil})
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

package fakecloud

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What a host of Nova's fake driver has.
const (
	hostVCPUs  = 1000
	hostRAM    = 800_000 // MB
	hostDisk   = 600_000 // GB
	hostRAMOwn = 512     // MB that the host keeps for itself
)

const cpuInfo = `{"arch": "x86_64", "model": "Nehalem", "vendor": "Intel", "features": ["pge", "clflush"], ` +
	`"topology": {"cores": 1, "threads": 1, "sockets": 4}}`

var boolean = &schema{types: []string{"boolean", "string"}, enum: []any{
	true, "True", "TRUE", "true", "1", "ON", "On", "on", "YES", "Yes", "yes",
	false, "False", "FALSE", "false", "0", "OFF", "Off", "off", "NO", "No", "no",
}}

// once is a parameter that may be given once.
func once(s *schema) *schema { return &schema{items: s, maxSize: 1} }

var hypervisorPage = []prop{
	{name: "limit", schema: naturals, since: 33, until: 52},
	{name: "marker", schema: texts, since: 33, until: 52},
	{name: "limit", schema: once(naturals.items), since: 53},
	{name: "marker", schema: once(texts.items), since: 53},
	{
		name:   "hypervisor_hostname_pattern",
		since:  53,
		schema: once(&schema{minSize: 1, maxSize: 255, pattern: regexp.MustCompile(`^[a-zA-Z0-9-._]*$`)}),
	},
	{name: "with_servers", since: 53, schema: once(boolean)},
}

// hypervisorID is a number at first, and a UUID from 2.53 on.
func (k *call) hypervisorID(h *host) any {
	if k.minor >= 53 {
		return h.uuid
	}
	return h.number
}

func (k *call) hypervisorDocument(h *host, detail, withServers bool) object {
	state, status := "up", "enabled"
	if h.down {
		state = "down"
	}
	if h.disabled {
		status = "disabled"
	}
	doc := object{
		{"id", k.hypervisorID(h)},
		{"hypervisor_hostname", h.hypervisor},
		{"state", state},
		{"status", status},
	}
	if detail {
		doc = append(doc, k.hypervisorDetail(h)...)
	}
	if withServers {
		servers := []object{}
		for s := range k.region.servers.oldest() {
			if s.host == h {
				servers = append(servers, object{{"name", s.instanceName()}, {"uuid", s.ID}})
			}
		}
		if len(servers) > 0 || k.minor >= 75 {
			doc = append(doc, field{"servers", servers})
		}
	}
	return doc
}

func (k *call) hypervisorDetail(h *host) object {
	service := any(h.service.number)
	if k.minor >= 53 {
		service = h.service.uuid
	}
	doc := object{
		{"hypervisor_type", "fake"}, {"hypervisor_version", 1000}, {"host_ip", "127.0.0.1"},
		{"service", object{{"id", service}, {"host", h.name}, {"disabled_reason", orNull(h.reason)}}},
	}
	if k.minor >= 88 {
		return append(doc, field{"uptime", nil})
	}
	doc = append(doc,
		field{"vcpus", hostVCPUs}, field{"memory_mb", hostRAM}, field{"local_gb", hostDisk},
		field{"vcpus_used", h.vcpus}, field{"memory_mb_used", hostRAMOwn + h.ram}, field{"local_gb_used", h.servers},
		field{"free_ram_mb", hostRAM - hostRAMOwn - h.ram}, field{"free_disk_gb", hostDisk - h.servers},
		field{"current_workload", 0}, field{"running_vms", h.servers}, field{"disk_available_least", 0})
	if k.minor <= 27 {
		return append(doc, field{"cpu_info", cpuInfo})
	}
	return append(doc, field{"cpu_info", raw(cpuInfo)})
}

func (k *call) listHypervisors() (reply, error) {
	return k.hypervisors("os_compute_api:os-hypervisors:list", "os-hypervisors", false)
}

func (k *call) listHypervisorsDetail() (reply, error) {
	return k.hypervisors("os_compute_api:os-hypervisors:list-detail", "os-hypervisors/detail", true)
}

func (k *call) hypervisors(rule, path string, detail bool) (reply, error) {
	q, err := k.query(hypervisorPage, nil, 53)
	if err == nil {
		err = k.adminOnly(rule)
	}
	if err != nil {
		return reply{}, err
	}
	if k.region.anyCellDown() {
		return reply{}, unexpected("oslo_db.exception.DBConnectionError")
	}
	hosts, links, err := k.chosenHypervisors(q)
	if err != nil {
		return reply{}, err
	}
	withServers, _ := pythonBool(last(q, "with_servers"))
	list := []object{}
	for _, h := range hosts {
		list = append(list, k.hypervisorDocument(h, detail, withServers))
	}
	doc := object{{"hypervisors", list}}
	if links {
		doc = append(doc, field{"hypervisors_links", k.nextLink(path, idText(k.hypervisorID(hosts[len(hosts)-1])))})
	}
	return jsonReply(200, doc), nil
}

// idText is an id, a number or a UUID, as a string.
func idText(v any) string {
	if n, ok := v.(int); ok {
		return strconv.Itoa(n)
	}
	return v.(string)
}

// chosenHypervisors are those of the page or the pattern that is asked for, and
// whether there may be more.
func (k *call) chosenHypervisors(q map[string][]string) (hosts []*host, more bool, err error) {
	hosts = k.region.hosts
	if pattern := last(q, "hypervisor_hostname_pattern"); pattern != "" {
		if _, ok := q["limit"]; ok || last(q, "marker") != "" {
			return nil, false, badRequest(
				"Paging over hypervisors with the hypervisor_hostname_pattern query parameter is not supported.",
			)
		}
		var found []*host
		for _, h := range hosts {
			if strings.Contains(strings.ToLower(h.hypervisor), strings.ToLower(pattern)) {
				found = append(found, h)
			}
		}
		if found == nil {
			return nil, false, notFound("No hypervisor matching '%s' could be found.", pattern)
		}
		return found, false, nil
	}
	if k.minor < 33 {
		return hosts, false, nil
	}
	if marker := last(q, "marker"); marker != "" {
		i := slices.IndexFunc(hosts, func(h *host) bool { return idText(k.hypervisorID(h)) == marker })
		if i < 0 {
			return nil, false, badRequest("marker [%s] not found", marker)
		}
		hosts = hosts[i+1:]
	}
	limit := k.limit(q)
	hosts = hosts[:min(limit, len(hosts))]
	return hosts, limit > 0 && len(hosts) == limit, nil
}

func (k *call) showHypervisor() (reply, error) {
	q, err := k.query(hypervisorPage[len(hypervisorPage)-1:], nil, 53)
	if err == nil {
		err = k.adminOnly("os_compute_api:os-hypervisors:show")
	}
	if err != nil {
		return reply{}, err
	}
	id := k.vars[0]
	if k.minor >= 53 && !uuidPattern.MatchString(id) {
		return reply{}, badRequest("Invalid uuid %s", id)
	}
	withServers, _ := pythonBool(last(q, "with_servers"))
	for _, h := range k.region.hosts {
		if idText(k.hypervisorID(h)) == id {
			return jsonReply(200, object{{"hypervisor", k.hypervisorDocument(h, true, withServers)}}), nil
		}
	}
	return reply{}, notFound("Hypervisor with ID '%s' could not be found.", id)
}

// integer reads a number as Nova's validate_integer does.
func integer(s, name string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, badRequest("Invalid input received: %s must be an integer", name)
	}
	return n, nil
}

// unexpected is Nova's answer to an exception that nobody expected.
func unexpected(class string) error {
	return &novaError{
		500,
		"Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the " +
			"Nova API log if possible.\n<class '" + class + "'>",
	}
}

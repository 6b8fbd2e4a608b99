package fakecloud

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// internalFilters are keys that start with an underscore: Nova keeps them until
// it knows who asks.
var internalFilters = regexp.MustCompile(`^_`)

// joined are keys that Nova's schema knows but no filter may have.
var joined = []string{
	"block_device_mapping", "services", "metadata", "system_metadata", "info_cache", "security_groups", "pci_devices",
}

// serverQuery are the parameters of a list of servers.
var serverQuery = func() []prop {
	var props []prop
	add := func(s *schema, since int, names string) {
		for name := range strings.FieldsSeq(names) {
			props = append(props, prop{name: name, schema: s, since: since})
		}
	}
	add(texts, 1, "user_id project_id tenant_id launch_index image_ref image vm_state task_state host uuid sort_dir "+
		"all_tenants soft_deleted deleted status marker "+strings.Join(joined, " "))
	add(regexes, 1, "kernel_id ramdisk_id hostname key_name power_state node flavor reservation_id launched_at "+
		"terminated_at availability_zone name display_name description display_description locked_by root_device_name "+
		"config_drive access_ip_v4 access_ip_v6 auto_disk_config progress ip ip6 created_at")
	add(regexes, 26, "tags tags-any not-tags not-tags-any")
	add(texts, 73, "locked")
	add(naturals, 1, "limit")
	add(times, 1, "changes-since")
	add(times, 66, "changes-before")
	keys := func(names []string, since, until int) {
		enum := make([]any, len(names))
		for i, n := range names {
			enum[i] = n
		}
		props = append(
			props,
			prop{
				name:   "sort_key",
				schema: &schema{items: &schema{types: jsonString, enum: enum}},
				since:  since,
				until:  until,
			},
		)
	}
	keys(append(slices.Clone(sortKeys), ignoredSortKeys...), 1, 74)
	keys(append(slices.Clone(sortKeys), "locked"), 75, 0)
	return props
}()

var sortKeys = strings.Fields("access_ip_v4 access_ip_v6 auto_disk_config availability_zone config_drive created_at " +
	"display_description display_name host hostname image_ref instance_type_id kernel_id key_name launch_index " +
	"launched_at " +
	"locked_by node power_state progress project_id ramdisk_id root_device_name task_state terminated_at updated_at " +
	"user_id " +
	"uuid vm_state")

// ignoredSortKeys are those that Nova once took and now drops; locked came back
// at 2.73.
var ignoredSortKeys = strings.Fields(
	"architecture cell_name cleaned default_ephemeral_device default_swap_device deleted " +
		"deleted_at disable_terminate ephemeral_gb ephemeral_key_uuid id key_data launched_on locked memory_mb " +
		"os_type " +
		"reservation_id root_gb shutdown_terminate user_data vcpus vm_mode",
)

// memberFilters are the filters that Nova obeys for everybody; all others it
// drops silently for an ordinary user.
var memberFilters = func() []prop {
	var props []prop
	for since, names := range map[int]string{
		1:  "reservation_id name status image flavor ip changes-since all_tenants",
		5:  "ip6",
		26: "tags tags-any not-tags not-tags-any",
		66: "changes-before",
		73: "locked",
		83: "availability_zone config_drive key_name created_at launched_at terminated_at power_state task_state " +
			"vm_state " +
			"progress user_id",
		90: "hostname",
	} {
		for name := range strings.FieldsSeq(names) {
			props = append(props, prop{name: name, since: since})
		}
	}
	return props
}()

// paging are the parameters that are no filters.
var paging = []string{"sort_key", "sort_dir", "limit", "marker"}

func (k *call) listServers() (reply, error)       { return k.serverList("servers", false) }
func (k *call) listServersDetail() (reply, error) { return k.serverList("servers/detail", true) }

func (k *call) serverList(path string, detail bool) (reply, error) {
	q, err := k.query(serverQuery, internalFilters, 75)
	if err != nil {
		return reply{}, err
	}
	filters := k.allowedFilters(q)
	for name := range filters {
		if slices.Contains(joined, name) || strings.HasPrefix(name, "_") {
			return reply{}, badRequest("Invalid filter field: %s.", name)
		}
	}
	rule := "index"
	if detail {
		rule = "detail"
	}
	f, err := k.readFilters(q, filters, rule)
	if err != nil {
		return reply{}, err
	}
	k.region.settle(k.Cloud)
	page, more, err := k.serverPage(q, f)
	if err != nil {
		return reply{}, err
	}
	return k.renderPage(path, detail, k.unreadable(q, filters, f), page, more), nil
}

// allowedFilters drops what the user may not filter by.
func (k *call) allowedFilters(q url.Values) url.Values {
	filters := maps.Clone(q)
	maps.DeleteFunc(filters, func(name string, _ []string) bool {
		if k.token.admin() {
			return slices.Contains(paging, name)
		}
		return !slices.ContainsFunc(memberFilters, func(p prop) bool { return p.name == name && p.in(k.minor) })
	})
	return filters
}

// unreadable are the servers of cells that are down, of which 2.69 shows what
// little is known; but only in lists that have neither filters nor pages, for
// these could not be right.
func (k *call) unreadable(q, filters url.Values, f *filter) []*server {
	if k.minor < 69 || slices.ContainsFunc(paging, q.Has) || len(filters) > 1 ||
		len(filters) == 1 && !filters.Has("all_tenants") {
		return nil
	}
	var list []*server
	for s := range k.region.servers.oldest() {
		if s.host.cellDown() && (f.everywhere || s.ProjectID == f.project) {
			list = append(list, s)
		}
	}
	return list
}

// serverPage finds the servers of the page that is asked for. More reports
// whether Nova gives a link to a next one, which it does for every full page.
func (k *call) serverPage(q url.Values, f *filter) (page []*server, more bool, err error) {
	limit := k.limit(q)
	var marker *server
	if id := last(q, "marker"); id != "" {
		if marker = k.region.servers.byID[id]; marker == nil {
			return nil, false, badRequest("marker [%s] not found", id)
		}
		if marker.host.cellDown() {
			return nil, false, unexpected("oslo_db.exception.DBConnectionError")
		}
	}
	order, err := k.sortOrder(q)
	if err != nil {
		return nil, false, err
	}
	if f.none || limit == 0 {
		return nil, false, nil
	}
	if order == nil && !f.deleted && !f.withDeleted {
		for s := range k.region.servers.newestAfter(marker) {
			if len(page) == limit {
				break
			}
			if f.matches(s) {
				page = append(page, s)
			}
		}
		return page, len(page) == limit, nil
	}
	return k.sortedPage(f, order, marker, limit)
}

// sortedPage is for the lists that cannot be read off the store.
func (k *call) sortedPage(
	f *filter,
	order func(a, b *server) int,
	marker *server,
	limit int,
) (page []*server, more bool, err error) {
	if order == nil {
		order = func(a, b *server) int { return older(b, a) }
	}
	var all []*server
	if !f.deleted {
		all = slices.Collect(k.region.servers.oldest())
	}
	if f.deleted || f.withDeleted {
		all = append(all, k.region.servers.dead...)
	}
	all = slices.DeleteFunc(all, func(s *server) bool { return !f.matches(s) })
	slices.SortStableFunc(all, order)
	if marker != nil {
		i := slices.IndexFunc(all, func(s *server) bool { return order(s, marker) > 0 })
		if i < 0 {
			i = len(all)
		}
		all = all[i:]
	}
	page = all[:min(limit, len(all))]
	return page, len(page) == limit, nil
}

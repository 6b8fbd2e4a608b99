package fakecloud

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// filter is what a list of servers asks for.
type filter struct {
	none        bool // nothing can match
	everywhere  bool // in all projects
	project     string
	user        string   // whose servers, where the token has no project
	statuses    []string // asked for, in capitals; nil: all
	deleted     bool     // only the deleted ones
	withDeleted bool     // those too
	regexes     map[string]*regexp.Regexp
	exact       map[string]string
	locked      *bool
	tags        map[string][]string // by the name of the filter
	since       time.Time
	before      time.Time
}

// column is what a filter or a sort key looks at.
func (s *server) column(name string) string {
	switch name {
	case "name", "display_name":
		return s.Name
	case "description", "display_description":
		return s.Description
	case "availability_zone":
		return s.shownZone()
	case "host", "node":
		return s.Host
	case "hostname":
		return s.hostname
	case "image", "image_ref":
		return s.ImageID
	case "flavor", "instance_type_id":
		return s.Flavor
	case "uuid":
		return s.ID
	case "user_id":
		return s.UserID
	case "project_id", "tenant_id":
		return s.ProjectID
	case "vm_state":
		return s.vmState
	case "task_state":
		return s.TaskState
	case "power_state":
		return strconv.Itoa(s.powerState())
	case "reservation_id":
		return s.reserved
	case "created_at":
		return s.Created.Format(time.DateTime)
	case "launched_at":
		return s.launched.Format(time.DateTime)
	case "updated_at":
		return s.updated.Format(time.DateTime)
	case "ip":
		if s.Network {
			return s.address()
		}
	case "locked", "locked_by":
		return s.LockedBy
	}
	return ""
}

var (
	regexColumns = strings.Fields(
		"name display_name description display_description availability_zone node hostname power_state " +
			"reservation_id created_at launched_at ip ip6 key_name locked_by",
	)
	exactColumns = strings.Fields("host image image_ref uuid user_id vm_state task_state flavor")
	tagFilters   = strings.Fields("tags tags-any not-tags not-tags-any")
)

// sqlRegexp is a pattern as the data base takes it: case does not matter, and
// Nova escapes the bar, so that there are no alternatives.
func sqlRegexp(pattern string) (*regexp.Regexp, error) {
	return regexp.Compile("(?i)" + strings.ReplaceAll(pattern, "|", `\|`))
}

func (k *call) readFilters(q, filters url.Values, rule string) (*filter, error) {
	f := &filter{
		project: k.token.projectID(),
		regexes: map[string]*regexp.Regexp{},
		exact:   map[string]string{},
		tags:    map[string][]string{},
	}
	if err := k.readStatuses(q, f); err != nil {
		return nil, err
	}
	if err := k.readScope(filters, f, rule); err != nil {
		return nil, err
	}
	for _, name := range regexColumns {
		if v := last(filters, name); v != "" {
			re, err := sqlRegexp(v)
			if err != nil {
				return nil, badRequest(
					"Invalid input for query parameters %s. Value: %s. %s is not a 'regex'",
					name,
					v,
					python(v),
				)
			}
			f.regexes[name] = re
		}
	}
	for _, name := range exactColumns {
		if filters.Has(name) {
			f.exact[name] = last(filters, name)
		}
	}
	for _, name := range tagFilters {
		if filters.Has(name) && k.minor >= 26 {
			f.tags[name] = strings.Split(last(filters, name), ",")
		}
	}
	return f, nil
}

// readStatuses reads status, which has to be one that Nova knows, and deleted.
func (k *call) readStatuses(q url.Values, f *filter) error {
	if !q.Has("status") {
		return nil
	}
	known := map[string]bool{}
	for _, names := range states {
		for _, name := range names {
			known[name] = true
		}
	}
	for _, s := range q["status"] {
		if s = strings.ToUpper(s); known[s] {
			f.statuses = append(f.statuses, s)
		}
	}
	switch {
	case f.statuses == nil && k.minor >= 38:
		return badRequest("Invalid status value")
	case f.statuses == nil:
		f.none = true
	case slices.Equal(f.statuses, []string{"DELETED"}):
		if !k.token.admin() {
			return forbidden("Only administrators may list deleted instances")
		}
		f.deleted = true
	}
	return nil
}

// readScope reads whose servers are wanted, and of what times.
func (k *call) readScope(filters url.Values, f *filter, rule string) error {
	if filters.Has("all_tenants") {
		f.everywhere = true
		if v := last(filters, "all_tenants"); v != "" {
			all, err := strictBool(v)
			if err != nil {
				return err
			}
			f.everywhere = all
		}
	}
	if f.project == "" && !f.everywhere {
		f.everywhere, f.user = true, k.token.user.id
		return nil
	}
	if f.everywhere {
		if err := k.adminOnly("os_compute_api:servers:" + rule + ":get_all_tenants"); err != nil {
			return err
		}
		if p := cmp.Or(last(filters, "project_id"), last(filters, "tenant_id")); p != "" {
			f.everywhere, f.project = false, p
		}
	}
	if filters.Has("locked") {
		v, err := strictBool(last(filters, "locked"))
		if err != nil {
			return err
		}
		f.locked = &v
	}
	f.since, _ = parseTime(last(filters, "changes-since"))
	f.before, _ = parseTime(last(filters, "changes-before"))
	f.withDeleted = !f.since.IsZero() || !f.before.IsZero()
	if !f.since.IsZero() && !f.before.IsZero() && f.before.Before(f.since) {
		return badRequest("The value of changes-since must be less than or equal to changes-before.")
	}
	if deleted, _ := pythonBool(last(filters, "deleted")); deleted {
		f.deleted = true
	}
	return nil
}

func (f *filter) matches(s *server) bool {
	if !f.everywhere && s.ProjectID != f.project || f.user != "" && s.UserID != f.user || s.host.cellDown() {
		return false
	}
	if f.statuses != nil && !slices.ContainsFunc(f.statuses, s.hasStatus) {
		return false
	}
	for name, re := range f.regexes {
		if !re.MatchString(s.column(name)) {
			return false
		}
	}
	for name, v := range f.exact {
		if s.column(name) != v {
			return false
		}
	}
	if f.locked != nil && *f.locked != (s.LockedBy != "") {
		return false
	}
	if s.updated.Before(f.since) || !f.before.IsZero() && s.updated.After(f.before) {
		return false
	}
	return f.matchesTags(s)
}

// hasStatus reports whether the server is in a state that is called so, whatever
// Nova is doing with it: a server that is MIGRATING is ACTIVE too.
func (s *server) hasStatus(status string) bool {
	names := states[s.vmState]
	return names[""] == status || s.status() == status
}

func (f *filter) matchesTags(s *server) bool {
	has := func(tag string) bool { return slices.Contains(s.Tags, tag) }
	all := func(tags []string) bool { return !slices.ContainsFunc(tags, func(t string) bool { return !has(t) }) }
	for name, tags := range f.tags {
		ok := false
		switch name {
		case "tags":
			ok = all(tags)
		case "tags-any":
			ok = slices.ContainsFunc(tags, has)
		case "not-tags":
			ok = !all(tags)
		case "not-tags-any":
			ok = !slices.ContainsFunc(tags, has)
		}
		if !ok {
			return false
		}
	}
	return true
}

// sortOrder reads sort_key and sort_dir; nil is the default order.
func (k *call) sortOrder(q url.Values) (func(a, b *server) int, error) {
	keys, dirs := slices.Clone(q["sort_key"]), q["sort_dir"]
	for _, d := range dirs {
		if d != "asc" && d != "desc" {
			return nil, badRequest("Invalid input received: Unknown sort direction, must be 'desc' or 'asc'")
		}
	}
	keys = slices.DeleteFunc(keys, func(key string) bool {
		return slices.Contains(ignoredSortKeys, key) && (key != "locked" || k.minor < 73)
	})
	if len(keys) == 0 {
		if len(dirs) == 0 || dirs[0] == "desc" {
			return nil, nil
		}
		keys = []string{"created_at"}
	}
	for _, key := range keys {
		if (key == "host" || key == "node") && !k.token.admin() {
			return nil, forbidden("Only administrators can sort servers by %s", key)
		}
	}
	return func(a, b *server) int {
		for i, key := range keys {
			c := cmp.Compare(strings.ToLower(a.column(key)), strings.ToLower(b.column(key)))
			if i >= len(dirs) && (len(dirs) == 0 || dirs[0] == "desc") || i < len(dirs) && dirs[i] == "desc" {
				c = -c // missing directions are those of the first
			}
			if c != 0 {
				return c
			}
		}
		return cmp.Compare(a.ID, b.ID)
	}, nil
}

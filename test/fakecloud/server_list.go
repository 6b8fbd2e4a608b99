package fakecloud

import (
	"net/url"
	"regexp"
	"strings"
)

// serverQuery has the parameters of a list of servers that clients use; Nova has more.
var serverQuery = []prop{
	{name: "name", schema: regexes},
	{name: "limit", schema: naturals},
	{name: "marker", schema: texts},
}

// listServers returns a function that lists servers, with or without details.
func listServers(path string, detail bool) func(*call) reply {
	return func(k *call) reply {
		q := k.query(serverQuery...)
		f := k.readFilters(q)
		k.region.settle(k.Cloud)
		page, more := k.serverPage(q, f)
		return k.renderPage(path, detail, k.unreadable(q, f), page, more)
	}
}

// filter has the conditions of a list of servers.
type filter struct {
	project string
	name    *regexp.Regexp // nil means any
}

// readFilters reads the name as the database does: case does not matter, and Nova escapes the bar, so that there are
// no alternatives.
func (k *call) readFilters(q url.Values) *filter {
	f := &filter{project: k.token.projectID()}
	if v := last(q, "name"); v != "" {
		f.name = regexp.MustCompile("(?i)" + strings.ReplaceAll(v, "|", `\|`))
	}
	return f
}

func (f *filter) matches(s *server) bool {
	return s.ProjectID == f.project && !s.host.cellDown() && (f.name == nil || f.name.MatchString(s.Name))
}

// unreadable lists the servers of cells that are down. 2.69 shows the little that is known of them, but only in lists
// without filters and pages, because these could not be right.
func (k *call) unreadable(q url.Values, f *filter) []*server {
	if k.minor < 69 || len(q) > 0 {
		return nil
	}
	var list []*server
	for s := range k.region.servers.oldest() {
		if s.host.cellDown() && s.ProjectID == f.project {
			list = append(list, s)
		}
	}
	return list
}

// serverPage finds the servers of the requested page. The result more reports whether Nova links to a next page,
// which it does for every full page.
func (k *call) serverPage(q url.Values, f *filter) (page []*server, more bool) {
	limit := k.limit(q)
	var marker *server
	if id := last(q, "marker"); id != "" {
		if marker = k.region.servers.byID[id]; marker == nil {
			panic(badRequest("marker [%s] not found", id))
		}
		if marker.host.cellDown() {
			panic(unexpected("oslo_db.exception.DBConnectionError"))
		}
	}
	if limit == 0 {
		return nil, false
	}
	for s := range k.region.servers.newestAfter(marker) {
		if len(page) == limit {
			break
		}
		if f.matches(s) {
			page = append(page, s)
		}
	}
	return page, len(page) == limit
}

package fakecloud

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// names of the servers of a list, in its order.
func names(t *testing.T, a answer) string {
	t.Helper()
	var list []string
	for _, s := range a.object(t)["servers"].([]any) {
		name, ok := s.(map[string]any)["name"].(string)
		if !ok {
			name = "?"
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// filterCloud has servers of all sorts. The newest is listed first.
func filterCloud(t *testing.T) (*Cloud, []string) {
	c := Start(t, Config{})
	ids := c.AddServers("RegionOne",
		Server{Name: "web-0", Zone: "az-1", Tags: []string{"red", "blue"}, Metadata: map[string]string{"n": "0"}},
		Server{Name: "web-1", Zone: "az-2", Tags: []string{"blue", "red"}},
		Server{Name: "web-2", Zone: "az-3", Tags: []string{"blue"}, Status: "SHUTOFF"},
		Server{Name: "WEB-3", Zone: "az-1", Status: "MIGRATING", LockedBy: "owner"},
		Server{Name: "a|b", Zone: "az-1", Status: "ERROR", Host: "-"},
		Server{Name: "other", ProjectID: AdminProjectID, UserID: AdminUserID, Host: "r1-cmp-3"},
	)
	return c, ids
}

func TestServerFilters(t *testing.T) {
	c, _ := filterCloud(t)
	const all = "a|b WEB-3 web-2 web-1 web-0"
	for _, row := range []struct{ who, version, query, want string }{
		{"member", "2.1", "", all},
		{"admin", "2.1", "", "other"},

		// The name is a regular expression of the data base.
		{"member", "2.1", "name=web", "WEB-3 web-2 web-1 web-0"},
		{"member", "2.1", "name=^web-1$", "web-1"},
		{"member", "2.1", "name=" + url.PathEscape("web-[12]"), "web-2 web-1"},
		{"member", "2.1", "name=" + url.PathEscape(`web-\d`), "WEB-3 web-2 web-1 web-0"},
		{"member", "2.1", "name=" + url.PathEscape("web-1|web-2"), ""},
		{"member", "2.1", "name=" + url.PathEscape("a|b"), "a|b"},
		{"member", "2.1", "name=(", "400"},
		{"member", "2.1", "name=*", "400"},
		{"member", "2.1", "name=", "400"},
		{"member", "2.1", "name=web-1&name=web-2", "web-2"},

		{"member", "2.26", "tags=red", "web-1 web-0"},
		{"member", "2.26", "tags=blue,red", "web-1 web-0"},
		{"member", "2.26", "tags=", "400"},

		{"member", "2.74", "foo=bar", "400"},
		{"member", "2.75", "foo=bar", "400"},
		{"member", "2.75", "host=x", "400"},
	} {
		for _, path := range []string{"/servers", "/servers/detail"} {
			a := login(t, c, row.who).ask(fmt.Sprintf("GET compute %s?%s %s", path, row.query, row.version), "")
			got := fmt.Sprint(a.status)
			if a.status == 200 {
				got = names(t, a)
			}
			if got != row.want {
				t.Errorf("%s %s %s?%s: %s, want %s (%s)", row.who, row.version, path, row.query, got, row.want, a.body[:min(200, len(a.body))])
			}
		}
	}
}

func TestServerPages(t *testing.T) {
	c, ids := filterCloud(t)
	k := login(t, c, "member")
	for _, row := range []struct{ query, want, next string }{
		{"limit=2", "a|b WEB-3", "limit=2&marker=" + ids[3]},
		{"limit=2&marker=" + ids[3], "web-2 web-1", "limit=2&marker=" + ids[1]},
		{"limit=2&marker=" + ids[1], "web-0", ""},
		{"limit=5", "a|b WEB-3 web-2 web-1 web-0", "limit=5&marker=" + ids[0]},
		{"limit=5&marker=" + ids[0], "", ""},
		{"limit=0", "", ""},
		{"limit=5000", "a|b WEB-3 web-2 web-1 web-0", ""},
		{"marker=", "a|b WEB-3 web-2 web-1 web-0", ""},
		{"limit=2&name=web", "WEB-3 web-2", "limit=2&name=web&marker=" + ids[2]},
		{"marker=" + ids[5], "a|b WEB-3 web-2 web-1 web-0", ""}, // of another project
	} {
		for _, path := range []string{"/servers", "/servers/detail"} {
			a := k.must(200, "GET compute "+path+"?"+row.query+" 2.79", "")
			next := ""
			if links, ok := a.object(t)["servers_links"].([]any); ok {
				next = links[0].(map[string]any)["href"].(string)
			}
			want := row.next
			if want != "" {
				want = c.url + "/compute/RegionOne/v2.1" + path + "?" + want
			}
			if got := names(t, a); got != row.want || next != want {
				t.Errorf("%s?%s: %s, next %s; want %s, next %s", path, row.query, got, next, row.want, want)
			}
		}
	}
	for _, query := range []string{"limit=-1", "limit=x", "limit=", "limit=1.5", "marker=x", "offset=1"} {
		k.must(400, "GET compute /servers?"+query+" 2.79", "")
	}
	if a := k.ask("GET compute /servers?marker=x", ""); !strings.Contains(a.body, "marker [x] not found") {
		t.Errorf("%s", a.body)
	}
	// A page can be asked for after a server that is gone by then.
	c.RemoveServers("RegionOne", ids[3])
	if got := names(t, k.must(200, "GET compute /servers?marker="+ids[3], "")); got != "web-2 web-1 web-0" {
		t.Errorf("after a deleted marker: %s", got)
	}
}

func TestPageLimitOfTheServer(t *testing.T) {
	c := Start(t, Config{PageLimit: 3})
	k := login(t, c, "member")
	c.AddServers("RegionOne", make([]Server, 7)...)
	var all []string
	path := "/servers/detail?limit=1000"
	pages := 0
	for ; path != ""; pages++ {
		doc := k.must(200, "GET compute "+path, "").object(t)
		for _, s := range doc["servers"].([]any) {
			all = append(all, s.(map[string]any)["name"].(string))
		}
		path = ""
		if links, ok := doc["servers_links"].([]any); ok {
			href := links[0].(map[string]any)["href"].(string)
			path = strings.TrimPrefix(href, c.url+roots["compute"])
		}
	}
	if got := strings.Join(all, " "); pages != 3 || got != "server-7 server-6 server-5 server-4 server-3 server-2 server-1" {
		t.Errorf("%d pages: %s", pages, got)
	}
}

// TestServersOfOneAge are in the order of their ids.
func TestServersOfOneAge(t *testing.T) {
	c := Start(t, Config{Now: func() time.Time { return Epoch.Add(time.Millisecond) }})
	k := login(t, c, "member")
	for range 5 {
		k.server("x", "")
	}
	var ids []string
	for _, s := range k.must(200, "GET compute /servers", "").object(t)["servers"].([]any) {
		ids = append(ids, s.(map[string]any)["id"].(string))
	}
	if !slices.IsSorted(ids) {
		t.Errorf("not sorted: %v", ids)
	}
	second := k.must(200, "GET compute /servers?limit=2&marker="+ids[1], "").object(t)["servers"].([]any)
	if second[0].(map[string]any)["id"] != ids[2] {
		t.Errorf("the page after %s starts with %v", ids[1], second[0])
	}
}

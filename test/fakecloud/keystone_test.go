package fakecloud

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// endpoints lists the catalogue as service, interface, region and URL.
func endpoints(t *testing.T, c *Cloud) []string {
	t.Helper()
	a := login(t, c, "nobody").must(201, "POST identity /auth/tokens", `{"auth": {
		"identity": {"methods": ["password"], "password": {"user": {"name": "member", "domain": {"id": "default"}, "password": "secret"}}},
		"scope": {"project": {"name": "member", "domain": {"id": "default"}}}}}`)
	var list []string
	for _, s := range a.object(t)["token"].(map[string]any)["catalog"].([]any) {
		service := s.(map[string]any)
		for _, e := range service["endpoints"].([]any) {
			endpoint := e.(map[string]any)
			if endpoint["region"] != endpoint["region_id"] {
				t.Errorf("endpoint %v", endpoint)
			}
			list = append(list, fmt.Sprint(service["type"], " ", endpoint["interface"], " ", endpoint["region"], " ", endpoint["url"]))
		}
	}
	slices.Sort(list)
	return list
}

func TestCatalogWithProjectsInURLs(t *testing.T) {
	c := Start(t, Config{ProjectInURL: true})
	k := login(t, c, "member")
	list := endpoints(t, c)
	if want := "compute public RegionOne " + c.url + "/compute/RegionOne/v2.1/" + MemberProjectID; !slices.Contains(list, want) {
		t.Errorf("%s is not in\n%s", want, strings.Join(list, "\n"))
	}
	for _, f := range []struct {
		path   string
		status int
	}{
		{"/" + MemberProjectID, http.StatusNotFound}, // only with a slash is that the version document
		{"/" + MemberProjectID + "/", http.StatusOK},
		{"/" + MemberProjectID + "/servers", http.StatusOK},
		{"/servers", http.StatusOK},
		{"/" + AdminProjectID + "/servers", http.StatusBadRequest},
	} {
		if a := k.ask("GET compute "+f.path, ""); a.status != f.status {
			t.Errorf("%s: %d %s", f.path, a.status, a.body)
		}
	}
	id := k.server("one", "")
	if a := k.ask("GET compute /"+MemberProjectID+"/servers?limit=1", ""); !strings.Contains(a.body,
		"/v2.1/"+MemberProjectID+"/servers?limit=1&marker="+id) {
		t.Errorf("the next page is elsewhere: %s", a.body)
	}
}

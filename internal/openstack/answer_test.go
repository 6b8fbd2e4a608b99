package openstack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestOtherAnswers: a good status with another object, or with one about another server or group, is an error
// that names the place and the request. It is never read as an empty list or as a deleted server, and it
// never causes a panic.
func TestOtherAnswers(t *testing.T) {
	const about = `about another one, "other"`
	for _, c := range []struct{ request, body, want string }{
		{"POST /auth/tokens", `{}`, "without a catalogue"},
		{"GET /", `{}`, `region RegionOne: find the microversions of Nova: the answer has no "version"`},
		{"GET /regions", `{}`, `list regions: the answer has no "regions"`},
		{"GET /os-availability-zone", `{}`, `region RegionOne: list availability zones: the answer has no "availabilityZoneInfo"`},
		{"GET /os-hypervisors/detail", `{}`, `os-hypervisors/detail: the answer has no "hypervisors"`},
		{"GET /limits", `{}`, `region RegionOne: get the project's limits: the answer has no "limits"`},
		{"GET /flavors/f", `{}`, `region RegionOne: get the flavor "f": the answer has no "flavor"`},
		{"GET /flavors/f", `{"flavor": {"id": "other"}}`, about},
		{"GET /images/i", `{}`, `region RegionOne: get the image i: the answer has no "id"`},
		{"GET /servers/s", `{}`, `region RegionOne: get the server s: the answer has no "status"`},
		{"GET /servers/s", `{"server": {"id": "other", "status": "DELETED"}}`, about},
		{"GET /os-server-groups", `{}`, `region RegionOne: list server groups: the answer has no "server_groups"`},
		{"GET /os-server-groups/g-1", `{}`, `region RegionOne: get the server group g-1: the answer has no "server_group"`},
		{"GET /os-server-groups/g-1", `{"server_group": {"id": "other"}}`, about},
		{"POST /os-server-groups", `{}`, `region RegionOne: create the server group "g": the answer has no "server_group"`},
	} {
		i := slices.IndexFunc(requests, func(r request) bool { return r.method+" "+r.path == c.request })
		r := requests[i]
		fake := fakecloud.Start(t, fakecloud.Config{})
		fake.Inject(fakecloud.Fault{Method: r.method, Path: r.path, Status: r.status(), Body: c.body, Times: fakecloud.Forever})
		_, err := r.ask(t.Context(), open(t, member(fake)), "RegionOne")
		assert.ErrorContains(t, err, c.want, "%s: %s", c.request, c.body)
	}
}

// FuzzDocuments: any answer to any request is read or refused after a few requests, and no name that is read
// has a control character.
func FuzzDocuments(f *testing.F) {
	var asked []request // requests for pages and documents
	for _, r := range requests {
		if r.method == "GET" {
			asked = append(asked, r)
		}
	}
	for _, body := range []string{
		`{"regions": [{"id": "R"}], "links": {"next": "http://cloud.example/identity/v3/regions?page=2"}}`, `{"regions": [{"id": "\u001b[2J"}]}`,
		`{"availabilityZoneInfo": [{"zoneName": "az\n", "zoneState": {"available": true}, "hosts": null}]}`, `{"limits": {"absolute": {"maxTotalCores": 1}}}`,
		`{"flavor": {"id": "f", "vcpus": 1, "ram": 64}}`, `{"id": "i", "created_at": "2026-01-01T00:00:00Z"}`, `{"id": "i", "created_at": "99999"}`,
		`{"hypervisors": [{"id": 1, "service": {"host": "h"}}], "hypervisors_links": [{"rel": "next", "href": "/"}]}`,
		`{"server_groups": [{"id": "g", "policies": []}]}`,
		`{"servers": [{"id": "s", "status": "ACTIVE"}], "servers_links": [{}]}`, `{"server": {"id": "s", "status": "ACTIVE"}}`,
		`{"version": {"id": "v2.1", "version": "2.96"}}`,
		`{"version": {"id": "v2.1", "version": "2.-1"}}`, `{"version": {"id": "v2.1", "version": "2.99999999999999999999"}}`, `{}`, `null`,
		`[]`, `{"regions": {}}`, ``,
	} {
		for i := range asked {
			f.Add(uint8(i), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		ask, requests := asked[int(which)%len(asked)], 0
		c := openstack.Invent(t, func(r *http.Request) (int, string, []byte) {
			requests++
			switch {
			case strings.HasSuffix(r.URL.Path, "/auth/tokens"):
				return http.StatusCreated, "application/json", []byte(openstack.GoodCatalogue)
			case r.URL.Path == "/compute/v2.1/" && ask.path != "/":
				return http.StatusOK, "application/json", []byte(`{"version": {"id": "v2.1", "version": "2.96"}}`)
			}
			return http.StatusOK, "application/json", body
		})
		got, err := ask.ask(t.Context(), c, "R")
		assert.LessOrEqual(t, requests, 12, "%s: requests", ask.path)
		if shown := fmt.Sprintf("%v", got); err == nil && text.Clean(shown) != shown {
			t.Errorf("%s: %q was read", ask.path, shown)
		}
		assert.True(t, err != nil || json.Valid(body), "%s: %v was read from %q", ask.path, got, body)
	})
}

package openstack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
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

// TestEchoes: a server that only echoes, or a proxy, may answer with the words of the request, and with any status of
// success. Nothing shows its secrets, and no status but the usual one is good.
func TestEchoes(t *testing.T) {
	echoes := map[string]http.HandlerFunc{
		"the request": func(w http.ResponseWriter, r *http.Request) { _ = r.Write(w) },
		"its body":    func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) },
		"its parts": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_ = json.NewEncoder(w).Encode(map[string]any{"headers": r.Header, "data": string(body), "id": r.Header})
		},
	}
	for _, r := range requests {
		for _, status := range []int{200, 201, 202, 203, 204, 205, 206, 207, 208, 226} {
			for name, echo := range echoes {
				fake := fakecloud.Start(t, fakecloud.Config{})
				var shown []any
				cloud := open(t, openstack.Config{AuthURL: fake.AuthURL(), ApplicationCredentialID: fakecloud.AppCredentialID,
					ApplicationCredentialSecret: fakecloud.AppCredentialSecret, MaxRetries: 1,
					Log: func(_ context.Context, said string, fields map[string]any) { shown = append(shown, said, fields) }})
				fault := fake.Inject(fakecloud.Fault{Method: r.method, Path: r.path, Effect: fakecloud.Handle, Times: fakecloud.Forever,
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(status)
						echo(w, r)
					})})
				value, err := r.ask(t.Context(), cloud, "RegionOne")
				assert.NotZero(t, fault.Fired(), "%s %s: nothing was asked: %v", r.method, r.path, err)
				assert.True(t, err != nil || status == r.status(), "%s %s: %d with %s is a good answer", r.method, r.path, status, name)
				said := fmt.Sprint(append(shown, value, err)...)
				for _, asked := range fake.Requests() {
					if asked.Token != "" {
						assert.NotContains(t, said, asked.Token, "%s %s: %d with %s", r.method, r.path, status, name)
					}
				}
				assert.NotContains(t, said, fakecloud.AppCredentialSecret, "%s %s: %d with %s", r.method, r.path, status, name)
			}
		}
	}
}

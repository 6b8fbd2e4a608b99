package openstack_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServerStatus: a server that Nova keeps only until its removal is gone.
func TestServerStatus(t *testing.T) {
	fake, _, compute := discovered(t)
	for status, want := range map[string]string{"ACTIVE": "ACTIVE", "SHELVED": "SHELVED", "DELETED": "", "SOFT_DELETED": ""} {
		id := fake.AddServers("RegionOne", fakecloud.Server{Name: "web", Status: status})[0]
		if got, err := (openstack.Server{Compute: compute, ID: id}).Status(t.Context()); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", status, got, err, want)
		}
	}
}

// TestServerDirty: the decoder's error quotes an invalid time, and no control character is shown.
func TestServerDirty(t *testing.T) {
	fake, _, compute := discovered(t)
	fake.Inject(fakecloud.Fault{Path: "/servers/s", Status: http.StatusOK, Body: `{"server": {"id": "s", "status": "ACTIVE", "created": "now\u007f"}}`})
	_, err := openstack.Server{Compute: compute, ID: "s"}.Status(t.Context())
	require.ErrorContains(t, err, `now\x7f`)
	assert.NotContains(t, err.Error(), "\x7f")
}

// TestServerExists: servers are listed once. A server that is not in the list, because it is new or for
// another reason, is requested before it counts as gone.
func TestServerExists(t *testing.T) {
	fake, _, compute := discovered(t)
	there := func(id string, want bool) {
		t.Helper()
		if got, err := (openstack.Server{Compute: compute, ID: id}).Exists(t.Context()); err != nil || got != want {
			t.Errorf("got %t, %v, want %t", got, err, want)
		}
	}
	first := fake.AddServers("RegionOne", fakecloud.Server{Name: "first"})[0]
	there(first, true)
	there(fake.AddServers("RegionOne", fakecloud.Server{Name: "second"})[0], true)
	there("00000000-0000-0000-0000-000000000000", false)
	assert.Equal(t, 1, fake.Count("GET compute /servers"), "lists")
	assert.Equal(t, 2, fake.Count("GET compute /servers/*"), "servers that were asked for")
	fake.Inject(fakecloud.Fault{Path: "/servers/*", Status: 500, Times: fakecloud.Forever})
	_, err := openstack.Server{Compute: compute, ID: "1"}.Exists(t.Context())
	assert.Error(t, err, "a server that cannot be read counts as gone")
}

// TestEmptyPage: a list that announces more items and returns an empty page is an error, and is not requested
// for ever.
func TestEmptyPage(t *testing.T) {
	const link = `"servers_links": [{"rel": "next", "href": "/"}]`
	for name, page := range map[string]string{
		"the first page": `{"servers": [], ` + link + `}`,
		"a later page":   `{"servers": [{"id": "1"}], ` + link + `}`,
	} {
		fake, _, compute := discovered(t)
		if name == "a later page" {
			fake.Inject(fakecloud.Fault{Path: "/servers", Status: 200, Body: page})
		}
		fake.Inject(fakecloud.Fault{Path: "/servers", Status: 200, Body: `{"servers": [], ` + link + `}`, Times: 10})
		_, err := openstack.Server{Compute: compute, ID: "1"}.Exists(t.Context())
		assert.ErrorContains(t, err, "more items are announced after", name)
		assert.LessOrEqual(t, fake.Count("GET compute /servers"), 2, "%s: requests", name)
	}
	fake, _, compute := discovered(t)
	fake.Inject(fakecloud.Fault{Path: "/servers", Status: 200, Body: `{"servers": [{"id": "2"}], "servers_links": 7}`})
	_, err := openstack.Server{Compute: compute, ID: "1"}.Exists(t.Context())
	assert.ErrorContains(t, err, "list servers", "a page whose links cannot be read is taken for the last one")
}

func TestParseMark(t *testing.T) {
	longest := strings.Repeat("x", 255)
	for value, want := range map[string]string{
		"1": "1", "7-0f3a9c21": "7-0f3a9c21", "A_b.c-1": "A_b.c-1", longest: longest,
		"": "", "7\x20": "", "7\n": "", "é": "", "a/b": "", longest + "x": "",
	} {
		assert.Equal(t, want, openstack.ParseMark(value), value)
	}
}

// TestMark: marks, times and notes are keys of the metadata, and no other key is touched.
func TestMark(t *testing.T) {
	fake, _, compute := discovered(t)
	id := fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Metadata: map[string]string{"role": "web"}})[0]
	server := openstack.Server{Compute: compute, ID: id}
	holds := func(step string, err error, want map[string]string) {
		t.Helper()
		if got := fake.Servers("RegionOne")[0].Metadata; err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, metadata %v, want %v", step, err, got, want)
		}
	}
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.FixedZone("", 3600))
	holds("mark", server.Mark(t.Context(), "3-0f3a9c21", time.Time{}), map[string]string{"role": "web", openstack.MarkKey: "3-0f3a9c21"})
	holds("mark again, with a time", server.Mark(t.Context(), "4", at), map[string]string{"role": "web", openstack.MarkKey: "4",
		openstack.InServiceAtKey: "2026-11-22T09:00:00Z"})
	holds("unmark", server.Unmark(t.Context()), map[string]string{"role": "web"})
	holds("unmark what has no mark", server.Unmark(t.Context()), map[string]string{"role": "web"})

	holds("note a drain", server.NoteDrain(t.Context(), at), map[string]string{"role": "web", openstack.DrainedKey: "2026-11-22T09:00:00Z"})
	if state, err := server.State(t.Context()); err != nil ||
		state != (openstack.State{Status: "ACTIVE", Drained: true, Note: "2026-11-22T09:00:00Z", At: fakecloud.Epoch.Add(2 * time.Second)}) {
		t.Errorf("drained: %+v, %v", state, err)
	}
	holds("forget it", server.ForgetDrain(t.Context()), map[string]string{"role": "web"})
	holds("note a failure", server.NoteFailure(t.Context(), "2-1f", at),
		map[string]string{"role": "web", openstack.NotInServiceAtKey: "2-1f 2026-11-22T09:00:00Z"})
	if state, err := server.State(t.Context()); err != nil || !state.Late {
		t.Errorf("a wait that ended: %+v, %v", state, err)
	}
	holds("forget that", server.ForgetFailure(t.Context()), map[string]string{"role": "web"})

	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPut, Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"x": 1}`})
	assert.Error(t, server.Mark(t.Context(), "5", time.Time{}), "another's answer is no proof of a mark")

	fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "metadata_items", 1)
	full := server.Mark(t.Context(), "6", at)
	assert.ErrorContains(t, full, "exceeds 1; the server has 1 entries of metadata and would get two more: this user may not")

	gone := openstack.Server{Compute: compute, ID: "00000000-0000-0000-0000-000000000000"}
	assert.NoError(t, gone.Unmark(t.Context()), "unmark a server that is gone")
	assert.True(t, gophercloud.ResponseCodeIs(gone.Mark(t.Context(), "1", time.Time{}), http.StatusNotFound), "mark a server that is gone")
	fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.LockedBy, s.Metadata[openstack.MarkKey] = "owner", "7" })
	assert.True(t, gophercloud.ResponseCodeIs(server.NoteDrain(t.Context(), at), http.StatusConflict), "note a drain of a locked server")
	if state, err := server.State(t.Context()); err != nil ||
		state != (openstack.State{Status: "ACTIVE", Locked: true, Mark: "7", At: fakecloud.Epoch.Add(2 * time.Second)}) {
		t.Errorf("locked: %+v, %v", state, err)
	}
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodDelete, Status: http.StatusConflict})
	assert.True(t, gophercloud.ResponseCodeIs(server.Unmark(t.Context()), http.StatusConflict), "refused")
}

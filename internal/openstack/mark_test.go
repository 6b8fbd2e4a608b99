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
)

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

package openstack_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

func TestParseMark(t *testing.T) {
	for value, want := range map[string]int64{
		"1": 1, "42": 42, "9223372036854775807": 9223372036854775807,
		"": 0, "0": 0, "-1": 0, "true": 0, "1.5": 0, "1x": 0, "9223372036854775808": 0,
	} {
		if got := openstack.ParseMark(value); got != want {
			t.Errorf("%q: got %d, want %d", value, got, want)
		}
	}
}

// TestMark: a mark is one key of the metadata, and touches no other.
func TestMark(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	cloud := open(t, member(fake))
	compute, err := cloud.Compute(t.Context(), "RegionOne")
	if err != nil {
		t.Fatal(err)
	}
	id := fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Metadata: map[string]string{"role": "web"}})[0]
	server := openstack.Server{Compute: compute, ID: id}
	holds := func(step string, err error, want map[string]string) {
		t.Helper()
		if got := fake.Servers("RegionOne")[0].Metadata; err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, metadata %v, want %v", step, err, got, want)
		}
	}
	holds("mark", server.Mark(t.Context(), 3), map[string]string{"role": "web", openstack.MarkKey: "3"})
	holds("mark again", server.Mark(t.Context(), 4), map[string]string{"role": "web", openstack.MarkKey: "4"})
	holds("unmark", server.Unmark(t.Context()), map[string]string{"role": "web"})
	holds("unmark what has no mark", server.Unmark(t.Context()), map[string]string{"role": "web"})

	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPut, Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"x": 1}`})
	if err := server.Mark(t.Context(), 5); err == nil {
		t.Error("another's answer is no proof of a mark")
	}

	gone := openstack.Server{Compute: compute, ID: "00000000-0000-0000-0000-000000000000"}
	if err := gone.Unmark(t.Context()); err != nil {
		t.Errorf("unmark a server that is gone: %v", err)
	}
	if err := gone.Mark(t.Context(), 1); !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		t.Errorf("mark a server that is gone: %v", err)
	}
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodDelete, Status: http.StatusConflict})
	if err := server.Unmark(t.Context()); !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
		t.Errorf("refused: %v", err)
	}
}

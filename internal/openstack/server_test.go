package openstack_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// TestServerStatus: a server that only waits for its removal is gone.
func TestServerStatus(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	compute, err := open(t, member(fake)).Compute(t.Context(), "RegionOne")
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[string]string{"ACTIVE": "ACTIVE", "SHELVED": "SHELVED", "DELETED": "", "SOFT_DELETED": ""} {
		id := fake.AddServers("RegionOne", fakecloud.Server{Name: "web", Status: status})[0]
		if got, err := (openstack.Server{Compute: compute, ID: id}).Status(t.Context()); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", status, got, err, want)
		}
	}
}

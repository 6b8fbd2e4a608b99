package openstack_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOtherAnswers: a good status with another object behind it is an error
// that names the place and the request. It is no empty list, no server that is
// gone, and no reason to crash.
func TestOtherAnswers(t *testing.T) {
	on := func(ask func(context.Context, *openstack.Compute) error) func(context.Context, *openstack.Cloud) error {
		return func(ctx context.Context, cloud *openstack.Cloud) error {
			compute, err := cloud.Compute(ctx, "RegionOne")
			if err != nil {
				return err
			}
			return ask(ctx, compute)
		}
	}
	for path, c := range map[string]struct {
		ask  func(context.Context, *openstack.Cloud) error
		want string
	}{
		"/auth/tokens": {func(ctx context.Context, c *openstack.Cloud) error { return c.Login(ctx) }, "without a catalogue"},
		"/":            {on(func(context.Context, *openstack.Compute) error { return nil }), `region RegionOne: find the microversions of Nova: the answer has no "version"`},
		"/regions":     {func(ctx context.Context, c *openstack.Cloud) error { _, err := c.Regions(ctx); return err }, `list regions: the answer has no "regions"`},
		"/os-availability-zone": {func(ctx context.Context, c *openstack.Cloud) error { _, err := c.Zones(ctx, "RegionOne"); return err },
			`region RegionOne: list availability zones: the answer has no "availabilityZoneInfo"`},
		"/os-hypervisors/detail": {on(func(ctx context.Context, c *openstack.Compute) error { _, err := c.Hypervisors(ctx); return err }),
			`os-hypervisors/detail: the answer has no "hypervisors"`},
		"/limits": {func(ctx context.Context, c *openstack.Cloud) error { _, err := c.Limits(ctx, "RegionOne"); return err },
			`region RegionOne: get the project's limits: the answer has no "limits"`},
		"/flavors/f": {func(ctx context.Context, c *openstack.Cloud) error {
			_, err := c.Flavor(ctx, "RegionOne", "f")
			return err
		},
			`region RegionOne: get the flavor "f": the answer has no "flavor"`},
		"/images/i": {func(ctx context.Context, c *openstack.Cloud) error {
			_, err := c.ImageCreated(ctx, "RegionOne", "i")
			return err
		},
			`region RegionOne: get the image i: the answer has no "id"`},
		"/servers/s": {on(func(ctx context.Context, c *openstack.Compute) error {
			_, err := (openstack.Server{Compute: c, ID: "s"}).Status(ctx)
			return err
		}), `region RegionOne: get the server s: the answer has no "status"`},
		"/os-server-groups": {on(func(ctx context.Context, c *openstack.Compute) error { _, err := c.ServerGroups(ctx); return err }),
			`region RegionOne: list server groups: the answer has no "server_groups"`},
		"/os-server-groups/g": {on(func(ctx context.Context, c *openstack.Compute) error { _, err := c.ServerGroup(ctx, "g"); return err }),
			`region RegionOne: get the server group g: the answer has no "server_group"`},
		"/os-server-groups?": {on(func(ctx context.Context, c *openstack.Compute) error {
			_, err := c.CreateServerGroup(ctx, "g", "affinity", 0)
			return err
		}), `region RegionOne: create the server group "g": the answer has no "server_group"`},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		status := http.StatusOK
		if path == "/auth/tokens" {
			status = http.StatusCreated
		}
		fake.Inject(fakecloud.Fault{Path: strings.TrimSuffix(path, "?"), Status: status, Body: "{}", Times: fakecloud.Forever})
		assert.ErrorContains(t, c.ask(t.Context(), open(t, member(fake))), c.want, path)
	}
}

// TestAnotherAnswer: an answer about another server or group than the one that
// was asked for says nothing about it.
func TestAnotherAnswer(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.Inject(fakecloud.Fault{Path: "/servers/s", Status: http.StatusOK, Times: fakecloud.Forever, Body: `{"server": {"id": "other", "status": "DELETED"}}`})
	fake.Inject(fakecloud.Fault{Path: "/os-server-groups/g", Status: http.StatusOK, Times: fakecloud.Forever, Body: `{"server_group": {"id": "other"}}`})
	compute, err := open(t, member(fake)).Compute(t.Context(), "RegionOne")
	require.NoError(t, err)
	if status, err := (openstack.Server{Compute: compute, ID: "s"}).Status(t.Context()); err == nil || !strings.Contains(err.Error(), `about another one, "other"`) {
		t.Errorf("got %q, %v", status, err)
	}
	if group, err := compute.ServerGroup(t.Context(), "g"); err == nil || !strings.Contains(err.Error(), `about another one, "other"`) {
		t.Errorf("got %+v, %v", group, err)
	}
}

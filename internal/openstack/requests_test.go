package openstack_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// asking sends a request; region is used if each region has its own.
type asking func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error)

// request is one kind of request that the provider makes.
type request struct {
	method, path string // as the fake cloud knows it
	good         string // a good answer
	ask          asking
}

// status returns the status of a good answer.
func (r request) status() int {
	switch {
	case r.path == "/auth/tokens":
		return http.StatusCreated
	case strings.HasSuffix(r.path, "/action"):
		return http.StatusAccepted
	case r.method == "DELETE":
		return http.StatusNoContent
	}
	return http.StatusOK
}

// list is a good answer with an item.
func list(of, item string) string { return `{"` + of + `": [` + item + `]}` }

// object is a good answer with one object.
func object(of, item string) string { return `{"` + of + `": ` + item + `}` }

// readNodes reads the nodes of regions.
func readNodes(ctx context.Context, cloud *openstack.Cloud, regions ...string) (any, error) {
	return cluster.Read(ctx, cloud, cluster.Query{Regions: regions, Selector: cluster.Selector{NameRegex: "^"}, NoProfiles: true,
		Attached: true})
}

// ofCompute makes a request to a region's Nova.
func ofCompute[T any](ask func(context.Context, *openstack.Compute) (T, error)) asking {
	return func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
		compute, err := cloud.Compute(ctx, region)
		if err != nil {
			return nil, err
		}
		return ask(ctx, compute)
	}
}

// ofServer makes a request that changes a server to a region's Nova.
func ofServer(change func(context.Context, openstack.Server) error) asking {
	return ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) {
		return nil, change(ctx, openstack.Server{Compute: c, ID: "s"})
	})
}

const (
	group = `{"id": "g-1", "project_id": "p", "name": "group", "policy": "affinity", "policies": ["affinity"], ` +
		`"rules": {"max_server_per_host": 1}, "members": ["member"]}`
	poolMember = `{"id": "m1", "name": "n", "address": "10.0.0.1", "operating_status": "ONLINE"}`
)

// requests lists all requests that the provider makes.
var requests = []request{
	{"POST", "/auth/tokens", `{"token": {"user": {"name": "user"}, "catalog": [{"type": "compute", "name": "nova", ` +
		`"endpoints": [{"interface": "public", "region_id": "RegionOne", "region": "RegionOne", ` +
		`"url": "http://cloud.invalid/v2.1"}]}, ` +
		`{"type": "other", "endpoints": [{"id": "1", "interface": "public", "region_id": "elsewhere", ` +
		`"url": "http://cloud.invalid/"}]}]}}`,
		func(ctx context.Context, cloud *openstack.Cloud, _ string) (any, error) {
			if err := cloud.Login(ctx); err != nil {
				return nil, err
			}
			return cloud.ComputeRegions(ctx)
		}},
	{"GET", "/regions", list("regions", `{"id": "region-1"}`),
		func(ctx context.Context, cloud *openstack.Cloud, _ string) (any, error) { return cloud.Regions(ctx) }},
	{"GET", "/", object("version", `{"id": "v2.1", "version": "2.96", "status": "CURRENT"}`),
		ofCompute(func(_ context.Context, c *openstack.Compute) (string, error) { return c.Region, nil })},
	{"GET", "/servers/detail", list("servers", `{"id": "s-1", "name": "web", "status": "ACTIVE", "OS-EXT-AZ:availability_zone": "az", "hostId": "h", `+
		`"flavor": {"original_name": "f"}, "created": "2026-01-01T00:00:00Z", "image": {"id": "i"}, "metadata": {"profile": "p", `+
		`"stackpolicy_in_service": "1"}, "tags": ["t"], "fault": {"message": "m"}, `+
		`"addresses": {"net": [{"addr": "10.0.0.1", "version": 4, "OS-EXT-IPS:type": "fixed"}]}}`),
		func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
			return readNodes(ctx, cloud, region)
		}},
	{"GET", "/servers", list("servers", `{"id": "s-1", "name": "n"}`),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (bool, error) {
			return openstack.Server{Compute: c, ID: "s-1"}.Exists(ctx)
		})},
	{"GET", "/servers/s", object("server", `{"id": "s", "status": "ERROR", "name": "n", "fault": {"message": "no host", "code": 500}, `+
		`"created": "2026-01-01T00:00:00Z"}`),
		ofCompute(func(ctx context.Context, c *openstack.Compute) ([]string, error) {
			status, err := openstack.Server{Compute: c, ID: "s"}.Status(ctx)
			fault, faultErr := openstack.Server{Compute: c, ID: "s"}.Fault(ctx)
			return []string{status, fault}, errors.Join(err, faultErr)
		})},
	{"POST", "/servers/s/action", `{"adminPass": "x"}`,
		ofServer(func(ctx context.Context, s openstack.Server) error { return s.Stop(ctx) })},
	{"GET", "/servers/s/os-instance-actions", list("instanceActions", `{"action": "stop", "message": "Error 1", "request_id": "req-1"}`),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (string, error) {
			return openstack.Server{Compute: c, ID: "s"}.StopFailure(ctx)
		})},
	{"PUT", "/servers/s/metadata/*", object("meta", `{"stackpolicy_in_service": "1-abcdef01"}`),
		ofServer(func(ctx context.Context, s openstack.Server) error { return s.Mark(ctx, "1-abcdef01", time.Time{}) })},
	{"DELETE", "/servers/s/metadata/*", `{}`,
		ofServer(func(ctx context.Context, s openstack.Server) error { return s.Unmark(ctx) })},
	{"GET", "/os-server-groups", list("server_groups", group),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) { return c.ServerGroups(ctx) })},
	{"GET", "/os-server-groups/g-1", object("server_group", group),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) { return c.ServerGroup(ctx, "g-1") })},
	{"POST", "/os-server-groups", object("server_group", group),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) {
			return c.CreateServerGroup(ctx, "g", "affinity", 0)
		})},
	{"DELETE", "/os-server-groups/g", `{}`,
		ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) {
			return nil, c.DeleteServerGroup(ctx, "g")
		})},
	{"GET", "/os-hypervisors/detail", list("hypervisors", `{"id": "1", "hypervisor_hostname": "h", "state": "up", "status": "enabled", `+
		`"service": {"id": "s", "host": "host"}}`),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) { return c.Hypervisors(ctx) })},
	{"GET", "/os-availability-zone", list("availabilityZoneInfo", `{"zoneName": "az-1", "zoneState": {"available": true}, "hosts": null}`),
		func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
			return cloud.Zones(ctx, region)
		}},
	{"GET", "/os-availability-zone/detail", list("availabilityZoneInfo", `{"zoneName": "az-1", "zoneState": {"available": true}, `+
		`"hosts": {"host": {"nova-compute": {"available": true, "active": true}}}}`),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) { return c.HostZones(ctx) })},
	{"GET", "/limits", object("limits", `{"rate": [], "absolute": {"maxTotalCores": 1}}`),
		func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
			return cloud.Limits(ctx, region)
		}},
	{"GET", "/flavors/f", object("flavor", `{"id": "f", "name": "n", "vcpus": 1, "ram": 1, "disk": 1}`),
		func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
			return cloud.Flavor(ctx, region, "f")
		}},
	{"GET", "/flavors/detail", list("flavors", `{"id": "f-1", "name": "n", "vcpus": 1, "ram": 1}`),
		ofCompute(func(ctx context.Context, c *openstack.Compute) (any, error) { return c.Flavors(ctx) })},
	{"GET", "/images", list("images", `{"id": "i-1", "name": "n", "status": "active", "created_at": "2026-01-01T00:00:00Z"}`),
		func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
			return cloud.ImagesNamed(ctx, region, "n")
		}},
	{"GET", "/images/i", `{"id": "i", "name": "n", "created_at": "2026-01-01T00:00:00Z"}`,
		func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
			return cloud.ImageCreated(ctx, region, "i")
		}},
	{"GET", "/lbaas/pools/p/members", list("members", poolMember),
		func(ctx context.Context, cloud *openstack.Cloud, region string) (any, error) {
			return cloud.Members(ctx, region, "p")
		}},
}

// get returns the request of a path with GET.
func get(path string) request {
	return requests[slices.IndexFunc(requests, func(r request) bool { return r.method == "GET" && r.path == path })]
}

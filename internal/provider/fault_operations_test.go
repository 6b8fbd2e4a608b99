package provider_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// operation is an operation that Terraform asks of the provider.
type operation struct {
	name   string
	before step // makes the instance that the operation works on; nil: the operation makes it
	do     step
}

// step is a part of an operation: it returns the next instance.
type step func(ctx context.Context, p *protocol.Provider, w *world, i instance) (instance, error)

// world is the cloud that an operation works with: a cluster in two regions, read in
// several pages, and other servers and groups.
type world struct {
	fake    *fakecloud.Cloud
	servers []string // ids of the cluster's servers in RegionOne
	group   string   // id of a group with the first two of these servers
	limits
}

// limits are the times in seconds after which a request, or a hook, is given up.
type limits struct{ request, hook int }

var patient = limits{request: 60, hook: 60}

func newWorld(l limits) (*world, error) {
	w := &world{fake: fakecloud.New(fakecloud.Config{PageLimit: 3}), limits: l}
	w.fake.AddZone("RegionOne", fakecloud.Zone{Name: "az-4", Hosts: []string{"drs-1"}})
	w.fake.AddRegion("Dark")
	w.fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "other", Policy: "anti-affinity", ProjectID: fakecloud.AdminProjectID})
	w.group = w.fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "shared", Policy: "anti-affinity", ProjectID: fakecloud.AdminProjectID})
	for i := range 5 {
		server := fakecloud.Server{Name: fmt.Sprintf("web-%d", i), ProjectID: fakecloud.AdminProjectID}
		w.fake.AddServers("RegionTwo", server)
		if i < 2 {
			server.Group = w.group
		}
		server.Name = fmt.Sprintf("web-%d", 5+i)
		w.servers = append(w.servers, w.fake.AddServers("RegionOne", server)...)
	}
	w.fake.AddServers("RegionOne", fakecloud.Server{Name: "db-0", ProjectID: fakecloud.AdminProjectID})
	return w, w.fake.Listen("127.0.0.1:0")
}

// consume answers hooks and probes: it completes a webhook after one drain.
func (w *world) consume() {
	for _, f := range []fakecloud.Fault{
		{Method: http.MethodPost, Path: "/hook", Status: http.StatusAccepted},
		{Method: http.MethodGet, Path: "/hook", Status: http.StatusNoContent},
		{Method: http.MethodGet, Path: "/health", Status: http.StatusNoContent},
	} {
		f.Times = fakecloud.Forever
		w.fake.Inject(f)
	}
}

// connect logs in again, as Terraform does for every command.
func (w *world) connect(ctx context.Context, l limits) (*protocol.Provider, error) {
	return protocol.Connect(ctx, attributes{"auth_url": w.fake.AuthURL(), "user_name": fakecloud.AdminUser, "password": fakecloud.Password,
		"tenant_name": fakecloud.AdminProject, "region": "RegionOne", "max_retries": 1, "request_timeout": l.request})
}

// groups returns the ids of all server groups.
func (w *world) groups(except ...string) (ids []string) {
	for _, g := range w.fake.ServerGroups("RegionOne") {
		if !slices.Contains(except, g.Name) {
			ids = append(ids, g.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func read(kind string, config func(*world) attributes) step {
	return func(ctx context.Context, p *protocol.Provider, w *world, _ instance) (i instance, err error) {
		i.Kind = kind
		i.State, err = p.ReadData(ctx, kind, config(w))
		return i, err
	}
}

func change(kind string, config func(*world) attributes) step {
	return func(ctx context.Context, p *protocol.Provider, w *world, i instance) (instance, error) {
		i.Kind = kind
		return p.Apply(ctx, i, config(w))
	}
}

func adopt(kind, format string, id func(*world) string) step {
	return func(ctx context.Context, p *protocol.Provider, w *world, _ instance) (instance, error) {
		return p.Adopt(ctx, kind, fmt.Sprintf(format, id(w)))
	}
}

func refresh(ctx context.Context, p *protocol.Provider, _ *world, i instance) (instance, error) {
	return p.Refresh(ctx, i)
}

func remove(ctx context.Context, p *protocol.Provider, _ *world, i instance) (instance, error) {
	return p.Apply(ctx, i, nil)
}

// always returns the same configuration for any world.
func always(config attributes) func(*world) attributes {
	return func(*world) attributes { return config }
}

// operations are all operations of all data sources and resources. An operation that
// can take several paths is here once for each.
func operations() []operation {
	const affinity, placement, deletion = "stackpolicy_affinity_attachment", "stackpolicy_placement_attachment", "stackpolicy_deletion_attachment"
	const readiness = "stackpolicy_readiness_attachment"
	two := []any{"RegionOne", "RegionTwo"}
	one := attributes{"count": 2}
	regions := []any{attributes{"name": "RegionOne"}, attributes{"name": "RegionTwo", "weight": 200}, attributes{"name": "Dark"}}
	zones := []any{attributes{"name": "az-1"}, attributes{"name": "az-2"}}

	named := attributes{"servergroup": attributes{"name": "mine"}}
	drs := attributes{"servergroup": attributes{"name": "mine"}, "enable_drs_extension": true, "availability_zone": "az-4"}
	soft := attributes{"servergroup": attributes{"name": "mine", "policies": "soft-affinity"}}
	random, hinted := attributes{}, attributes{"scheduler_hints": attributes{"group": "shared"}}
	made, inherited := change(affinity, always(named)), change(affinity, always(attributes{"servergroup": attributes{"name": "shared"}}))
	group := func(w *world) string { return w.group }

	sized := func(cluster string, n int) func(*world) attributes {
		return always(attributes{"cluster": cluster, "desired_capacity": n, "respect_quotas": true, "image": "cirros", "flavors": []any{"m1.tiny"},
			"regions": []any{
				attributes{"name": "RegionOne", "zones": zones}, attributes{"name": "RegionTwo", "zones": zones}}})
	}
	// RegionTwo is closed and no longer answers: it gets no request.
	closed := func(n int) func(*world) attributes {
		return always(attributes{"cluster": "web", "desired_capacity": n, "respect_quotas": true, "image": "cirros", "flavors": []any{"m1.tiny"},
			"regions": []any{
				attributes{"name": "RegionOne", "zones": zones}, attributes{"name": "RegionTwo", "zones": zones, "closed": true}}})
	}
	unasked := func(do step) step {
		return func(ctx context.Context, p *protocol.Provider, w *world, i instance) (instance, error) {
			w.fake.Inject(fakecloud.Fault{Region: "RegionTwo", Status: http.StatusServiceUnavailable, Times: fakecloud.Forever})
			i, err := do(ctx, p, w, i)
			if slices.ContainsFunc(w.fake.Requests(), func(r fakecloud.Request) bool { return r.Region == "RegionTwo" }) {
				return i, errors.New("the closed region was asked")
			}
			return i, err
		}
	}
	cluster := func(*world) string { return "web" }
	adopted := adopt(placement, "%s", cluster) // the ten servers of the cluster
	halved := func(ctx context.Context, p *protocol.Provider, w *world, i instance) (instance, error) {
		i, err := adopted(ctx, p, w, i)
		if err != nil {
			return i, err
		}
		return p.Apply(ctx, i, closed(10)(w))
	}

	drain := func(more attributes) step {
		return change(deletion, func(w *world) attributes {
			config := attributes{"server_id": w.servers[0]}
			maps.Copy(config, more)
			return config
		})
	}
	webhook := func(w *world) attributes {
		url := w.fake.AuthURL()[:len(w.fake.AuthURL())-len("/identity/v3")] + "/hook?key=hidden"
		return attributes{"server_id": w.servers[0], "hook": attributes{"type": "webhook", "timeout": w.hook, "default_result": "ABANDON", "url": url}}
	}
	server := func(w *world) string { return w.servers[0] }

	active := func(w *world) attributes {
		return attributes{"cluster": "web", "timeout": w.hook, "nodes": attributes{"web-5": attributes{}},
			"servers": attributes{"web-5": attributes{"id": w.servers[0]}}}
	}
	healthy := func(w *world) attributes {
		config := active(w)
		config["http"] = attributes{"url": w.fake.AuthURL()[:len(w.fake.AuthURL())-len("/identity/v3")] + "/health?key=hidden&node={name}"}
		config["nodes"] = attributes{"web-5": attributes{"mark": "2"}}
		return config
	}

	return []operation{
		{"cluster: read by name", nil, read("stackpolicy_cluster", always(attributes{"regions": two, "name_regex": "^web-"}))},
		{"cluster: read by group", nil, read("stackpolicy_cluster",
			func(w *world) attributes { return attributes{"regions": two, "servergroup_id": w.group} })},
		{"region_plan: read", nil, read("stackpolicy_region_plan",
			always(attributes{"nodes": []any{}, "regions": regions, "scale_out": one, "respect_quotas": true, "flavor_id": "m1.tiny"}))},
		{"zone_plan: read", nil, read("stackpolicy_zone_plan",
			always(attributes{"nodes": []any{}, "zones": zones, "scale_out": one, "respect_quotas": true, "flavor_id": "m1.tiny"}))},
		{"affinity_plan: read", nil, read("stackpolicy_affinity_plan", func(w *world) attributes {
			return attributes{"servergroup_id": w.group, "scale_out": one, "enable_drs_extension": true}
		})},
		{"deletion_plan: read", nil, read("stackpolicy_deletion_plan",
			always(attributes{"nodes": []any{attributes{"id": "a"}, attributes{"id": "b"}}, "scale_in": attributes{}}))},

		{"affinity_attachment: create by name", nil, made},
		{"affinity_attachment: create without a name", nil, change(affinity, always(random))},
		{"affinity_attachment: create, with DRS", nil, change(affinity, always(drs))},
		{"affinity_attachment: create, inherited", nil, inherited},
		{"affinity_attachment: read", made, refresh},
		{"affinity_attachment: update", made, change(affinity, always(drs))},
		{"affinity_attachment: another policy", made, change(affinity, always(soft))},
		{"affinity_attachment: another policy, without a name", change(affinity, always(random)),
			change(affinity, always(attributes{"servergroup": attributes{"policies": "affinity"}}))},
		{"affinity_attachment: inherited in place", made, change(affinity, always(hinted))},
		{"affinity_attachment: from inherited to its own", inherited, change(affinity, always(random))},
		{"affinity_attachment: delete", made, remove},
		{"affinity_attachment: delete, with members", adopt(affinity, "RegionOne/%s/created", group), remove},
		{"affinity_attachment: delete, inherited", inherited, remove},
		{"affinity_attachment: import", nil, adopt(affinity, "RegionOne/%s", group)},
		{"affinity_attachment: import as created", nil, adopt(affinity, "RegionOne/%s/created", group)},

		{"placement_attachment: create", nil, change(placement, sized("app", 4))},
		{"placement_attachment: read", adopted, refresh},
		{"placement_attachment: grow", adopted, change(placement, sized("web", 12))},
		{"placement_attachment: shrink", adopted, change(placement, sized("web", 8))},
		{"placement_attachment: grow, with a closed region", adopted, unasked(change(placement, closed(12)))},
		{"placement_attachment: read, with a closed region", halved, unasked(refresh)},
		{"placement_attachment: delete", adopted, remove},
		{"placement_attachment: import", nil, adopted},

		{"deletion_attachment: create", nil, drain(nil)},
		{"deletion_attachment: read", drain(nil), refresh},
		{"deletion_attachment: update", drain(nil), drain(attributes{"grace_period": 1})},
		{"deletion_attachment: delete", drain(nil), remove},
		{"deletion_attachment: delete, with shutdown", drain(attributes{"shutdown": true}), remove},
		{"deletion_attachment: delete, with webhook", change(deletion, webhook), remove},
		{"readiness_attachment: create", nil, change(readiness, active)},
		{"readiness_attachment: create, with HTTP", nil, change(readiness, healthy)},
		{"readiness_attachment: read", change(readiness, active), refresh},
		{"readiness_attachment: update", change(readiness, active), change(readiness, healthy)},
		{"readiness_attachment: delete", change(readiness, active), remove},
		{"readiness_attachment: import", nil, adopt(readiness, "%s", cluster)},

		{"deletion_attachment: import", nil, adopt(deletion, "RegionOne/%s", server)},
	}
}

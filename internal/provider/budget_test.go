package provider_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requests returns the requests to the cloud, sorted, with numbers for regions and
// stars for ids.
func requests(fake *fakecloud.Cloud, ids ...string) []string {
	var list []string
	for _, r := range fake.Requests() {
		text := r.String()
		for _, id := range ids {
			text = strings.ReplaceAll(text, id, "*")
		}
		switch r.Region {
		case "RegionOne":
			text = "1 " + text
		case "RegionTwo":
			text = "2 " + text
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// budget is the list of requests that an operation may make.
type budget struct {
	name string
	here instance // instance before the operation
	do   step
	want []string
}

// TestRequestBudgets: each operation makes the requests that it needs, and none of them
// twice. It begins with one login, and a request for the microversions of each region. A
// member is refused only what the guide on permissions says that an admin needs, and no
// operation fails because of it.
func TestRequestBudgets(t *testing.T) {
	t.Parallel()
	const affinity, placement, deletion = "stackpolicy_affinity_attachment", "stackpolicy_placement_attachment", "stackpolicy_deletion_attachment"
	fake := fakecloud.Start(t, fakecloud.Config{})
	image := fake.AddImage(fakecloud.Image{Name: "i"})
	group := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "g", Policy: "anti-affinity"})
	drs := fake.AddServerGroup("RegionTwo", fakecloud.ServerGroup{Name: "drs", Policy: "anti-affinity", ProjectID: fakecloud.AdminProjectID})
	server := fake.AddServers("RegionOne", fakecloud.Server{Name: "db-0", Group: group, ImageID: image})[0]
	fake.AddServers("RegionTwo", fakecloud.Server{Name: "db-1", ImageID: image})

	one := attributes{}
	inherit := change(affinity, always(attributes{"servergroup": attributes{"name": "g"}}))
	guard := change(deletion, always(attributes{"server_id": server, "grace_period": 0, "shutdown": false}))
	await := change("stackpolicy_readiness_attachment", always(attributes{"cluster": "db", "nodes": attributes{"db-0": attributes{}},
		"servers": attributes{"db-0": attributes{"id": server}}}))
	place := change(placement, always(protocol.Spread(4)))
	after := func(do step, here instance) instance {
		got, err := do(t.Context(), protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne"), nil, here)
		require.NoError(t, err)
		return got
	}
	inherited, guarded := after(inherit, instance{}), after(guard, instance{})
	stopped := after(change(deletion, always(attributes{"server_id": server, "shutdown": true})), instance{})
	own := after(change(affinity, always(attributes{"servergroup": attributes{"name": "own"}})), instance{})
	placed := after(refresh, after(place, instance{}))
	made := func(name, method string) attributes {
		config := protocol.Spread(4)
		config["cluster"], config["template"] = "rolled", attributes{"image": name}
		config["update"] = attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "2", "method": method, "require_in_service": false}
		return config
	}
	rolled := after(refresh, after(change(placement, always(made("a", "IN_PLACE"))), instance{}))

	regions := attributes{"nodes": []any{}, "scale_out": one, "regions": []any{attributes{"name": "RegionOne"}, attributes{"name": "RegionTwo"}}}
	quotas := maps.Clone(regions)
	quotas["respect_quotas"] = true
	regionPlan := read("stackpolicy_region_plan", always(regions))
	resize := func(size int) step {
		return func(ctx context.Context, p *protocol.Provider, _ *world, i instance) (instance, error) {
			_, err := p.Plan(ctx, p.Request(i, protocol.Spread(size)))
			return i, err
		}
	}

	roles, refused := permissions(t), 0
	const login, versions, moreVersions = "POST identity /auth/tokens", "1 GET compute /", "2 GET compute /"
	const groups, moreGroups = "1 GET compute /os-server-groups", "1 GET compute /os-server-groups?offset=2"
	for user, budgets := range map[string][]budget{fakecloud.MemberUser: {
		{"cluster", instance{}, read("stackpolicy_cluster", always(attributes{"name_regex": "^db-", "regions": []any{"RegionOne", "RegionTwo"}})),
			[]string{versions, "1 GET compute /servers/detail", moreVersions, "2 GET compute /servers/detail", "GET image /images/*",
				"GET image /images/*", login}},
		{"region_plan", instance{}, regionPlan, []string{login}},
		{"region_plan with a region that has no endpoint", instance{}, func(ctx context.Context, p *protocol.Provider, w *world, i instance) (instance, error) {
			fake.HideEndpoint(fakecloud.Compute, "RegionTwo", true)
			defer fake.HideEndpoint(fakecloud.Compute, "RegionTwo", false)
			return regionPlan(ctx, p, w, i)
		}, []string{"GET identity /regions", login}},
		{"region_plan with quotas", instance{}, read("stackpolicy_region_plan", always(quotas)),
			[]string{versions, "1 GET compute /limits", moreVersions, "2 GET compute /limits", login}},
		{"zone_plan", instance{}, read("stackpolicy_zone_plan",
			always(attributes{"nodes": []any{}, "scale_out": one, "zones": []any{attributes{"name": "az-1"}, attributes{"name": "az-2"}}})),
			[]string{versions, "1 GET compute /os-availability-zone", login}},
		{"affinity_plan", instance{}, read("stackpolicy_affinity_plan", always(attributes{"servergroup_id": group, "scale_out": one})),
			[]string{versions, "1 GET compute /limits", "1 GET compute /os-hypervisors/detail", "1 GET compute /os-server-groups/*", login}},
		{"deletion_plan", instance{}, read("stackpolicy_deletion_plan", always(attributes{"nodes": []any{attributes{"id": "1"}}, "scale_in": one})), nil},
		{"placement_attachment, new", instance{}, place,
			[]string{versions, "1 GET compute /os-availability-zone", "1 GET compute /servers/detail", moreVersions, "2 GET compute /os-availability-zone",
				"2 GET compute /servers/detail", login}},
		{"placement_attachment, unchanged", placed, resize(4), nil},
		{"placement_attachment, shrunk without a refresh", placed, resize(2), nil},
		// No server is found, so the servers are searched for by name.
		{"placement_attachment, refreshed", placed, refresh,
			[]string{versions, "1 GET compute /os-availability-zone", "1 GET compute /servers/detail", "1 GET compute /servers/detail", moreVersions,
				"2 GET compute /os-availability-zone", "2 GET compute /servers/detail", "2 GET compute /servers/detail", login}},
		{"placement_attachment, destroyed", placed, remove, nil},
		// No server was ever found, so these nodes change at once.
		{"placement_attachment, nodes that were never found, in place", rolled, change(placement, always(made("b", "IN_PLACE"))), nil},
		{"placement_attachment, nodes that were never found, with substitutes", rolled, change(placement, always(made("b", "SUBSTITUTE"))), nil},
		// Servers are listed for the plan, and again for the apply. The list ends with an empty page.
		{"affinity_attachment, new by name", instance{}, change(affinity, always(attributes{"servergroup": attributes{"name": "new"}})),
			[]string{versions, groups, groups, moreGroups, moreGroups, "1 POST compute /os-server-groups", login}},
		{"affinity_attachment, new without a name", instance{}, change(affinity, always(attributes{})),
			[]string{versions, "1 POST compute /os-server-groups", login}},
		{"affinity_attachment, refreshed", inherited, refresh, []string{versions, "1 GET compute /os-server-groups/*", login}},
		{"affinity_attachment, destroyed", inherited, remove, nil},
		{"deletion_attachment, new", instance{}, guard, []string{versions, "1 GET compute /servers/*", login}},
		{"deletion_attachment, refreshed", guarded, refresh, []string{versions, "1 GET compute /servers", login}},
		{"deletion_attachment, destroyed, with nothing to do before", guarded, remove, nil},
		{"affinity_attachment, destroyed with its group", own, remove, []string{"1 DELETE compute /os-server-groups/*", versions,
			"1 GET compute /os-server-groups/*", login}},
		{"readiness_attachment, new", instance{}, await, []string{versions, "1 GET compute /servers/*", "1 GET compute /servers/detail",
			"1 PUT compute /servers/*/metadata/stackpolicy_in_service", "1 PUT compute /servers/*/metadata/stackpolicy_in_service_at", login}},
		{"deletion_attachment, destroyed, with a shutdown", stopped, remove, []string{
			"1 DELETE compute /servers/*/metadata/stackpolicy_in_service", "1 DELETE compute /servers/*/metadata/stackpolicy_in_service_at",
			versions, "1 GET compute /servers/*", "1 GET compute /servers/*", "1 GET compute /servers/*",
			"1 POST compute /servers/*/action", "1 PUT compute /servers/*/metadata/stackpolicy_drained", login}},
	}, fakecloud.AdminUser: {
		{"affinity_plan with DRS", instance{},
			read("stackpolicy_affinity_plan", always(attributes{"servergroup_id": drs, "region": "RegionTwo", "scale_out": one, "enable_drs_extension": true})),
			[]string{moreVersions, "2 GET compute /limits", "2 GET compute /os-availability-zone/detail", "2 GET compute /os-hypervisors/detail",
				"2 GET compute /os-server-groups/*", login}},
	}} {
		for _, c := range budgets {
			t.Run(c.name, func(t *testing.T) {
				p := protocol.Start(t, fake, user, "RegionOne")
				fake.ResetRequests()
				_, err := c.do(t.Context(), p, nil, c.here)
				require.NoError(t, err)
				assert.Equal(t, c.want, requests(fake, group, drs, image, server, attribute(own.State, "servergroup_id")))
				for _, r := range fake.Requests() {
					if r.Status == http.StatusForbidden {
						refused++
						assert.Equal(t, "admin", roles[call(r)], "the role in the guide for %s", call(r))
					}
				}
			})
		}
	}
	assert.NotZero(t, refused, "calls that a member may not make")
}

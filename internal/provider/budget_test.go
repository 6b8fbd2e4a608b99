package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// requests lists what was asked of the cloud, sorted: regions by their numbers,
// ids as stars.
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

// TestRequestBudgets: each operation asks for what it needs, and for nothing
// twice. All begins with one login and, for each region, its microversions.
func TestRequestBudgets(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	image := fake.AddImage(fakecloud.Image{Name: "i"})
	group := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "g", Policy: "anti-affinity"})
	server := fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Group: group, ImageID: image})[0]
	fake.AddServers("RegionTwo", fakecloud.Server{Name: "web-1", ImageID: image})

	both := []map[string]any{{"name": "RegionOne"}, {"name": "RegionTwo"}}
	one := map[string]any{}
	affinity := map[string]any{"servergroup": map[string]any{"name": "g"}}
	deletion := map[string]any{"server_id": server, "grace_period": 0}
	inherited := create(start(t, fake), "affinity_attachment", affinity)
	guarded := create(start(t, fake), "deletion_attachment", deletion)
	placed := create(start(t, fake), "placement_attachment", spread(4))
	placed = start(t, fake).read("placement_attachment", placed)

	const login, versions, moreVersions = "POST identity /auth/tokens", "1 GET compute /", "2 GET compute /"
	for _, c := range []struct {
		name string
		do   func(*rpc)
		want []string
	}{
		{"cluster", func(r *rpc) {
			r.data("cluster", map[string]any{"name_regex": "^web-", "regions": []string{"RegionOne", "RegionTwo"}})
		}, []string{versions, "1 GET compute /servers/detail", moreVersions, "2 GET compute /servers/detail", "GET image /images/*", "GET image /images/*", login}},
		{"region_plan", func(r *rpc) {
			r.data("region_plan", map[string]any{"nodes": []any{}, "scale_out": one, "regions": both})
		}, []string{login}},
		{"region_plan with a region that has no endpoint", func(r *rpc) {
			fake.HideEndpoint(fakecloud.Compute, "RegionTwo", true)
			defer fake.HideEndpoint(fakecloud.Compute, "RegionTwo", false)
			r.data("region_plan", map[string]any{"nodes": []any{}, "scale_out": one, "regions": both})
		}, []string{"GET identity /regions", login}},
		{"region_plan with quotas", func(r *rpc) {
			r.data("region_plan", map[string]any{"nodes": []any{}, "scale_out": one, "regions": both, "respect_quotas": true})
		}, []string{versions, "1 GET compute /limits", moreVersions, "2 GET compute /limits", login}},
		{"zone_plan", func(r *rpc) {
			r.data("zone_plan", map[string]any{"nodes": []any{}, "scale_out": one, "zones": []map[string]any{{"name": "az-1"}, {"name": "az-2"}}})
		}, []string{versions, "1 GET compute /os-availability-zone", login}},
		{"affinity_plan", func(r *rpc) {
			r.data("affinity_plan", map[string]any{"servergroup_id": group, "scale_out": one})
		}, []string{versions, "1 GET compute /limits", "1 GET compute /os-hypervisors/detail", "1 GET compute /os-server-groups/*", login}},
		{"deletion_plan", func(r *rpc) {
			r.data("deletion_plan", map[string]any{"nodes": []map[string]any{{"id": "1"}}, "scale_in": one})
		}, nil},
		{"placement_attachment, new", func(r *rpc) { create(r, "placement_attachment", spread(4)) },
			[]string{versions, "1 GET compute /os-availability-zone", moreVersions, "2 GET compute /os-availability-zone", login}},
		{"placement_attachment, unchanged", func(r *rpc) {
			r.plan("placement_attachment", placed, spread(4))
		}, nil},
		{"placement_attachment, shrunk", func(r *rpc) {
			r.plan("placement_attachment", placed, spread(2))
		}, nil},
		{"placement_attachment, refreshed", func(r *rpc) { r.read("placement_attachment", placed) },
			[]string{versions, "1 GET compute /servers/detail", moreVersions, "2 GET compute /servers/detail", "GET image /images/*", "GET image /images/*", login}},
		{"placement_attachment, destroyed", func(r *rpc) { destroy(r, "placement_attachment", placed, spread(4)) }, nil},
		{"affinity_attachment, refreshed", func(r *rpc) { r.read("affinity_attachment", inherited) },
			[]string{versions, "1 GET compute /os-server-groups/*", login}},
		{"affinity_attachment, destroyed", func(r *rpc) { destroy(r, "affinity_attachment", inherited, affinity) }, nil},
		{"deletion_attachment, refreshed", func(r *rpc) { r.read("deletion_attachment", guarded) },
			[]string{versions, "1 GET compute /servers", login}},
		{"deletion_attachment, destroyed", func(r *rpc) { destroy(r, "deletion_attachment", guarded, deletion) },
			[]string{versions, "1 GET compute /servers/*", login}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, fake)
			fake.ResetRequests()
			c.do(r)
			if got := requests(fake, group, image, server); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// create makes a resource.
func create(r *rpc, name string, config map[string]any) *tfprotov6.DynamicValue {
	r.Helper()
	return r.apply(name, nil, r.plan(name, nil, config), config)
}

func destroy(r *rpc, name string, state *tfprotov6.DynamicValue, config map[string]any) {
	r.Helper()
	r.apply(name, state, r.null(), config)
}

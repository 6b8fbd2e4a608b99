package provider_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// anID matches a part of a path that names one object.
var anID = regexp.MustCompile(`^([0-9a-f]{24,}|[0-9a-f-]{36}|m1\.tiny|leaving|stackpolicy_(in_service(_at)?|not_in_service_at|drained))$`)

// call returns a request as the guide on permissions lists it.
func call(r fakecloud.Request) string {
	parts := strings.Split(r.Path, "/")
	for i, part := range parts {
		if anID.MatchString(part) {
			parts[i] = "{id}"
		}
	}
	return r.Service + " " + r.Method + " " + strings.Join(parts, "/")
}

// permissions returns the calls in the guide, with the role that each needs.
func permissions(t *testing.T) map[string]string {
	t.Helper()
	guide, err := os.ReadFile("../../templates/guides/openstack-permissions.md.tmpl")
	require.NoError(t, err)
	services := map[string]string{"Keystone": fakecloud.Identity, "Nova": fakecloud.Compute, "Glance": fakecloud.Images, "Zaqar": fakecloud.Messaging}
	roles := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\w+) \\| `([A-Z]+ /[^`]*)` \\| (\\w+) \\|").FindAllStringSubmatch(string(guide), -1) {
		roles[services[row[1]]+" "+row[2]] = row[3]
	}
	return roles
}

// TestPermissions: the guide lists each call that an operation makes, and no other
// calls.
func TestPermissions(t *testing.T) {
	t.Parallel()
	roles, made := permissions(t), map[string]bool{}
	for _, o := range operations() {
		_, targets := o.baseline(t)
		for _, g := range targets {
			if g.Service != "" { // the address of a hook
				made[call(g.Request)] = true
			}
		}
	}
	for _, c := range slices.Sorted(maps.Keys(made)) {
		if roles[c] == "" {
			t.Errorf("the guide does not have the call %q", c)
		}
	}
	for _, rare := range []string{ // operations with their own tests make these
		fakecloud.Compute + " DELETE /servers/{id}/metadata/{id}",    // a rollout in place
		fakecloud.Compute + " GET /servers/{id}/os-instance-actions", // a stop that fails
		fakecloud.Messaging + " DELETE /queues/{id}/messages/{id}",   // a message that expires
	} {
		if made[rare] {
			t.Errorf("%q is not rare any more", rare)
		}
		made[rare] = true
	}
	for _, c := range slices.Sorted(maps.Keys(roles)) {
		if !made[c] {
			t.Errorf("the guide has %q, a call that no operation makes", c)
		}
	}
}

// TestPermissions_member: an ordinary member of a project can do all that the guide
// promises: only calls for admins are refused, and no operation fails because of it.
func TestPermissions_member(t *testing.T) {
	t.Parallel()
	roles := permissions(t)
	fake := fakecloud.Start(t, fakecloud.Config{})
	group := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "g", Policy: "anti-affinity"})
	ids := fake.AddServers("RegionOne", fakecloud.Server{Name: "db-0", Group: group}, fakecloud.Server{Name: "db-1", Group: group})
	stays, leaves := ids[0], ids[1]
	p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
	for kind, configs := range map[string][]attributes{
		"stackpolicy_affinity_attachment":  {{"servergroup": attributes{"name": "mine"}}, nil},
		"stackpolicy_placement_attachment": {protocol.Spread(4), protocol.Spread(2), nil},
		"stackpolicy_readiness_attachment": {{"cluster": "web", "servers": attributes{"web-0": attributes{"id": stays}}}, nil},
		"stackpolicy_deletion_attachment":  {{"server_id": leaves, "shutdown": true}, nil},
	} {
		here := instance{Kind: kind}
		for _, config := range configs {
			p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne") // Terraform starts a provider for each plan
			var err error
			if here, err = p.Apply(t.Context(), here, config); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
		}
	}
	for kind, config := range map[string]attributes{
		"stackpolicy_cluster":       {"name_regex": "^db-"},
		"stackpolicy_affinity_plan": {"servergroup_id": group, "scale_out": attributes{}},
		"stackpolicy_zone_plan":     {"nodes": []any{}, "scale_out": attributes{}, "respect_quotas": true, "zones": []any{attributes{"name": "az-1"}}},
	} {
		if _, err := p.ReadData(t.Context(), kind, config); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
	}
	refused := 0
	for _, r := range fake.Requests() {
		if r.Status == 403 {
			if refused++; roles[call(r)] != "admin" {
				t.Errorf("%s is refused, and the guide says that it needs the role %q", call(r), roles[call(r)])
			}
		}
	}
	if refused == 0 {
		t.Error("no call was refused: the cloud does not tell roles apart")
	}
}

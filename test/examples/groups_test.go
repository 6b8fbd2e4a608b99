package examples_test

import (
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServerGroups: each server stays in a group, and no group exceeds its size, through a shrink, a migration, a shelving, another name of the
// cluster and other policies. A new server has a group of the new policy.
func TestServerGroups(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"cluster", "stateful"} {
		t.Run(module, func(t *testing.T) {
			runs.In(t, runs.Some(module == "cluster", runs.Sweep, runs.Night))
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
			e.edit(t, "modules/cluster", "modules/"+module)
			require.NoError(t, e.Init(t.Context()))
			e.edit(t, `{ name = "az-2", weight = 200, cap = 3 }`, `{ name = "az-2", cap = 1 }`)
			e.edit(t, "cluster          =", "servergroup = { size = 3 }\n  cluster          =")
			e.apply(t)
			grouped := func(what string, size int) {
				t.Helper()
				groups := e.groups(t, "RegionOne")
				require.Len(t, e.servers(t), size)
				for name, s := range e.c.Servers(t) {
					in := slices.IndexFunc(groups, func(g openstack.ServerGroup) bool { return slices.Contains(g.Members, s.ID) })
					assert.NotEqual(t, -1, in, "%s: the group of %s", what, name)
				}
				for _, g := range groups {
					assert.LessOrEqual(t, len(g.Members), 3, what)
				}
			}
			grouped("creation", 6)
			e.edit(t, "desired_capacity = 6", "desired_capacity = 4")
			e.apply(t)
			grouped("shrink", 4)
			for name, s := range e.c.Servers(t) {
				if s.AvailabilityZone == "az-2" {
					e.c.Migrate(t, "RegionOne", s.ID, "az-3")
					grouped("migration of "+name, 4)
				}
			}
			acctest.Apply(t, e.Workspace)
			grouped("migration", 4)
			one := e.c.Servers(t)
			for _, s := range one {
				if s.AvailabilityZone == "az-1" {
					e.c.Act(t, "RegionOne", s.ID, `{"shelve": null}`, "SHELVED_OFFLOADED")
					break
				}
			}
			e.edit(t, "cluster          =", "update = { causes = [] }\n  cluster          =")
			_, _ = e.Apply(t.Context()) // the server is back after it, in the zone that it had
			grouped("shelving", 4)
			acctest.Apply(t, e.Workspace)
			grouped("after it", 4)
			before := e.servers(t)
			e.edit(t, `= "web"`, `= "web-renamed"`)
			acctest.Apply(t, e.Workspace)
			grouped("another name", 4)
			e.edit(t, "size = 3", "size = 3, policies = \"affinity\"")
			acctest.Apply(t, e.Workspace)
			grouped("other policies", 4)
			assert.Equal(t, before, e.servers(t))
			e.edit(t, `causes = []`, `causes = ["TEMPLATE"]`)
			e.edit(t, `"debian-12"`, `"debian-13"`)
			acctest.Finish(t, func() string {
				text := acctest.Apply(t, e.Workspace)
				grouped("new servers", 4)
				return text
			})
			for _, g := range e.groups(t, "RegionOne") {
				assert.Equal(t, "affinity", g.Policy, g.Name)
			}
		})
	}
}

package acctest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Contents of a test's cloud.

// Servers returns the servers whose names begin with the test's prefix, by name without it.
func (c *Cloud) Servers(t testing.TB) map[string]servers.Server {
	t.Helper()
	found := map[string]servers.Server{}
	for _, s := range c.AllServers(t) {
		found[s.Name[len(c.Prefix):]] = s
	}
	return found
}

// AllServers lists those servers, also several with one name.
func (c *Cloud) AllServers(t testing.TB) (found []servers.Server) {
	t.Helper()
	for _, region := range c.Regions(t) {
		found = append(found, c.In(t, region)...)
	}
	return found
}

// Versions counts those servers by the version in their metadata, as in "a:2 b:2".
func (c *Cloud) Versions(t testing.TB) string {
	t.Helper()
	counts := map[string]int{}
	for _, s := range c.AllServers(t) {
		counts[s.Metadata["version"]]++
	}
	text := fmt.Sprint(counts)
	return text[len("map[") : len(text)-1]
}

// In lists the servers of the test in a region.
func (c *Cloud) In(t testing.TB, region string) []servers.Server {
	t.Helper()
	list := listed(t, servers.List(c.nova(t, region), servers.ListOpts{Name: "^" + c.Prefix}), servers.ExtractServers)
	// A server in DELETED is listed only until Nova has removed it.
	return slices.DeleteFunc(list, func(s servers.Server) bool { return s.Status == "DELETED" })
}

// listed returns the items on all pages of a list. Cleaning up needs it too.
func listed[T any](t testing.TB, pager pagination.Pager, extract func(pagination.Page) ([]T, error)) []T {
	t.Helper()
	pages, err := pager.AllPages(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("list %T: %v", *new(T), err)
	}
	list, err := extract(pages)
	if err != nil {
		t.Fatalf("list %T: %v", *new(T), err)
	}
	return list
}

// ByAge sorts servers, the oldest first. Nova gives no fractions of seconds, so servers that were made at once may
// have the same age. Then their ids decide.
func (c *Cloud) ByAge(t testing.TB, names ...string) []string {
	t.Helper()
	all := c.Servers(t)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(all[a].Created.Compare(all[b].Created), cmp.Compare(all[a].ID, all[b].ID))
	})
	return names
}

// Kill deletes a server behind Terraform's back.
func (c *Cloud) Kill(t testing.TB, region, id string) {
	t.Helper()
	client, ctx := c.nova(t, region), context.WithoutCancel(t.Context())
	err := servers.Delete(ctx, client, id).ExtractErr()
	for err == nil {
		_, err = servers.Get(ctx, client, id).Extract()
	}
	if !gophercloud.ResponseCodeIs(err, 404) {
		t.Fatalf("delete %s: %v", id, err)
	}
}

// Mark sets a server's metadata behind Terraform's back.
func (c *Cloud) Mark(t testing.TB, region, id, key, value string) {
	t.Helper()
	if _, err := servers.UpdateMetadata(t.Context(), c.nova(t, region), id, servers.MetadataOpts{key: value}).
		Extract(); err != nil {
		t.Fatalf("mark %s: %v", id, err)
	}
}

// Group makes a server group named after the prefix, which the end of the test deletes.
func (c *Cloud) Group(t testing.TB, region, name, policy string) string {
	t.Helper()
	compute := c.compute(t, region)
	group, err := compute.CreateServerGroup(t.Context(), c.Prefix+name, policy, 0)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, compute.DeleteServerGroup(context.WithoutCancel(t.Context()), group.ID))
	})
	return group.ID
}

// GroupsIn lists the server groups of the test: on the fake cloud all groups of the region, otherwise those named
// after the prefix.
func (c *Cloud) GroupsIn(t testing.TB, region string) (list []openstack.ServerGroup) {
	t.Helper()
	all, err := c.compute(t, region).ServerGroups(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
	for _, g := range all {
		if c.Fake != nil || strings.HasPrefix(g.Name, c.Prefix) {
			list = append(list, g)
		}
	}
	return list
}

// Groups returns the number of server groups that the test has in a region.
func (c *Cloud) Groups(t testing.TB, region string) int { return len(c.GroupsIn(t, region)) }

// GroupID returns the id of a group, by its name after the prefix.
func (c *Cloud) GroupID(t testing.TB, region, name string) string {
	t.Helper()
	for _, g := range c.GroupsIn(t, region) {
		if g.Name == c.Prefix+name {
			return g.ID
		}
	}
	t.Fatalf("no server group is named %s%s", c.Prefix, name)
	return ""
}

// DropGroups deletes the test's groups behind Terraform's back.
func (c *Cloud) DropGroups(t testing.TB, region string) {
	t.Helper()
	for _, g := range c.GroupsIn(t, region) {
		err := c.compute(t, region).DeleteServerGroup(context.WithoutCancel(t.Context()), g.ID)
		require.NoError(t, err)
	}
}

// DRS finds a region with a hypervisor that counts as a vSphere cluster with DRS, and its host. Without one the test
// is skipped.
func (c *Cloud) DRS(t testing.TB) (region, host string) {
	t.Helper()
	for _, region := range c.Regions(t) {
		hypervisors, err := c.compute(t, region).Hypervisors(t.Context())
		require.NoError(t, err)
		if zone, err := affinity.DRSZone(hypervisors, nil, ""); err == nil {
			return region, strings.TrimPrefix(zone, "nova:")
		}
	}
	t.Skip("needs a hypervisor with drs in its hostname, and the cloud has none")
	return "", ""
}

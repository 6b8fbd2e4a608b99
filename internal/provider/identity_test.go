package provider_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImportOfNothing: an id that is empty, has no region, or has only a region is one error, about the id.
func TestImportOfNothing(t *testing.T) {
	t.Parallel()
	fake := fakecloud.Start(t, fakecloud.Config{})
	for kind := range protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne").Schemas.ResourceSchemas {
		ids := []string{""}
		if kind == "stackpolicy_affinity_attachment" || kind == "stackpolicy_deletion_attachment" {
			ids = append(ids, "s-1", "RegionOne/", "/s-1")
		}
		for _, id := range ids {
			p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
			_, err := p.Adopt(t.Context(), kind, id)
			assert.Error(t, err, "%s: %q", kind, id)
			assert.Equal(t, ": Invalid import id", p.At(), "%s: %q: said %s", kind, id, p.Said())
		}
	}
}

// TestImportByIdentity: each resource has an identity, and an import by it gives the
// same resource. The test speaks to the provider as Terraform 1.12 does, so it runs
// with any terraform.
func TestImportByIdentity(t *testing.T) {
	t.Parallel()
	fake := fakecloud.Start(t, fakecloud.Config{})
	p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
	server := fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Zone: "az-1"})[0]
	group := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "web", Policy: "anti-affinity"})
	configs := map[string]attributes{
		"stackpolicy_affinity_attachment":  {"servergroup": attributes{"name": "web", "policies": "anti-affinity"}},
		"stackpolicy_placement_attachment": {"cluster": "app", "desired_capacity": 1, "regions": []any{attributes{"name": "RegionOne"}}},
		"stackpolicy_readiness_attachment": {"cluster": "web", "nodes": attributes{"web-0": attributes{"mark": "1"}},
			"servers": attributes{"web-0": attributes{"id": server, "region": "RegionOne"}}},
		"stackpolicy_deletion_attachment": {"server_id": server, "region": "RegionOne"},
	}
	for kind := range p.Schemas.ResourceSchemas {
		require.Contains(t, configs, kind)
		made, err := p.Apply(t.Context(), instance{Kind: kind}, configs[kind])
		require.NoError(t, err, "create %s", kind)
		if kind == "stackpolicy_placement_attachment" { // a node must be placed before it gets a server
			fake.AddServers("RegionOne", fakecloud.Server{Name: "app-0", Zone: "az-1"})
		}
		require.NotNil(t, made.Identity, "the identity of %s", kind)
		adopted, err := p.AdoptBy(t.Context(), kind, made.Identity)
		require.NoError(t, err, "import %s", kind)
		assert.Equal(t, made.Identity, adopted.Identity, "the identity of %s", kind)
		assert.Equal(t, protocol.Object(made.State)["id"], protocol.Object(adopted.State)["id"], "the id of %s", kind)
	}
	groups := fake.ServerGroups("RegionOne")
	require.Len(t, groups, 1)
	assert.Equal(t, group, groups[0].ID)
}

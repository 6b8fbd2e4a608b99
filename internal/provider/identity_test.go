package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
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
			if _, err := p.Adopt(t.Context(), kind, id); err == nil || p.At() != ": Invalid import id" {
				t.Errorf("%s: %q: %v, said %s", kind, id, err, p.Said())
			}
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
		"stackpolicy_readiness_attachment": {"cluster": "web", "servers": attributes{"web-0": attributes{"id": server, "region": "RegionOne", "mark": "1"}}},
		"stackpolicy_deletion_attachment":  {"server_id": server, "region": "RegionOne"},
	}
	for kind := range p.Schemas.ResourceSchemas {
		config, ok := configs[kind]
		if !ok {
			t.Errorf("nothing is said of %s", kind)
			continue
		}
		made, err := p.Apply(t.Context(), instance{Kind: kind}, config)
		if err != nil {
			t.Errorf("create %s: %v", kind, err)
			continue
		}
		if kind == "stackpolicy_placement_attachment" { // a node must be placed before it gets a server
			fake.AddServers("RegionOne", fakecloud.Server{Name: "app-0", Zone: "az-1"})
		}
		if made.Identity == nil {
			t.Errorf("%s has no identity", kind)
			continue
		}
		adopted, err := p.AdoptBy(t.Context(), kind, made.Identity)
		if err != nil || adopted.State.IsNull() {
			t.Errorf("import %s: %v, %v", kind, adopted.State, err)
			continue
		}
		if string(adopted.Identity.IdentityData.MsgPack) != string(made.Identity.IdentityData.MsgPack) {
			t.Errorf("%s has another identity after the import", kind)
		}
		if was, is := idOf(made.State), idOf(adopted.State); was != is {
			t.Errorf("%s was %s, and is %s after the import", kind, was, is)
		}
	}
	if groups := fake.ServerGroups("RegionOne"); len(groups) != 1 || groups[0].ID != group {
		t.Errorf("server groups: %v", groups)
	}
}

func idOf(state tftypes.Value) string { return fmt.Sprint(protocol.Object(state)["id"]) }

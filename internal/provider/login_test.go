package provider_test

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// TestLoginRefused: a wrong password or project is reported in the same words wherever it shows first, and once for each block.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	nodes, out := []any{attributes{"id": "1", "name": "web-0", "region": "RegionOne"}}, attributes{"count": 1}
	blocks := map[string]attributes{
		"stackpolicy_cluster":              {"name_regex": "web"},
		"stackpolicy_region_plan":          {"nodes": nodes, "scale_out": out, "regions": protocol.Listing("RegionOne")},
		"stackpolicy_zone_plan":            {"nodes": nodes, "scale_out": out, "zones": protocol.Listing("az-1")},
		"stackpolicy_affinity_plan":        {"servergroup_id": "1", "region": "RegionOne", "scale_out": out},
		"stackpolicy_placement_attachment": {"cluster": "web", "desired_capacity": 1, "regions": protocol.Zones(protocol.Listing("az-1"))},
		"stackpolicy_affinity_attachment":  {"servergroup": attributes{"name": "web"}},
		"stackpolicy_deletion_attachment":  {"server_id": "1"},
		"stackpolicy_readiness_attachment": {"cluster": "web", "nodes": attributes{"web-0": attributes{"mark": "1"}},
			"servers": attributes{"web-0": attributes{"id": "1", "region": "RegionOne"}}},
	}
	fake := fakecloud.Start(t, fakecloud.Config{})
	for kind, config := range blocks {
		for name, wrong := range map[string]attributes{"the password": {"password": "hidden-password"}, "the project": {"tenant_name": "another-project"}} {
			p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne", wrong)
			var err error
			if strings.HasSuffix(kind, "_attachment") {
				_, err = p.Apply(t.Context(), instance{Kind: kind}, config)
			} else {
				_, err = p.ReadData(t.Context(), kind, config)
			}
			require.Error(t, err, "%s: %s", kind, name)
			if p.At() != ": Unable to log in" || !strings.Contains(p.Said(), "401 Unauthorized") ||
				!strings.Contains(p.Said(), "Check the user, the password and the project") ||
				strings.Contains(p.Said(), "Expected HTTP") || strings.Contains(p.Said(), "hidden-password") {
				t.Errorf("%s, %s: said %s\n%s", kind, name, p.At(), p.Said())
			}
		}
	}
}

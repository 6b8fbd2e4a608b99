package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPackedState: the large attributes of a state file are read, whatever is in it.
func TestPackedState(t *testing.T) {
	t.Parallel()
	const kind, node = "stackpolicy_placement_attachment", `"index":0,"region":"RegionOne","template":{"image":"a"},"mark":"1"`
	const unread = ": Unable to Read Previously Saved State for UpgradeResourceState"
	a := protocol.Attach(t, kind)
	for state, want := range map[string]string{
		`{"nodes":{"web-0":{` + node + `,"closed":false,"zone":null,"flavor":null,"generation":1}}}`: "{web-0={closed=false flavor= flavor_id= " +
			"generation=1 image= image_id= index=0 mark=1 ordinal= parts= region=RegionOne template={image=a} zone=}}",
		`{"nodes":{"web-0":{` + node + `,"former":1}},"slots":null}`: "{web-0={closed= flavor= flavor_id= " +
			"generation= image= image_id= index=0 mark=1 ordinal= parts= region=RegionOne template={image=a} zone=}}",
		`{"slots":{"web-0":{"index":0,"in_use":true}}}`: "{web-0={disks= in_use=true index=0 networks= region= template= zone=}}",
		`{"nodes":{},"slots":null}`:                     "{}",
		`{"nodes":null}`:                                "",
		`{"nodes":[]}`:                                  unread,
		`{"nodes":{"web-0":1}}`:                         unread,
		`{"nodes":`:                                     unread,
	} {
		resp, err := a.Server.UpgradeResourceState(t.Context(),
			&tfprotov6.UpgradeResourceStateRequest{TypeName: kind, RawState: &tfprotov6.RawState{JSON: []byte(state)}})
		require.NoError(t, err)
		got := protocol.At(resp.Diagnostics)
		if got == "" {
			is := protocol.Object(protocol.Unpack(a.TypeOf(kind), resp.UpgradedState))
			got = protocol.Shown(is["nodes"]) + protocol.Shown(is["slots"])
		}
		assert.Equal(t, want, got, state)
	}
}

// TestPackedConfig: nobody can write a large attribute, and a configuration that Terraform generates has none.
func TestPackedConfig(t *testing.T) {
	t.Parallel()
	a := protocol.Attach(t, "stackpolicy_placement_attachment")
	config := protocol.Spread(2)
	a.Must(t, config)
	resp, err := a.Server.GenerateResourceConfig(t.Context(),
		&tfprotov6.GenerateResourceConfigRequest{TypeName: a.I.Kind, State: protocol.Pack(a.I.State)})
	require.NoError(t, err)
	assert.Empty(t, resp.Diagnostics)
	is := protocol.Object(protocol.Unpack(a.TypeOf(a.I.Kind), resp.Config))
	assert.Equal(t, "web", protocol.Shown(is["cluster"]))
	assert.Empty(t, protocol.Shown(is["nodes"])+protocol.Shown(is["change"]))
	config["nodes"] = attributes{}
	require.Error(t, a.Validate(t.Context(), a.I.Kind, config))
	assert.Equal(t, "nodes: Invalid Configuration for Read-Only Attribute", a.At())
}

// TestPackedCost: the plugin framework does not walk large attributes. If it does, a plan to destroy them makes 800
// allocations for each node.
func TestPackedCost(t *testing.T) {
	const nodes = 200
	a := protocol.Attach(t, "stackpolicy_placement_attachment")
	a.Must(t, protocol.Spread(nodes))
	request := a.Request(a.I, nil)
	allocations := testing.AllocsPerRun(1, func() {
		_, err := a.Plan(t.Context(), request)
		require.NoError(t, err)
	})
	if allocations > 100*nodes {
		t.Errorf("a plan to destroy %d nodes makes %.0f allocations", nodes, allocations)
	}
}

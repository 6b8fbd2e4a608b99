package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// BenchmarkProvider is what the provider itself does for a plan of a placement
// attachment: to take over the state as it was stored, to refresh it, and to
// plan. Requests are put together before the clock runs.
func BenchmarkProvider(b *testing.B) {
	for _, size := range []int{100, 1_000} {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			fake := fakecloud.Start(b, fakecloud.Config{})
			p := protocol.Start(b, fake, fakecloud.MemberUser, "RegionOne")
			placed, err := p.Apply(b.Context(), instance{Kind: "stackpolicy_placement_attachment"}, protocol.Spread(size))
			if err == nil {
				bootNodes(fake, placed)
				placed, err = p.Refresh(b.Context(), placed)
			}
			require.NoError(b, err)
			run := func(step string, do func(context.Context) error) {
				b.Run(step, func(b *testing.B) {
					for b.Loop() {
						require.NoError(b, do(b.Context()))
					}
				})
			}
			upgrade := &tfprotov6.UpgradeResourceStateRequest{TypeName: placed.Kind, RawState: stored(b, placed)}
			run("upgrade", func(ctx context.Context) error {
				resp, err := p.Server.UpgradeResourceState(ctx, upgrade)
				return protocol.Failure(err, resp.Diagnostics)
			})
			read := &tfprotov6.ReadResourceRequest{TypeName: placed.Kind, CurrentState: protocol.Pack(placed.State), Private: placed.Private, CurrentIdentity: placed.Identity}
			run("read", func(ctx context.Context) error {
				resp, err := p.Server.ReadResource(ctx, read)
				return protocol.Failure(err, resp.Diagnostics)
			})
			for _, grow := range []int{0, size / 10} {
				req := p.Request(placed, protocol.Spread(size+grow))
				run(fmt.Sprintf("plan/grow=%d", grow), func(ctx context.Context) error {
					_, err := p.Plan(ctx, req)
					return err
				})
			}
		})
	}
}

// bootNodes makes a server for each node that a placement attachment remembers.
func bootNodes(fake *fakecloud.Cloud, placed instance) {
	for name, node := range protocol.Object(protocol.Object(placed.State)["nodes"]) {
		fake.AddServers(attribute(node, "region"), fakecloud.Server{Name: name, Zone: attribute(node, "zone")})
	}
}

// stored is a state with the nodes of another one, as Terraform stores it.
func stored(b *testing.B, placed instance) *tfprotov6.RawState {
	b.Helper()
	places := map[string]any{}
	for node := range protocol.Object(protocol.Object(placed.State)["nodes"]) {
		places[node] = map[string]any{"index": 0, "region": "RegionOne", "zone": "az-1", "template": map[string]any{}, "generation": 1, "mark": "1"}
	}
	text, err := json.Marshal(map[string]any{"cluster": "web", "nodes": places})
	require.NoError(b, err)
	return &tfprotov6.RawState{JSON: text}
}

package provider_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// BenchmarkProvider is what the provider itself does for a plan of a placement
// attachment: to take over the state as it was stored, to refresh it, and to
// plan.
func BenchmarkProvider(b *testing.B) {
	const name = "placement_attachment"
	for _, size := range []int{100, 1_000} {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			fake := fakecloud.Start(b, fakecloud.Config{})
			r := start(b, fake)
			state := r.plan(name, nil, spread(size))
			r.boot(fake, state)
			state = r.read(name, state)
			stored := r.stored(name, state)
			run := func(step string, f func(r *rpc)) {
				b.Run(step, func(b *testing.B) {
					inner := &rpc{b, r.server, r.schema}
					for b.Loop() {
						f(inner)
					}
				})
			}
			run("upgrade", func(r *rpc) {
				resp, err := r.server.UpgradeResourceState(r.Context(), &tfprotov6.UpgradeResourceStateRequest{TypeName: "stackpolicy_" + name, RawState: stored})
				r.check(err, resp.Diagnostics)
			})
			run("read", func(r *rpc) { r.read(name, state) })
			for _, grow := range []int{0, size / 10} {
				req := r.request(name, state, spread(size+grow))
				run(fmt.Sprintf("plan/grow=%d", grow), func(r *rpc) {
					resp, err := r.server.PlanResourceChange(r.Context(), req)
					r.check(err, resp.Diagnostics)
				})
			}
		})
	}
}

// stored is a state with the nodes of another one, as Terraform stores it.
func (r *rpc) stored(name string, state *tfprotov6.DynamicValue) *tfprotov6.RawState {
	r.Helper()
	var nodes map[string]tftypes.Value
	if err := r.fields(name, state)["nodes"].As(&nodes); err != nil {
		r.Fatal(err)
	}
	places, observed := map[string]any{}, map[string]any{}
	for node := range nodes {
		places[node] = map[string]any{"index": 0, "region": "RegionOne", "zone": "az-1"}
		observed[node] = map[string]any{"id": "e8c4c1f1-6df5-4d72-9a3c-3c2cbf2ad5b2", "status": "ACTIVE",
			"created_at": "2026-11-21T08:00:00Z", "profile_created_at": nil, "tainted": false, "protected": false}
	}
	text, err := json.Marshal(map[string]any{"cluster": "web", "nodes": places, "observed": observed})
	if err != nil {
		r.Fatal(err)
	}
	return &tfprotov6.RawState{JSON: text}
}

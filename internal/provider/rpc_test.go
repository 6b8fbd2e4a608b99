package provider_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// rpc speaks to one run of the provider as Terraform does, without Terraform.
type rpc struct {
	testing.TB
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// start configures a provider for the fake cloud.
func start(t testing.TB, fake *fakecloud.Cloud) *rpc {
	t.Helper()
	server, err := acctest.Factories()["stackpolicy"]()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rpc{t, server, schema}
	resp, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: encode(t, map[string]any{
		"auth_url": fake.AuthURL(), "user_name": fakecloud.MemberUser, "password": fakecloud.Password,
		"tenant_name": fakecloud.MemberProject, "default_domain": fakecloud.DomainID, "region": "RegionOne",
	})})
	if err != nil {
		t.Fatal(err)
	}
	r.check(err, resp.Diagnostics)
	return r
}

func (r *rpc) check(err error, diags []*tfprotov6.Diagnostic) {
	r.Helper()
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			r.Fatalf("%s: %s", d.Summary, d.Detail)
		}
	}
	if err != nil {
		r.Fatal(err)
	}
}

// encode is a value on the wire. What is left out of an object is null.
func encode(t testing.TB, value any) *tfprotov6.DynamicValue {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.DynamicValue{JSON: text}
}

// data reads a data source.
func (r *rpc) data(name string, config map[string]any) {
	r.Helper()
	resp, err := r.server.ReadDataSource(r.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "stackpolicy_" + name, Config: encode(r, config)})
	r.check(err, resp.Diagnostics)
}

// plan asks for a plan; prior is nil for a new resource.
func (r *rpc) plan(name string, prior *tfprotov6.DynamicValue, config map[string]any) *tfprotov6.DynamicValue {
	r.Helper()
	resp, err := r.server.PlanResourceChange(r.Context(), r.request(name, prior, config))
	r.check(err, resp.Diagnostics)
	return resp.PlannedState
}

func (r *rpc) request(name string, prior *tfprotov6.DynamicValue, config map[string]any) *tfprotov6.PlanResourceChangeRequest {
	r.Helper()
	kind := r.kind(name)
	proposed := map[string]tftypes.Value{}
	if prior == nil {
		prior = r.null()
	} else {
		proposed = r.fields(name, prior)
	}
	given, err := encode(r, config).Unmarshal(kind)
	if err != nil {
		r.Fatal(err)
	}
	var fields map[string]tftypes.Value
	if err := given.As(&fields); err != nil {
		r.Fatal(err)
	}
	for field, value := range fields {
		if _, there := proposed[field]; !there || !value.IsNull() {
			proposed[field] = value
		}
	}
	value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, proposed))
	if err != nil {
		r.Fatal(err)
	}
	return &tfprotov6.PlanResourceChangeRequest{TypeName: "stackpolicy_" + name, PriorState: prior, Config: encode(r, config), ProposedNewState: &value}
}

// apply makes what is planned; a planned null destroys.
func (r *rpc) apply(name string, prior, planned *tfprotov6.DynamicValue, config map[string]any) *tfprotov6.DynamicValue {
	r.Helper()
	if prior == nil {
		prior = r.null()
	}
	resp, err := r.server.ApplyResourceChange(r.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "stackpolicy_" + name, PriorState: prior, PlannedState: planned, Config: encode(r, config)})
	r.check(err, resp.Diagnostics)
	return resp.NewState
}

func (r *rpc) read(name string, state *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	r.Helper()
	resp, err := r.server.ReadResource(r.Context(), &tfprotov6.ReadResourceRequest{TypeName: "stackpolicy_" + name, CurrentState: state})
	r.check(err, resp.Diagnostics)
	return resp.NewState
}

func (r *rpc) kind(name string) tftypes.Type {
	return r.schema.ResourceSchemas["stackpolicy_"+name].ValueType()
}

func (r *rpc) null() *tfprotov6.DynamicValue {
	r.Helper()
	return encode(r, nil)
}

func (r *rpc) fields(name string, v *tfprotov6.DynamicValue) (fields map[string]tftypes.Value) {
	r.Helper()
	object, err := v.Unmarshal(r.kind(name))
	if err == nil {
		err = object.As(&fields)
	}
	if err != nil {
		r.Fatal(err)
	}
	return fields
}

// spread configures placement over the five zones of the default regions.
func spread(size int) map[string]any {
	zones := func(n int) (list []map[string]any) {
		for i := range n {
			list = append(list, map[string]any{"name": fmt.Sprintf("az-%d", i+1)})
		}
		return list
	}
	return map[string]any{"cluster": "web", "desired_capacity": size, "regions": []map[string]any{
		{"name": "RegionOne", "zones": zones(3)}, {"name": "RegionTwo", "zones": zones(2)}}}
}

// boot makes a server for each node that a placement attachment remembers.
func (r *rpc) boot(fake *fakecloud.Cloud, state *tfprotov6.DynamicValue) {
	r.Helper()
	var nodes map[string]tftypes.Value
	if err := r.fields("placement_attachment", state)["nodes"].As(&nodes); err != nil {
		r.Fatal(err)
	}
	for name, node := range nodes {
		var at map[string]tftypes.Value
		var region, zone string
		if err := node.As(&at); err != nil {
			r.Fatal(err)
		}
		if at["region"].As(&region) != nil || at["zone"].As(&zone) != nil {
			r.Fatalf("node %s is at %v", name, at)
		}
		fake.AddServers(region, fakecloud.Server{Name: name, Zone: zone})
	}
}

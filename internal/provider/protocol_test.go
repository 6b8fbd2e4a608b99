package provider_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
)

// protocol asks the provider what Terraform would, without Terraform: a case
// takes milliseconds, and a test can have thousands.
type protocol struct {
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

// attributes are the arguments of a block; those left out are null.
type attributes map[string]any

// instance is a resource as Terraform's state has it.
type instance struct {
	kind     string
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
}

func newServer() tfprotov6.ProviderServer {
	server, err := provider.NewServer("test")
	if err != nil {
		panic(err)
	}
	return server
}

// schemas are the same for all.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	resp, err := newServer().GetProviderSchema(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	return resp
})

// connect starts a provider of its own and configures it.
func connect(ctx context.Context, block attributes) (*protocol, error) {
	p := &protocol{server: newServer(), schemas: schemas()}
	config := pack(valueOf(p.schemas.Provider.ValueType(), block))
	resp, err := p.server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: config})
	return p, failure(err, resp.Diagnostics)
}

// start connects for a user of the fake cloud, whose project has the same name.
func start(t testing.TB, fake *fakecloud.Cloud, user string, region any) *protocol {
	t.Helper()
	p, err := connect(t.Context(), attributes{"auth_url": fake.AuthURL(), "user_name": user, "password": fakecloud.Password, "tenant_name": user, "region": region})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readData reads a data source.
func (p *protocol) readData(ctx context.Context, kind string, config attributes) (tftypes.Value, error) {
	of := p.schemas.DataSourceSchemas[kind].ValueType()
	resp, err := p.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: kind, Config: pack(valueOf(of, config))})
	if err := failure(err, resp.Diagnostics); err != nil {
		return tftypes.Value{}, err
	}
	return unpack(of, resp.State), nil
}

// apply plans and applies a change: it creates, updates or, where the config is
// nil, destroys. A resource that is tainted is destroyed and made again.
func (p *protocol) apply(ctx context.Context, i instance, config attributes) (instance, error) {
	if i.tainted && config != nil {
		gone, err := p.apply(ctx, i, nil)
		if err != nil {
			return gone, err
		}
		i = instance{kind: i.kind}
	}
	req := p.request(i, config)
	plan, err := p.plan(ctx, req)
	if err != nil {
		return i, err
	}
	resp, err := p.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{TypeName: i.kind, PriorState: req.PriorState,
		PlannedState: plan.PlannedState, Config: req.Config, PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity})
	creates := i.state.IsNull()
	i.state, i.private, i.identity = unpack(p.typeOf(i.kind), resp.NewState), resp.Private, resp.NewIdentity
	err = failure(err, resp.Diagnostics)
	i.tainted = creates && err != nil && !i.state.IsNull()
	return i, err
}

// plan asks what a change comes to, and makes none.
func (p *protocol) plan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := p.server.PlanResourceChange(ctx, req)
	return resp, failure(err, resp.Diagnostics)
}

// request asks for the plan of a change.
func (p *protocol) request(i instance, config attributes) *tfprotov6.PlanResourceChangeRequest {
	null := tftypes.NewValue(p.typeOf(i.kind), nil)
	prior, wanted, proposed := i.state, null, null
	if prior.Type() == nil {
		prior = null
	}
	if config != nil {
		wanted = valueOf(null.Type(), config)
		proposed = p.propose(i, wanted)
	}
	return &tfprotov6.PlanResourceChangeRequest{TypeName: i.kind, PriorState: pack(prior), ProposedNewState: pack(proposed),
		Config: pack(wanted), PriorPrivate: i.private, PriorIdentity: i.identity}
}

// propose merges a configuration with what is computed, as Terraform does.
func (p *protocol) propose(i instance, config tftypes.Value) tftypes.Value {
	if i.state.IsNull() {
		return config
	}
	values, prior := object(config), object(i.state)
	for _, a := range p.schemas.ResourceSchemas[i.kind].Block.Attributes {
		if a.Computed && values[a.Name].IsNull() {
			values[a.Name] = prior[a.Name]
		}
	}
	return tftypes.NewValue(config.Type(), values)
}

// refresh reads a resource.
func (p *protocol) refresh(ctx context.Context, i instance) (instance, error) {
	resp, err := p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: i.kind, CurrentState: pack(i.state), Private: i.private, CurrentIdentity: i.identity})
	if err := failure(err, resp.Diagnostics); err != nil {
		return i, err
	}
	i.state, i.private, i.identity = unpack(i.state.Type(), resp.NewState), resp.Private, resp.NewIdentity
	return i, nil
}

// adopt imports a resource by its id, and reads it.
func (p *protocol) adopt(ctx context.Context, kind, id string) (instance, error) {
	resp, err := p.server.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
	if err := failure(err, resp.Diagnostics); err != nil {
		return instance{}, err
	}
	got := resp.ImportedResources[0]
	return p.refresh(ctx, instance{kind: kind, state: unpack(p.typeOf(kind), got.State), private: got.Private, identity: got.Identity})
}

func (p *protocol) typeOf(kind string) tftypes.Type {
	return p.schemas.ResourceSchemas[kind].ValueType()
}

// failure is what diagnostics report, warnings left out.
func failure(err error, diagnostics []*tfprotov6.Diagnostic) error {
	errs := []error{err}
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errs = append(errs, fmt.Errorf("%s: %s", d.Summary, d.Detail))
		}
	}
	return errors.Join(errs...)
}

// valueOf makes a value of a type. A wrong one is a mistake of the test, and
// panics.
func valueOf(of tftypes.Type, v any) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(of, nil)
	case int:
		return tftypes.NewValue(of, big.NewFloat(float64(v)))
	case attributes:
		values := map[string]tftypes.Value{}
		switch of := of.(type) {
		case tftypes.Map:
			for name, e := range v {
				values[name] = valueOf(of.ElementType, e)
			}
		case tftypes.Object:
			for name := range v {
				if of.AttributeTypes[name] == nil {
					panic("no attribute " + name)
				}
			}
			for name, e := range of.AttributeTypes {
				values[name] = valueOf(e, v[name])
			}
		}
		return tftypes.NewValue(of, values)
	case []any:
		values := make([]tftypes.Value, len(v))
		for i, e := range v {
			values[i] = valueOf(of.(tftypes.List).ElementType, e)
		}
		return tftypes.NewValue(of, values)
	}
	return tftypes.NewValue(of, v)
}

// spread configures placement over the five zones of the default regions.
func spread(size int) attributes {
	az := func(n int) attributes { return attributes{"name": fmt.Sprintf("az-%d", n)} }
	return attributes{"cluster": "web", "desired_capacity": size, "regions": []any{
		attributes{"name": "RegionOne", "zones": []any{az(1), az(2), az(3)}},
		attributes{"name": "RegionTwo", "zones": []any{az(1), az(2)}}}}
}

func object(v tftypes.Value) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	if err := v.As(&values); err != nil {
		panic(err)
	}
	return values
}

func pack(v tftypes.Value) *tfprotov6.DynamicValue {
	packed, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		panic(err)
	}
	return &packed
}

func unpack(of tftypes.Type, packed *tfprotov6.DynamicValue) tftypes.Value {
	v, err := packed.Unmarshal(of)
	if err != nil {
		panic(err)
	}
	return v
}

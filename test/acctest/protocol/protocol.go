// Package protocol sends the provider Terraform's requests without Terraform: a case takes milliseconds, and a test
// can have thousands.
package protocol

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// Provider is a provider that is configured.
type Provider struct {
	Server  tfprotov6.ProviderServer
	Schemas *tfprotov6.GetProviderSchemaResponse

	mu   sync.Mutex
	said []string
	at   []string
}

// Attributes are the arguments of a block; arguments that are left out are null.
type Attributes = map[string]any

// Instance is a resource in Terraform's state.
type Instance struct {
	Kind     string
	State    tftypes.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
	Tainted  bool
}

// NewServer starts a provider that is not configured.
func NewServer() tfprotov6.ProviderServer {
	server, err := provider.NewServer("test")
	if err != nil {
		panic(err)
	}
	return server
}

// schemas are the provider's schemas.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	resp, err := NewServer().GetProviderSchema(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	return resp
})

// Connect starts a provider of its own, and validates and configures it.
func Connect(ctx context.Context, block Attributes) (*Provider, error) {
	p := &Provider{Server: NewServer(), Schemas: schemas()}
	config := Pack(valueOf(p.Schemas.Provider.ValueType(), block))
	valid, err := p.Server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if err := p.failure(err, valid.Diagnostics); err != nil {
		return p, err
	}
	resp, err := p.Server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: config})
	return p, p.failure(err, resp.Diagnostics)
}

// Start connects for a user of the fake cloud, whose project has the same name. The blocks have more arguments of the
// provider.
func Start(t testing.TB, fake *fakecloud.Cloud, user string, region any, more ...Attributes) *Provider {
	t.Helper()
	block := Attributes{"auth_url": fake.AuthURL(), "user_name": user,
		"password": fakecloud.Password, "tenant_name": user, "region": region}
	for _, arguments := range more {
		maps.Copy(block, arguments)
	}
	p, err := Connect(t.Context(), block)
	require.NoError(t, err)
	return p
}

// ReadData reads a data source.
func (p *Provider) ReadData(ctx context.Context, kind string, config Attributes) (tftypes.Value, error) {
	of := p.Schemas.DataSourceSchemas[kind].ValueType()
	resp, err := p.Server.ReadDataSource(ctx,
		&tfprotov6.ReadDataSourceRequest{TypeName: kind, Config: Pack(valueOf(of, config))})
	if err := p.failure(err, resp.Diagnostics); err != nil {
		return tftypes.Value{}, err
	}
	return Unpack(of, resp.State), nil
}

// ValidateData validates the configuration of a data source.
func (p *Provider) ValidateData(ctx context.Context, kind string, config Attributes) error {
	of := p.Schemas.DataSourceSchemas[kind].ValueType()
	resp, err := p.Server.ValidateDataResourceConfig(ctx,
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: kind, Config: Pack(valueOf(of, config))})
	return p.failure(err, resp.Diagnostics)
}

// Call calls a function with its arguments by their names, as Terraform does: not with null, and not with an argument
// that is unknown as a whole.
func (p *Provider) Call(ctx context.Context, name string, arguments Attributes) error {
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for _, parameter := range p.Schemas.Functions[name].Parameters {
		v := valueOf(parameter.Type, arguments[parameter.Name])
		if v.IsNull() && !parameter.AllowNullValue || !v.IsKnown() && !parameter.AllowUnknownValues {
			return nil
		}
		packed, err := tfprotov6.NewDynamicValue(parameter.Type, v)
		if err != nil {
			return err
		}
		req.Arguments = append(req.Arguments, &packed)
	}
	resp, err := p.Server.CallFunction(ctx, req)
	if err == nil && resp.Error != nil {
		err = errors.New(resp.Error.Text)
		if at := resp.Error.FunctionArgument; at != nil {
			err = fmt.Errorf("%s: %w", p.Schemas.Functions[name].Parameters[*at].Name, err)
		}
	}
	return err
}

// Validate validates the configuration of a resource.
func (p *Provider) Validate(ctx context.Context, kind string, config Attributes) error {
	resp, err := p.Server.ValidateResourceConfig(ctx,
		&tfprotov6.ValidateResourceConfigRequest{TypeName: kind, Config: Pack(valueOf(p.TypeOf(kind), config))})
	return p.failure(err, resp.Diagnostics)
}

// Apply plans and applies a change: it creates, updates or, if the config is nil, destroys. A tainted resource, and one
// that must be replaced, is destroyed and made again.
func (p *Provider) Apply(ctx context.Context, i Instance, config Attributes) (Instance, error) {
	if i.Tainted && config != nil {
		return p.replace(ctx, i, config)
	}
	req := p.Request(i, config)
	plan, err := p.Plan(ctx, req)
	if err != nil {
		return i, err
	}
	if len(plan.RequiresReplace) > 0 {
		return p.replace(ctx, i, config)
	}
	resp, err := p.Server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName:        i.Kind,
		PriorState:      req.PriorState,
		PlannedState:    plan.PlannedState,
		Config:          req.Config,
		PlannedPrivate:  plan.PlannedPrivate,
		PlannedIdentity: plan.PlannedIdentity,
	})
	creates := i.State.IsNull()
	i.State, i.Private, i.Identity = Unpack(p.TypeOf(i.Kind), resp.NewState), resp.Private, resp.NewIdentity
	err = p.failure(err, resp.Diagnostics)
	i.Tainted = creates && err != nil && !i.State.IsNull()
	return i, err
}

// replace plans a new resource, as Terraform does then, and destroys the old one before it makes the new one.
func (p *Provider) replace(ctx context.Context, i Instance, config Attributes) (Instance, error) {
	fresh := Instance{Kind: i.Kind}
	if _, err := p.Plan(ctx, p.Request(fresh, config)); err != nil {
		return i, err
	}
	if gone, err := p.Apply(ctx, i, nil); err != nil {
		return gone, err
	}
	return p.Apply(ctx, fresh, config)
}

// Plan returns the plan of a change, and does not apply it.
func (p *Provider) Plan(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := p.Server.PlanResourceChange(ctx, req)
	return resp, p.failure(err, resp.Diagnostics)
}

// Request returns the request for the plan of a change.
func (p *Provider) Request(i Instance, config Attributes) *tfprotov6.PlanResourceChangeRequest {
	null := tftypes.NewValue(p.TypeOf(i.Kind), nil)
	prior, wanted, proposed := i.State, null, null
	if prior.Type() == nil {
		prior = null
	}
	if config != nil {
		wanted = valueOf(null.Type(), config)
		proposed = p.propose(i, wanted)
	}
	return &tfprotov6.PlanResourceChangeRequest{
		TypeName:         i.Kind,
		PriorState:       Pack(prior),
		ProposedNewState: Pack(proposed),
		Config:           Pack(wanted),
		PriorPrivate:     i.Private,
		PriorIdentity:    i.Identity,
	}
}

// propose merges a configuration with computed attributes, as Terraform does.
func (p *Provider) propose(i Instance, config tftypes.Value) tftypes.Value {
	if i.State.IsNull() {
		return config
	}
	values, prior := maps.Clone(Object(config)), Object(i.State) // the config has no computed attributes
	for _, a := range p.Schemas.ResourceSchemas[i.Kind].Block.Attributes {
		if a.Computed && values[a.Name].IsNull() {
			values[a.Name] = prior[a.Name]
		}
	}
	return tftypes.NewValue(config.Type(), values)
}

// Refresh reads a resource.
func (p *Provider) Refresh(ctx context.Context, i Instance) (Instance, error) {
	resp, err := p.Server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName:        i.Kind,
		CurrentState:    Pack(i.State),
		Private:         i.Private,
		CurrentIdentity: i.Identity,
	})
	if err := p.failure(err, resp.Diagnostics); err != nil {
		return i, err
	}
	i.State, i.Private, i.Identity = Unpack(i.State.Type(), resp.NewState), resp.Private, resp.NewIdentity
	return i, nil
}

// Adopt imports a resource by its id, and reads it.
func (p *Provider) Adopt(ctx context.Context, kind, id string) (Instance, error) {
	return p.adopt(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
}

// AdoptBy imports a resource by its identity, as Terraform 1.12 does, and reads it.
func (p *Provider) AdoptBy(ctx context.Context, kind string, by *tfprotov6.ResourceIdentityData) (Instance, error) {
	return p.adopt(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: kind, Identity: by})
}

// Identified returns an identity with these parts.
func (p *Provider) Identified(t testing.TB, kind string, parts Attributes) *tfprotov6.ResourceIdentityData {
	t.Helper()
	return &tfprotov6.ResourceIdentityData{IdentityData: Pack(valueOf(p.identityOf(t, kind), parts))}
}

func (p *Provider) adopt(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (Instance, error) {
	resp, err := p.Server.ImportResourceState(ctx, req)
	if err := p.failure(err, resp.Diagnostics); err != nil {
		return Instance{}, err
	}
	if n := len(resp.ImportedResources); n != 1 {
		return Instance{}, fmt.Errorf("%d resources are imported", n)
	}
	got, kind := resp.ImportedResources[0], req.TypeName
	return p.Refresh(ctx,
		Instance{Kind: kind, State: Unpack(p.TypeOf(kind), got.State), Private: got.Private, Identity: got.Identity})
}

// TypeOf returns the type of a resource's state.
func (p *Provider) TypeOf(kind string) tftypes.Type {
	return p.Schemas.ResourceSchemas[kind].ValueType()
}

// Identity returns the parts of a resource's identity.
func (p *Provider) Identity(t testing.TB, i Instance) map[string]tftypes.Value {
	t.Helper()
	return Object(Unpack(p.identityOf(t, i.Kind), i.Identity.IdentityData))
}

// identityOf returns the type of a resource's identity.
func (p *Provider) identityOf(t testing.TB, kind string) tftypes.Type {
	t.Helper()
	schemas, err := p.Server.GetResourceIdentitySchemas(t.Context(), nil)
	require.NoError(t, err)
	return schemas.IdentitySchemas[kind].ValueType()
}

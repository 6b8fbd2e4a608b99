package provider

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/placementtf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// NewServer makes the server that Terraform speaks to. It is the plugin framework's server, except that it cleans
// diagnostics of control characters, because their names and messages come from a cloud and are printed on a terminal,
// and hides large attributes from the framework: see package packed. Another server, which hides nothing, shows
// Terraform the schema.
func NewServer(version string) (tfprotov6.ProviderServer, error) {
	server, ok := providerserver.NewProtocol6(New(version)())().(fullServer)
	if !ok {
		return nil, errors.New("the plugin framework's server lacks a part of the protocol")
	}
	shown := providerserver.NewProtocol6(&stackpolicyProvider{version: version, shown: true})()
	hidden := map[string]packed.Names{"stackpolicy_placement_attachment": placementtf.Hidden}
	schemas := sync.OnceValue(func() map[string]*tfprotov6.Schema {
		all, _ := shown.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}) // it asks nobody
		return all.ResourceSchemas
	})
	return &cleanServer{fullServer: server, shown: shown, schemas: schemas, hidden: hidden}, nil
}

// fullServer has all methods of the framework's server.
type fullServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// cleanServer is the framework's server between two changes: of what it is asked, and of what it answers.
type cleanServer struct {
	fullServer
	shown   tfprotov6.ProviderServer
	schemas func() map[string]*tfprotov6.Schema // of resources, as Terraform sees them
	hidden  map[string]packed.Names             // by resource
	actions sync.RWMutex                        // each action that runs holds it for reading
}

// GetProviderSchema shows what is hidden.
func (s *cleanServer) GetProviderSchema(
	ctx context.Context, req *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.shown.GetProviderSchema(ctx, req)
}

// UpgradeResourceState hands on a state of the version of its schema, in Terraform's other format. The framework's
// server, which walks each value three times, gets only states that need it.
func (s *cleanServer) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if schema := s.schemas()[req.TypeName]; schema != nil && req.Version == schema.Version {
		if state, ok := packed.FromJSON(req.RawState.JSON, schema.ValueType()); ok {
			return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: state}, nil
		}
	}
	return s.shown.UpgradeResourceState(ctx, req)
}

// StopProvider interrupts all that runs. It returns after the last words of the actions: the
// protocol's server drops what comes later, and Terraform takes an action without last words for
// a completed one, so that it would update a server whose drain was interrupted.
func (s *cleanServer) StopProvider(
	ctx context.Context, req *tfprotov6.StopProviderRequest,
) (*tfprotov6.StopProviderResponse, error) {
	resp, err := s.fullServer.StopProvider(ctx, req)
	s.actions.Lock()
	defer s.actions.Unlock()
	return resp, err
}

// through asks the framework's server: it gets large attributes as texts, and the diagnostics of its answer are
// cleaned.
func through[Q, R any](
	ctx context.Context, s *cleanServer, req *Q, ask func(context.Context, *Q) (*R, error),
) (*R, error) {
	asked := *req
	var hidden packed.Names
	if name := reflect.ValueOf(asked).FieldByName("TypeName"); name.IsValid() {
		hidden = s.hidden[name.String()]
	}
	change(&asked, hidden.In)
	if plan, ok := any(&asked).(*tfprotov6.PlanResourceChangeRequest); ok {
		plan.ProposedNewState = hidden.Keep(plan.ProposedNewState, plan.PriorState)
	}
	resp, err := ask(ctx, &asked)
	if resp == nil {
		return resp, err
	}
	change(resp, hidden.Out)
	said := reflect.ValueOf(resp).Elem().FieldByName("Diagnostics")
	if said, ok := reflect.TypeAssert[[]*tfprotov6.Diagnostic](said); ok {
		clean(said)
	}
	return resp, err
}

// change changes each resource of a request or of an answer.
func change[M any](message *M, to func(*tfprotov6.DynamicValue) *tfprotov6.DynamicValue) {
	for _, field := range reflect.ValueOf(message).Elem().Fields() {
		if of, ok := reflect.TypeAssert[*tfprotov6.DynamicValue](field); ok {
			field.Set(reflect.ValueOf(to(of)))
		}
	}
}

func clean(diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		d.Summary = text.Cut(text.Clean(d.Summary), longestLine)
		d.Attribute = pointed(d.Attribute)
		d.Detail = lines(interrupted.Replace(twoStops.ReplaceAllString(d.Detail, "$1.$2")))
	}
}

// longestLine is the number of bytes of a line that are shown: more than any real name in a sentence.
const longestLine = 8 << 10

// lines cleans and cuts each line of a text, in which names of any length may be repeated.
func lines(s string) string {
	all := strings.Split(s, "\n")
	for i, line := range all {
		all[i] = text.Cut(text.Clean(line), longestLine)
	}
	return strings.Join(all, "\n")
}

// pointed cuts a path to the part that Terraform follows in a configuration: an argument and
// an element of it. For a longer path Terraform shows the first line of the resource.
func pointed(at *tftypes.AttributePath) *tftypes.AttributePath {
	for i, step := range at.Steps() {
		if _, ok := step.(tftypes.AttributeName); !ok {
			return tftypes.NewAttributePathWithSteps(at.Steps()[:i+1])
		}
	}
	return at
}

// twoStops matches the full stop of another's message, followed by ours.
var twoStops = regexp.MustCompile(`([^./\s])\.\.(\s|$)`)

// interrupted says in plain words why a context ended: only Terraform cancels contexts,
// when Ctrl-C stops it.
var interrupted = strings.NewReplacer(context.Canceled.Error(), "Terraform was interrupted")

func (s *cleanServer) ConfigureProvider(
	ctx context.Context, req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	return through(ctx, s, req, s.fullServer.ConfigureProvider)
}

func (s *cleanServer) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return through(ctx, s, req, s.fullServer.ValidateResourceConfig)
}

func (s *cleanServer) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return through(ctx, s, req, s.fullServer.ReadResource)
}

func (s *cleanServer) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return through(ctx, s, req, s.fullServer.PlanResourceChange)
}

func (s *cleanServer) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return through(ctx, s, req, s.fullServer.ApplyResourceChange)
}

func (s *cleanServer) GenerateResourceConfig(
	ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return through(ctx, s, req, s.fullServer.GenerateResourceConfig)
}

func (s *cleanServer) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return through(ctx, s, req, s.fullServer.ImportResourceState)
}

func (s *cleanServer) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return through(ctx, s, req, s.fullServer.ValidateDataResourceConfig)
}

func (s *cleanServer) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	return through(ctx, s, req, s.fullServer.ReadDataSource)
}

func (s *cleanServer) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	resp, err := s.fullServer.CallFunction(ctx, req)
	if resp != nil && resp.Error != nil {
		resp.Error.Text = strings.TrimSuffix(lines(resp.Error.Text), ".") // Terraform adds its own full stop
	}
	return resp, err
}

func (s *cleanServer) ValidateActionConfig(
	ctx context.Context, req *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	return through(ctx, s, req, s.fullServer.ValidateActionConfig)
}

func (s *cleanServer) PlanAction(
	ctx context.Context, req *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	return through(ctx, s, req, s.fullServer.PlanAction)
}

func (s *cleanServer) InvokeAction(
	ctx context.Context, req *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	s.actions.RLock()
	if ctx.Err() != nil {
		s.actions.RUnlock()
		return nil, errors.New(interrupted.Replace(ctx.Err().Error()))
	}
	stream, err := s.fullServer.InvokeAction(ctx, req)
	if stream == nil {
		s.actions.RUnlock()
		return nil, err
	}
	events := stream.Events
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		defer s.actions.RUnlock()
		for event := range events {
			switch e := event.Type.(type) {
			case tfprotov6.ProgressInvokeActionEventType:
				event.Type = tfprotov6.ProgressInvokeActionEventType{Message: lines(e.Message)}
			case tfprotov6.CompletedInvokeActionEventType:
				clean(e.Diagnostics)
			}
			if !push(event) {
				return
			}
		}
	}}, err
}

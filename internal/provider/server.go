package provider

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// NewServer makes the server that Terraform speaks to. It is that of the plugin
// framework, except that no diagnostic has a control character in it: names and
// messages in them come from a cloud, and end up on a terminal.
func NewServer(version string) (tfprotov6.ProviderServer, error) {
	server, ok := providerserver.NewProtocol6(New(version)())().(fullServer)
	if !ok {
		return nil, errors.New("the plugin framework's server lacks a part of the protocol")
	}
	return &cleanServer{server}, nil
}

// fullServer is all that the server of the framework offers.
type fullServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// cleanServer cleans the diagnostics of each answer that may have text of others
// in it.
type cleanServer struct{ fullServer }

func clean(diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		d.Summary = text.Clean(d.Summary)
		d.Detail = text.CleanLines(interrupted.Replace(twoStops.ReplaceAllString(d.Detail, "$1.$2")))
	}
}

// twoStops are the full stop of a message of others and ours.
var twoStops = regexp.MustCompile(`([^./\s])\.\.(\s|$)`)

// interrupted says in plain words why a context ended: the only ones that are
// cancelled are those that Terraform cancels, when it is stopped by Ctrl-C.
var interrupted = strings.NewReplacer(context.Canceled.Error(), "Terraform was interrupted")

func (s *cleanServer) ConfigureProvider(
	ctx context.Context, req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	resp, err := s.fullServer.ConfigureProvider(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := s.fullServer.ValidateResourceConfig(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	resp, err := s.fullServer.ReadResource(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := s.fullServer.PlanResourceChange(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := s.fullServer.ApplyResourceChange(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	resp, err := s.fullServer.ImportResourceState(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	resp, err := s.fullServer.ValidateDataResourceConfig(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	resp, err := s.fullServer.ReadDataSource(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	resp, err := s.fullServer.CallFunction(ctx, req)
	if resp != nil && resp.Error != nil {
		resp.Error.Text = strings.TrimSuffix(text.CleanLines(resp.Error.Text), ".") // Terraform sets its own full stop
	}
	return resp, err
}

func (s *cleanServer) ValidateActionConfig(
	ctx context.Context, req *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	resp, err := s.fullServer.ValidateActionConfig(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) PlanAction(
	ctx context.Context, req *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	resp, err := s.fullServer.PlanAction(ctx, req)
	if resp != nil {
		clean(resp.Diagnostics)
	}
	return resp, err
}

func (s *cleanServer) InvokeAction(
	ctx context.Context, req *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	stream, err := s.fullServer.InvokeAction(ctx, req)
	if stream == nil {
		return nil, err
	}
	events := stream.Events
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		for event := range events {
			switch e := event.Type.(type) {
			case tfprotov6.ProgressInvokeActionEventType:
				event.Type = tfprotov6.ProgressInvokeActionEventType{Message: text.Clean(e.Message)}
			case tfprotov6.CompletedInvokeActionEventType:
				clean(e.Diagnostics)
			}
			if !push(event) {
				return
			}
		}
	}}, err
}

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
)

// packedServer hides large attributes from the plugin framework: see package packed. Another server, which hides
// nothing, shows Terraform the schema.
type packedServer struct {
	fullServer
	shown  tfprotov6.ProviderServer
	hidden map[string]packed.Types // by resource
}

func (s *packedServer) GetProviderSchema(
	ctx context.Context, req *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.shown.GetProviderSchema(ctx, req)
}

func (s *packedServer) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	types, asked := s.hidden[req.TypeName], *req
	asked.Config = types.In(req.Config)
	return s.fullServer.ValidateResourceConfig(ctx, &asked)
}

// UpgradeResourceState reads a state file, whose JSON has no texts.
func (s *packedServer) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return s.shown.UpgradeResourceState(ctx, req)
}

func (s *packedServer) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	types, asked := s.hidden[req.TypeName], *req
	asked.CurrentState = types.In(req.CurrentState)
	resp, err := s.fullServer.ReadResource(ctx, &asked)
	resp.NewState = types.Out(resp.NewState)
	return resp, err
}

func (s *packedServer) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	types, asked := s.hidden[req.TypeName], *req
	asked.Config, asked.PriorState = types.In(req.Config), types.In(req.PriorState)
	asked.ProposedNewState = types.Keep(types.In(req.ProposedNewState), asked.PriorState)
	resp, err := s.fullServer.PlanResourceChange(ctx, &asked)
	resp.PlannedState = types.Out(resp.PlannedState)
	return resp, err
}

func (s *packedServer) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	types, asked := s.hidden[req.TypeName], *req
	asked.Config, asked.PriorState = types.In(req.Config), types.In(req.PriorState)
	asked.PlannedState = types.In(req.PlannedState)
	resp, err := s.fullServer.ApplyResourceChange(ctx, &asked)
	resp.NewState = types.Out(resp.NewState)
	return resp, err
}

func (s *packedServer) GenerateResourceConfig(
	ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	types, asked := s.hidden[req.TypeName], *req
	asked.State = types.In(req.State)
	resp, err := s.fullServer.GenerateResourceConfig(ctx, &asked)
	resp.Config = types.Out(resp.Config)
	return resp, err
}

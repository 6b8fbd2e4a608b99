package protocol

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateAction validates the configuration of an action.
func (p *Provider) ValidateAction(ctx context.Context, kind string, config Attributes) error {
	resp, err := p.actions().ValidateActionConfig(ctx,
		&tfprotov6.ValidateActionConfigRequest{ActionType: kind, Config: p.actionConfig(kind, config)})
	return p.failure(err, resp.Diagnostics)
}

// PlanAction plans an action.
func (p *Provider) PlanAction(ctx context.Context, kind string, config Attributes) error {
	resp, err := p.actions().PlanAction(ctx,
		&tfprotov6.PlanActionRequest{ActionType: kind, Config: p.actionConfig(kind, config)})
	return p.failure(err, resp.Diagnostics)
}

// Invoke plans an action and invokes it. It returns the progress messages; the function see, unless it is nil, gets
// each message at once.
func (p *Provider) Invoke(
	ctx context.Context, kind string, config Attributes, see func(message string),
) (progress []string, err error) {
	if err := p.PlanAction(ctx, kind, config); err != nil {
		return nil, err
	}
	stream, err := p.actions().InvokeAction(ctx,
		&tfprotov6.InvokeActionRequest{ActionType: kind, Config: p.actionConfig(kind, config)})
	if err != nil {
		return nil, err
	}
	err = errors.New("the action did not say that it completed")
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
			if see != nil {
				see(event.Message)
			}
		case tfprotov6.CompletedInvokeActionEventType:
			err = p.failure(nil, event.Diagnostics)
		}
	}
	return progress, err
}

// actions is the part of the server that has the actions.
func (p *Provider) actions() tfprotov6.ActionServer { return p.Server.(tfprotov6.ActionServer) }

func (p *Provider) actionConfig(kind string, config Attributes) *tfprotov6.DynamicValue {
	return Pack(valueOf(p.Schemas.ActionSchemas[kind].Schema.ValueType(), config))
}

// ActionSchemas returns the schemas of the provider's actions, as "terraform providers schema -json" has them from
// Terraform 1.14 on: the present Terraform leaves them out.
func ActionSchemas() map[string]any {
	all := map[string]any{}
	for name, s := range schemas().ActionSchemas {
		all[name] = map[string]any{"block": blockOf(s.Schema.Block)}
	}
	return all
}

func blockOf(b *tfprotov6.SchemaBlock) map[string]any {
	attributes, blocks := map[string]any{}, map[string]any{}
	for _, a := range b.Attributes {
		attributes[a.Name] = map[string]any{
			"type":             a.Type,
			"description":      a.Description,
			"description_kind": "markdown",
			"required":         a.Required,
			"optional":         a.Optional,
		}
	}
	for _, n := range b.BlockTypes { // each has at most one
		blocks[n.TypeName] = map[string]any{"nesting_mode": "single", "block": blockOf(n.Block)}
	}
	return map[string]any{
		"attributes":       attributes,
		"block_types":      blocks,
		"description":      b.Description,
		"description_kind": "markdown",
	}
}

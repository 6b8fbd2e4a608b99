// Package schemas writes schemas of the provider as Terraform prints them, for schemas that the present Terraform
// leaves out.
package schemas

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
)

// Actions returns the schemas of the provider's actions, as "terraform providers schema -json" has them from
// Terraform 1.14 on.
func Actions(ctx context.Context) (map[string]any, error) {
	server, err := provider.NewServer("test")
	if err != nil {
		return nil, err
	}
	resp, err := server.GetProviderSchema(ctx, nil)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for name, s := range resp.ActionSchemas {
		all[name] = map[string]any{"block": blockOf(s.Schema.Block)}
	}
	return all, nil
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

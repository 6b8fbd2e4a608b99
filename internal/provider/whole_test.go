package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// decimals are the arguments that take a fraction.
var decimals = []string{"resize.number"}

// fractions returns a configuration of a block for each of its numbers, with a fraction there and nothing else. The keys
// are the paths as people write them.
func fractions(attributes []*tfprotov6.SchemaAttribute, blocks []*tfprotov6.SchemaNestedBlock) map[string]protocol.Attributes {
	found := map[string]protocol.Attributes{}
	add := func(path string, value any) { // a list, a map or an attribute on the way
		name, _, _ := strings.Cut(path, ".")
		name, _, _ = strings.Cut(name, "[")
		found[path] = protocol.Attributes{name: value}
	}
	for _, a := range attributes {
		switch {
		case a.Computed && !a.Optional:
		case a.NestedType != nil:
			for path, inner := range fractions(a.NestedType.Attributes, nil) {
				switch a.NestedType.Nesting {
				case tfprotov6.SchemaObjectNestingModeSingle:
					add(a.Name+"."+path, inner)
				case tfprotov6.SchemaObjectNestingModeMap:
					add(a.Name+`["k"].`+path, protocol.Attributes{"k": inner})
				default:
					add(a.Name+"[0]."+path, []any{inner})
				}
			}
		case a.Type.Is(tftypes.Number):
			add(a.Name, 1.5)
		case a.Type.Equal(tftypes.Map{ElementType: tftypes.Number}):
			add(a.Name+`["k"]`, protocol.Attributes{"k": 1.5})
		case a.Type.Equal(tftypes.List{ElementType: tftypes.Number}):
			add(a.Name+"[0]", []any{1.5})
		}
	}
	for _, b := range blocks {
		for path, inner := range fractions(b.Block.Attributes, b.Block.BlockTypes) {
			for _, a := range b.Block.Attributes { // a block without what it needs is not looked into
				if a.Type != nil && a.Type.Is(tftypes.String) {
					inner[a.Name] = tftypes.UnknownValue
				}
			}
			if b.Nesting == tfprotov6.SchemaNestedBlockNestingModeSingle {
				add(b.TypeName+"."+path, inner)
			} else {
				add(b.TypeName+"[0]."+path, []any{inner})
			}
		}
	}
	return found
}

// TestWholeNumbers: a fraction in place of a whole number is our own error, which names the argument, for every
// argument of the schema.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	count := 0
	check := func(kind string, block *tfprotov6.SchemaBlock, validate func(*protocol.Provider, protocol.Attributes) error) {
		for path, config := range fractions(block.Attributes, block.BlockTypes) {
			p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
			if err := validate(p, config); slices.Contains(decimals, path) {
				assert.NotContains(t, p.Said(), "whole", "%s: %s: %v", kind, path, err)
				continue
			}
			count++
			assert.Contains(t, p.Said(), "Not a whole number\n"+path+": a whole number is needed, not 1.5: use floor() or ceil().", "%s: %s", kind, path)
		}
	}
	all := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne").Schemas
	for kind, s := range all.ResourceSchemas {
		check(kind, s.Block, func(p *protocol.Provider, config protocol.Attributes) error {
			return p.Validate(t.Context(), kind, config)
		})
	}
	for kind, s := range all.DataSourceSchemas {
		check(kind, s.Block, func(p *protocol.Provider, config protocol.Attributes) error {
			return p.ValidateData(t.Context(), kind, config)
		})
	}
	for kind, s := range all.ActionSchemas {
		check(kind, s.Schema.Block, func(p *protocol.Provider, config protocol.Attributes) error {
			return p.ValidateAction(t.Context(), kind, config)
		})
	}
	assert.Greater(t, count, 40, "numbers in the schema")
}

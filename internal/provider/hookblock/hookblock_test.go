package hookblock_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func words(list ...attr.Value) types.List { return types.ListValueMust(types.StringType, list) }

func text(s string) attr.Value { return types.StringValue(s) }

type values = map[string]attr.Value

// block returns a hook block in which everything is null except the given values.
func block(t *testing.T, given values) types.Object {
	t.Helper()
	return protocol.Block(t, hookblock.Block(""), given)
}

// TestSpec: a block is read unchanged, and a value in a state that the schema refuses
// causes no panic.
func TestSpec(t *testing.T) {
	assert.Nil(t, hookblock.Spec(types.ObjectNull(hookblock.Block("").Type().(types.ObjectType).AttrTypes)), "a hook that is not there")
	assert.Nil(t, hookblock.Spec(types.Object{}), "a hook that is not there")
	for name, c := range map[string]struct {
		given values
		want  *hook.Spec
		runs  bool
	}{
		"nothing": {},
		"a command": {values{"type": text("command"), "default_result": text("ABANDON"), "timeout": durations.Of(7 * time.Second),
			"command": words(text("drain"), text(""), types.StringNull())},
			&hook.Spec{Type: "command", Default: hook.Abandon, Timeout: 7 * time.Second, Command: []string{"drain", ""}}, true},
		"a type alone":        {values{"type": text("webhook")}, &hook.Spec{Type: "webhook"}, false},
		"no type":             {values{"url": text("u")}, &hook.Spec{URL: "u"}, false},
		"an unknown type":     {values{"type": text("pigeon")}, &hook.Spec{Type: "pigeon"}, false},
		"no words":            {values{"type": text("command"), "command": words()}, &hook.Spec{Type: "command"}, false},
		"a word that is null": {values{"type": text("command"), "command": words(types.StringNull())}, &hook.Spec{Type: "command"}, false},
	} {
		spec := hookblock.Spec(block(t, c.given))
		assert.Equal(t, c.want, spec, name)
		if spec != nil {
			assert.Equal(t, c.runs, (&hook.Runner{AllowCommands: true}).Check(*spec) == nil, "%s: it can be run", name)
		}
	}
}

// TestCheckAllowed: the provider block must allow commands, as soon as both are known.
func TestCheckAllowed(t *testing.T) {
	command := values{"type": text("command"), "command": words(text("true"))}
	for name, c := range map[string]struct {
		runner *hook.Runner
		given  values
		says   string // "": the hook is allowed
	}{
		"no hook":                  {&hook.Runner{}, nil, ""},
		"allowed":                  {&hook.Runner{AllowCommands: true}, command, ""},
		"not allowed":              {&hook.Runner{}, command, "allow_commands"},
		"provider block not known": {nil, command, ""},
		"a word that is not known": {&hook.Runner{}, values{"type": text("command"), "command": words(types.StringUnknown())}, ""},
	} {
		var diags diag.Diagnostics
		hookblock.CheckAllowed(block(t, c.given), c.runner, &diags)
		assert.Len(t, diags, min(1, len(c.says)), name)
		for _, d := range diags {
			assert.Equal(t, "hook.type", d.(diag.DiagnosticWithPath).Path().String(), "%s: at", name)
			assert.Contains(t, d.Detail(), c.says, name)
		}
	}
}

// TestBlock: each fault is refused at its argument. An unknown value is neither missing nor
// wrong, and neither a diagnostic nor a plan shows a secret.
func TestBlock(t *testing.T) {
	t.Parallel()
	type attributes = protocol.Attributes
	const unknown = tftypes.UnknownValue
	of := func(kind any, more attributes) attributes {
		more["type"], more["command"] = kind, nil
		return more
	}
	for name, c := range map[string]struct {
		given    attributes // arguments of a hook that runs a command
		at, says string
	}{
		"nothing wrong":      {attributes{"timeout": "1d"}, "", ""},
		"an empty block":     {of(nil, attributes{"default_result": nil}), "hook.type: A missing argument", ""},
		"no type":            {attributes{"type": nil}, "hook.type: A missing argument", ""},
		"another type":       {attributes{"type": "pigeon"}, "hook.type: Invalid Attribute Value Match", ""},
		"no result":          {attributes{"default_result": nil}, "hook.default_result: A missing argument", ""},
		"another result":     {attributes{"default_result": "RETRY"}, "hook.default_result: Invalid Attribute Value Match", ""},
		"no time":            {attributes{"timeout": "0s"}, "hook.timeout: Invalid duration", ""},
		"too much time":      {attributes{"timeout": "25h"}, "hook.timeout: Invalid duration", ""},
		"a null among words": {attributes{"command": []any{"true", nil}}, "hook.command: Null List Value", ""},
		"all unknown":        {of(unknown, attributes{"url": unknown, "environment": unknown}), "", ""},
		"an unknown URL":     {of("webhook", attributes{"url": unknown}), "", ""},
		"an unknown type":    {of(unknown, attributes{"url": "nonsense"}), "", ""},
		"an unknown word":    {attributes{"command": []any{unknown}}, "", ""},
		"no name of a variable": {attributes{"environment": []any{"A=secret"}},
			"hook.environment: Invalid hook", "environment lists names of variables, such as KUBECONFIG."},
		"no URL":    {of("webhook", attributes{}), "hook.url: Invalid hook", "A hook of type webhook needs url."},
		"a bad URL": {of("webhook", attributes{"url": "secret"}), "hook: Invalid hook", "The address of a webhook begins with https://"},
		"an argument of another": {attributes{"url": "https://x/"}, "hook.url: Invalid hook",
			"url belongs to a hook of type webhook."},
		"a URL in the clear": {of("webhook", attributes{"url": "http://x/?key=secret"}), "hook: Insecure hook", "everybody on the way can read them"},
	} {
		block := attributes{"type": "command", "command": []any{"true"}, "default_result": "ABANDON"}
		maps.Copy(block, c.given)
		p, err := protocol.Connect(t.Context(), attributes{"allow_commands": true})
		require.NoError(t, err)
		err = p.Validate(t.Context(), "stackpolicy_deletion_attachment", attributes{"server_id": "1", "hook": block})
		assert.Equal(t, c.at == "" || strings.HasSuffix(c.at, "Insecure hook"), err == nil, "%s: it is taken", name)
		if at, _, _ := strings.Cut(p.At(), "\n"); at != c.at || !strings.Contains(p.Said(), c.says) || strings.Contains(p.Said(), "secret") {
			t.Errorf("%s: said %q, want %q: %s", name, at, c.at, p.Said())
		}
	}
	assert.True(t, hookblock.Block("").Attributes["url"].IsSensitive())
}

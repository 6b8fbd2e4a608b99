package hookblock_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// block is a hook block in which everything is null but the values given.
func block(t *testing.T, values map[string]attr.Value) types.Object {
	t.Helper()
	of := hookblock.Block("").Type().(types.ObjectType).AttrTypes
	all := map[string]attr.Value{}
	for name, kind := range of {
		null, err := kind.ValueFromTerraform(t.Context(), tftypes.NewValue(kind.TerraformType(t.Context()), nil))
		require.NoError(t, err)
		all[name] = null
	}
	maps.Copy(all, values)
	return types.ObjectValueMust(of, all)
}

func words(list ...attr.Value) types.List { return types.ListValueMust(types.StringType, list) }

// TestSpec: a block is read as it stands, and what a state may have that the
// schema refuses is no reason to panic.
func TestSpec(t *testing.T) {
	text := types.StringValue
	null := hookblock.Spec(types.ObjectNull(hookblock.Block("").Type().(types.ObjectType).AttrTypes))
	if null != nil || hookblock.Spec(types.Object{}) != nil || hookblock.Spec(block(t, nil)) != nil {
		t.Errorf("a hook that is not there: %+v", null)
	}
	spec := hookblock.Spec(block(t, map[string]attr.Value{"type": text("command"), "default_result": text("ABANDON"), "timeout": durations.Of(7 * time.Second),
		"command": words(text("drain"), text(""), types.StringNull())}))
	if spec == nil || spec.Type != "command" || spec.Default != hook.Abandon || spec.Timeout != 7*time.Second ||
		strings.Join(spec.Arguments["command"], "|") != "drain||" || len(spec.Arguments) != 1 {
		t.Errorf("got %+v", spec)
	}
	for given, want := range map[bool]string{true: "true", false: "false"} {
		proxied := hookblock.Spec(block(t, map[string]attr.Value{"type": text("webhook"), "proxy_from_environment": types.BoolValue(given)}))
		if got := proxied.Arguments["proxy_from_environment"]; len(got) != 1 || got[0] != want {
			t.Errorf("%t: got %q", given, got)
		}
	}
	weighed := hookblock.Spec(block(t, map[string]attr.Value{"type": text("octavia"), "weight": types.Int64Value(7)}))
	if got := weighed.Arguments["weight"]; len(got) != 1 || got[0] != "7" {
		t.Errorf("got %q", got)
	}
	for name, values := range map[string]map[string]attr.Value{
		"a type alone":        {"type": text("webhook")},
		"no type":             {"queue": text("q")},
		"an unknown type":     {"type": text("pigeon"), "queue": text("q")},
		"no words":            {"type": text("command"), "command": words()},
		"a word that is \"\"": {"type": text("command"), "command": words(types.StringNull())},
	} {
		spec := hookblock.Spec(block(t, values))
		if err := (&hook.Runner{AllowCommands: true}).Check(*spec); err == nil {
			t.Errorf("%s can be run: %+v", name, spec)
		}
	}
}

// TestValidate: unknown is neither missing nor wrong, and no diagnostic points
// to a line that has a secret.
func TestValidate(t *testing.T) {
	text := types.StringValue
	unknown := types.StringUnknown()
	for _, c := range []struct {
		name   string
		values map[string]attr.Value
		at     string
		detail string
	}{
		{"nothing", nil, "", ""},
		{"all unknown", map[string]attr.Value{"type": unknown, "url": unknown, "queue": unknown}, "", ""},
		{"unknown URL", map[string]attr.Value{"type": text("webhook"), "url": unknown}, "", ""},
		{"unknown type", map[string]attr.Value{"type": unknown, "url": text("nonsense")}, "", ""},
		{"unknown word", map[string]attr.Value{"type": text("command"), "command": words(unknown)}, "", ""},
		{"what may be left out", map[string]attr.Value{"type": text("command"), "command": words(text("true"))}, "", ""},
		{"no name of a variable", map[string]attr.Value{"type": text("command"), "command": words(text("true")), "environment": words(text("A=secret"))},
			"hook.environment", "environment lists names of variables, such as KUBECONFIG."},
		{"a proxy for a command", map[string]attr.Value{"type": text("command"), "command": words(text("true")), "proxy_from_environment": types.BoolValue(true)},
			"hook.proxy_from_environment", "proxy_from_environment belongs to a hook of type webhook."},
		{"no URL", map[string]attr.Value{"type": text("webhook")}, "hook.url", "A hook of type webhook needs url."},
		{"bad URL", map[string]attr.Value{"type": text("webhook"), "url": text("secret")}, "hook", "The address of a webhook begins with https://"},
		{"another type's", map[string]attr.Value{"type": text("zaqar"), "queue": text("q"), "url": text("https://x/")}, "hook.url", "url belongs to a hook of type webhook."},
		{"plain", map[string]attr.Value{"type": text("webhook"), "url": text("http://x/?key=secret")}, "hook", "everybody on the way can read them"},
	} {
		var diags diag.Diagnostics
		hookblock.Validate(block(t, c.values), path.Root("hook"), &diags)
		if (len(diags) == 0) != (c.detail == "") {
			t.Errorf("%s: got %v", c.name, diags)
			continue
		}
		for _, d := range diags {
			if warns := d.Severity() == diag.SeverityWarning; warns != (c.name == "plain") {
				t.Errorf("%s: %s", c.name, d.Severity())
			}
			if at := d.(diag.DiagnosticWithPath).Path().String(); at != c.at || !strings.Contains(d.Detail(), c.detail) || strings.Contains(d.Detail(), "secret") {
				t.Errorf("%s: at %s: %s", c.name, at, d.Detail())
			}
		}
	}
}

// TestCheckAllowed: commands need the leave of the provider block, as soon as
// both are known.
func TestCheckAllowed(t *testing.T) {
	command := map[string]attr.Value{"type": types.StringValue("command"), "command": words(types.StringValue("true"))}
	for name, c := range map[string]struct {
		runner *hook.Runner
		word   types.String
		errors int
	}{
		"allowed":                  {&hook.Runner{AllowCommands: true}, types.StringValue("true"), 0},
		"not allowed":              {&hook.Runner{}, types.StringValue("true"), 1},
		"provider block not known": {nil, types.StringValue("true"), 0},
		"a word that is not known": {&hook.Runner{}, types.StringUnknown(), 0},
	} {
		command["command"] = words(c.word)
		var diags diag.Diagnostics
		if hookblock.CheckAllowed(t.Context(), block(t, nil), block(t, nil), c.runner, nil, path.Root("hook"), &diags); len(diags) > 0 {
			t.Errorf("%s, without a hook: %v", name, diags)
		}
		hookblock.CheckAllowed(t.Context(), block(t, command), block(t, nil), c.runner, nil, path.Root("hook"), &diags)
		assert.Equal(t, c.errors, diags.ErrorsCount(), "%s: %v", name, diags)
		for _, d := range diags {
			assert.Equal(t, "hook.type", d.(diag.DiagnosticWithPath).Path().String(), "%s: at", name)
		}
	}
}

// TestCheckRegions: each region of a hook is asked for what the hook needs there.
func TestCheckRegions(t *testing.T) {
	pools := map[string]attr.Value{"type": types.StringValue("octavia"), "default_result": types.StringValue("ABANDON"),
		"pool_ids": words(types.StringValue("1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63"))}
	runner := &hook.Runner{LoadBalancer: func(_ context.Context, region string) (*openstack.LoadBalancer, error) {
		if region == "RegionOne" {
			return nil, nil
		}
		return nil, errors.New("region " + region + " has no Octavia")
	}}
	for regions, says := range map[string]string{"RegionOne": "", "RegionTwo": "RegionTwo", "RegionOne RegionTwo": "RegionTwo", "RegionTwo RegionOne": "RegionTwo", "": ""} {
		var diags diag.Diagnostics
		hookblock.CheckAllowed(t.Context(), block(t, pools), block(t, pools), runner, strings.Fields(regions), path.Root("hook"), &diags)
		if len(diags) != min(1, len(says)) || says != "" && !strings.Contains(diags[0].Detail(), says) {
			t.Errorf("%s: %v", regions, diags)
		}
	}
}

// TestBlock: what the schema refuses, and at which argument; and that no plan shows what is
// sensitive.
func TestBlock(t *testing.T) {
	t.Parallel()
	type attributes = protocol.Attributes
	const kind = "stackpolicy_deletion_attachment"
	for name, c := range map[string]struct {
		argument string
		given    any
		at       string
	}{
		"nothing wrong":       {"timeout", "1d", ""},
		"no type":             {"type", nil, "hook: Invalid Attribute Combination"},
		"another type":        {"type", "pigeon", "hook.type: Invalid Attribute Value Match"},
		"no result":           {"default_result", nil, "hook: Invalid Attribute Combination"},
		"another result":      {"default_result", "RETRY", "hook.default_result: Invalid Attribute Value Match"},
		"no time":             {"timeout", "0s", "hook.timeout: Invalid duration"},
		"too much time":       {"timeout", "25h", "hook.timeout: Invalid duration"},
		"a null among words":  {"command", []any{"true", nil}, "hook.command: Null List Value"},
		"a weight that is no": {"weight", 257, "hook.weight: Invalid Attribute Value"},
	} {
		p, err := protocol.Connect(t.Context(), attributes{"allow_commands": true})
		require.NoError(t, err)
		block := attributes{"type": "command", "command": []any{"true"}, "default_result": "ABANDON"}
		if c.argument == "weight" {
			block = attributes{"type": "octavia", "pool_ids": []any{"1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63"}, "default_result": "ABANDON"}
		}
		block[c.argument] = c.given
		_ = p.Validate(t.Context(), kind, attributes{"server_id": "1", "hook": block}) // what it says is looked at
		if at, _, _ := strings.Cut(p.At(), "\n"); at != c.at {
			t.Errorf("%s: said %q, want %q", name, at, c.at)
		}
	}
	nested := hookblock.Block("").Attributes
	for _, of := range hook.Types() {
		for _, a := range of.Arguments {
			assert.Equal(t, a.Kind == hook.Secret, nested[a.Name].IsSensitive(), "whether %s is sensitive", a.Name)
		}
	}
}

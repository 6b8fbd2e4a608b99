// Package hookblock has the hook block of the attachments: its schema, its checks, and
// its translation.
package hookblock

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// model is the block.
type model struct {
	Type          types.String `tfsdk:"type"`
	URL           types.String `tfsdk:"url"`
	Command       types.List   `tfsdk:"command"`
	Environment   types.List   `tfsdk:"environment"`
	Timeout       types.String `tfsdk:"timeout"`
	DefaultResult types.String `tfsdk:"default_result"`
}

// Block returns the schema of a hook block.
func Block(description string) schema.SingleNestedBlock {
	url := attribute.Text("Required for type `webhook`. Address that is posted to. It may contain a secret and is " +
		"never logged.")
	url.Sensitive = true
	return attribute.Block(description, attribute.Fields{
		"type": attribute.Text("Required. How the consumer is notified, and how it says that it is done: `webhook`, "+
			"`command`. See [Which hook](../guides/draining-nodes.md#which-hook).",
			stringvalidator.OneOf(hook.Webhook, hook.Command)),
		"url": url,
		"command": attribute.Texts("Required for type `command`. The command and its arguments, run without a shell, "+
			"with the facts in its [environment](../guides/draining-nodes.md#a-command). Needs `allow_commands = "+
			"true` in the provider block.", listvalidator.NoNullValues()),
		"environment": attribute.Texts("For type `command`. Names of variables of Terraform's environment that the "+
			"command gets too, such as `KUBECONFIG`.", listvalidator.NoNullValues()),
		"timeout": durations.Argument(time.Second, duration.Day, "How long to wait for the consumer, at most `1d`. "+
			"Defaults to `"+duration.Format(hook.DefaultTimeout)+"`."),
		"default_result": attribute.Text("Required. Result of a hook that fails or times out: `CONTINUE` (a warning; "+
			"the node counts as drained or ready) or `ABANDON` (an error; a leaving node stays, a new node is not in "+
			"service).",
			stringvalidator.OneOf(string(hook.Continue), string(hook.Abandon))),
	}, "type", "default_result")
}

var at = path.Root("hook")

// background is for conversions, which wait for nothing.
var background = context.Background()

// Validate checks the known arguments of a block.
func Validate(block types.Object, diags *diag.Diagnostics) {
	m := read(block)
	if m == nil || m.Type.IsUnknown() {
		return
	}
	takes := map[string][]string{hook.Webhook: {"url"}, hook.Command: {"command", "environment"}}
	kind := m.Type.ValueString()
	if takes[kind] == nil {
		return // the schema refuses it
	}
	arguments := map[string]attr.Value{"url": m.URL, "command": m.Command, "environment": m.Environment}
	for of, names := range takes {
		for _, name := range names {
			if of != kind && value.Given(arguments[name]) {
				diags.AddAttributeError(at.AtName(name), "Invalid hook", fmt.Sprintf("%s belongs to a hook of type "+
					"%s. A hook of type %s takes %s. Remove it, or change the type.",
					name, of, kind, text.And(takes[kind])))
			}
		}
	}
	if needed := takes[kind][0]; arguments[needed].IsNull() {
		diags.AddAttributeError(at.AtName(needed), "Invalid hook",
			fmt.Sprintf("A hook of type %s needs %s.", kind, needed))
		return
	}
	for _, fault := range m.spec().Check() {
		where := at.AtName(fault.Argument)
		if fault.Argument == "url" {
			where = at // Terraform quotes the line of the argument, which has a secret in it
		}
		switch {
		case !value.Known(background, arguments[fault.Argument]):
		case fault.Warning:
			diags.AddAttributeWarning(where, "Insecure hook", fault.Text)
		default:
			diags.AddAttributeError(where, "Invalid hook", fault.Text)
		}
	}
}

// CheckAllowed reports a hook that the provider block does not allow. The runner is nil if the provider block is not
// known yet.
func CheckAllowed(block types.Object, runner *hook.Runner, diags *diag.Diagnostics) {
	m := read(block)
	if m == nil || !value.Known(background, block) || runner == nil {
		return
	}
	if err := runner.Check(*m.spec()); err != nil {
		diags.AddAttributeError(at.AtName("type"), "Unable to run the hook",
			strings.TrimSuffix(err.Error(), ".")+".")
	}
}

// Spec returns the hook of a block, which must be completely known, or nil if there is no block.
func Spec(block types.Object) *hook.Spec {
	if m := read(block); m != nil {
		return m.spec()
	}
	return nil
}

// read returns the model of a block, or nil if there is no block.
func read(block types.Object) *model {
	if !value.GivenBlock(block) {
		return nil
	}
	return value.Object[model](background, block, new(diag.Diagnostics))
}

// spec returns the hook. Null elements of lists, which the schema refuses, are left out.
func (m model) spec() *hook.Spec {
	return &hook.Spec{
		Type:        m.Type.ValueString(),
		URL:         m.URL.ValueString(),
		Command:     value.Texts(m.Command),
		Environment: value.Texts(m.Environment),
		Timeout:     durations.Or(m.Timeout, 0),
		Default:     hook.Result(m.DefaultResult.ValueString()),
	}
}

// Package hookblock has the hook block of the attachments: its schema, its checks, and
// its translation.
package hookblock

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// Block returns the schema of a hook block.
func Block(description string) schema.SingleNestedBlock {
	var names []string
	attributes := map[string]schema.Attribute{
		"timeout": durations.Argument(time.Second, duration.Day,
			"How long to wait for the consumer, at most `1d`. Defaults to `"+duration.Format(hook.DefaultTimeout)+"`."),
		"default_result": attribute.Text("Required. Result of a hook that fails or times out: `CONTINUE` (a warning; "+
			"the node counts as drained or ready) or `ABANDON` (an error; a leaving node stays, a new node is not in "+
			"service).",
			stringvalidator.OneOf(string(hook.Continue), string(hook.Abandon))),
	}
	for _, t := range hook.Types() {
		names = append(names, t.Name)
		for _, a := range t.Arguments {
			attributes[a.Name] = argumentOf(t, a)
		}
	}
	attributes["type"] = attribute.Text("Required. How the consumer is notified, and how it says that it is done: `"+
		strings.Join(names, "`, `")+"`. See [Which hook](../guides/draining-nodes.md#which-hook).",
		stringvalidator.OneOf(names...))
	return attribute.Block(description, attributes, "type", "default_result")
}

// argumentOf returns the schema of an argument of a type.
func argumentOf(t hook.Type, a hook.Argument) schema.Attribute {
	description := fmt.Sprintf("Required for type `%s`. %s", t.Name, a.Description)
	if a.Optional {
		description = fmt.Sprintf("For type `%s`. %s", t.Name, a.Description)
	}
	if a.Kind == hook.List {
		return attribute.Texts(description, listvalidator.NoNullValues())
	}
	text := attribute.Text(description)
	text.Sensitive = a.Kind == hook.Secret
	return text
}

var at = path.Root("hook")

// Validate checks the known arguments of a block.
func Validate(block types.Object, diags *diag.Diagnostics) {
	spec, unknown := read(block)
	if spec == nil {
		return
	}
	for _, fault := range spec.Check(func(argument string) bool { return unknown[argument] }) {
		where := at
		if fault.Argument != "" {
			where = at.AtName(fault.Argument)
		}
		if fault.Warning {
			diags.AddAttributeWarning(where, "Insecure hook", fault.Text)
		} else {
			diags.AddAttributeError(where, "Invalid hook", fault.Text)
		}
	}
}

// CheckAllowed reports a hook that the provider block does not allow. The runner is nil if the provider block is not
// known yet.
func CheckAllowed(block types.Object, runner *hook.Runner, diags *diag.Diagnostics) {
	spec, unknown := read(block)
	if spec == nil || len(unknown) > 0 || runner == nil {
		return
	}
	if err := runner.Check(*spec); err != nil {
		diags.AddAttributeError(at.AtName("type"), "Unable to run the hook",
			strings.TrimSuffix(err.Error(), ".")+".")
	}
}

// Spec returns the hook of a block, which must be completely known, or nil if there
// is no block.
func Spec(block types.Object) *hook.Spec {
	spec, _ := read(block)
	return spec
}

// read returns the hook of a block, or nil if there is no block, and which of its
// arguments are unknown. A value in a state that the schema refuses, such as a null
// element, is read as empty.
func read(block types.Object) (spec *hook.Spec, unknown map[string]bool) {
	if !value.GivenBlock(block) {
		return nil, nil
	}
	spec, unknown = &hook.Spec{Arguments: map[string][]string{}}, map[string]bool{}
	for name, v := range block.Attributes() {
		if v.IsUnknown() {
			unknown[name] = true
			continue
		}
		if v.IsNull() {
			continue
		}
		switch v := v.(type) {
		case types.List:
			words := make([]string, 0, len(v.Elements()))
			for _, element := range v.Elements() {
				if element.IsUnknown() {
					unknown[name] = true
				}
				word, _ := element.(types.String)
				words = append(words, word.ValueString())
			}
			spec.Arguments[name] = words
		case types.String:
			switch name {
			case "type":
				spec.Type = v.ValueString()
			case "timeout":
				spec.Timeout = durations.Or(v, 0)
			case "default_result":
				spec.Default = hook.Result(v.ValueString())
			default:
				spec.Arguments[name] = []string{v.ValueString()}
			}
		}
	}
	return spec, unknown
}

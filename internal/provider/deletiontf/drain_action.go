package deletiontf

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
)

var _ backend.Acting = &drainAction{}

// NewDrain returns the action stackpolicy_drain.
func NewDrain() action.Action {
	return &drainAction{backend.Action[nodeModel]{Name: "drain", Fields: drainSchema}}
}

// drainAction is stackpolicy_drain: it drains a node whose server stays. It has no
// state, so each run begins again.
type drainAction struct{ backend.Action[nodeModel] }

// ModifyPlan refuses a hook that the provider block does not allow.
func (a *drainAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config nodeModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.checkHook(a.Backend, &resp.Diagnostics)
	}
}

// Invoke drains the node. A server that no region has needs no drain. A server in another
// region is an error: a wrong region must not look like a drained node.
func (a *drainAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var model nodeModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	server := model.server(ctx, a.Backend, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	status, err := server.Status(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Unable to read the server", err.Error())
		return
	}
	if status == "" {
		text, region := elsewhere(ctx, a.Backend, server)
		if region != "" {
			resp.Diagnostics.AddAttributeError(path.Root("region"), "Unknown server", text)
			return
		}
		resp.Diagnostics.AddWarning("There is nothing to drain", text+" A server that is gone needs no drain.")
		return
	}
	tell, end := progress(ctx, model.label(), func(message string) {
		resp.SendProgress(action.InvokeProgressEvent{Message: message})
	})
	defer end()
	d := model.drain(server, a.Backend.Hooks(), rand.Text(), new(hook.Progress))
	d.Tell = tell
	run(ctx, d, model.limit(), advice{
		limit: "which is the sum of the configured times",
		locked: "Nova would not change its server either. Unlock it (openstack server unlock " + server.ID + "), and " +
			"run the action again.",
		running: "Repair the server or its host, or set shutdown = false, and run the action again.",
		abandoned: "The node is not drained, because default_result is \"ABANDON\", and the change that triggered " +
			"the action does not happen. Run the action again to try again.",
		failed: "Run the action again: it begins from the start.",
	}, &resp.Diagnostics)
}

// every is the interval at which progress says that a step still goes on: the interval of
// Terraform's messages about a resource.
const every = 10 * time.Second

// progress sends each step, and repeats that the step still goes on until the next step
// begins or end is called.
func progress(ctx context.Context, label string, send func(message string)) (tell func(step string), end func()) {
	ctx, cancel := context.WithCancel(ctx)
	steps, ended := make(chan string), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		step, began := "noting the drain in Nova", time.Now()
		for {
			select {
			case step = <-steps:
				began = time.Now()
				ticks.Reset(every)
				send(label + ": " + step)
			case <-ticks.C:
				send(fmt.Sprintf("%s: still %s (%s)", label, step, time.Since(began).Round(time.Second)))
			case <-ctx.Done():
				return
			}
		}
	}()
	tell = func(step string) {
		select {
		case steps <- step:
		case <-ctx.Done():
		}
	}
	return tell, func() { cancel(); <-ended }
}

// drainSchema returns the arguments of the attachment that say how to drain a node, with
// the same names and the same checks.
func drainSchema() schema.Schema {
	of := attachmentSchema()
	hook, _ := of.Blocks["hook"].(data.SingleNestedBlock)
	block := schema.SingleNestedBlock{
		MarkdownDescription: hook.MarkdownDescription,
		Attributes:          map[string]schema.Attribute{},
		Validators:          hook.Validators,
	}
	for name, argument := range hook.Attributes {
		block.Attributes[name] = argument
		if text, is := argument.(data.StringAttribute); is {
			text.Sensitive = false // arguments of actions cannot be sensitive
			block.Attributes[name] = text
		}
	}
	s := schema.Schema{
		MarkdownDescription: "Drains a node whose server stays: before maintenance by hand, or before Terraform " +
			"rebuilds or resizes it in place. It does what destroying a `stackpolicy_deletion_attachment` does. " +
			"The next apply of a `stackpolicy_readiness_attachment` checks the server again " +
			"and marks it. Needs Terraform 1.14, and 1.16 for `caller` and `before_update`. " +
			"OpenTofu has no actions.",
		Attributes: map[string]schema.Attribute{
			"server_id": attribute.RequiredText("Id of the node's server."),
			"region":    attribute.Text("Region of the server. Defaults to the provider's.", attribute.NotEmpty),
		},
		Blocks: map[string]schema.Block{"hook": block},
	}
	for _, name := range []string{"cluster", "node_name", "grace_period", "shutdown"} {
		s.Attributes[name] = of.Attributes[name]
	}
	return s
}

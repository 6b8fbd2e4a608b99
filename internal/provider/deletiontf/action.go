package deletiontf

import (
	"context"
	"crypto/rand"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
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
	model.Shutdown = types.BoolValue(model.Shutdown.ValueBool()) // the server stays
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
	d := model.drain(server, a.Backend.Hooks(), rand.Text(), new(hook.Progress))
	d.Tell = func(step string) {
		resp.SendProgress(action.InvokeProgressEvent{Message: model.label() + ": " + step})
	}
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

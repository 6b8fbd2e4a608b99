package readinesstf

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

var _ backend.Acting = &readyAction{}

// NewReady returns the action stackpolicy_ready.
func NewReady() action.Action {
	return &readyAction{backend.Action[readyModel]{Name: "ready", Fields: readySchema}}
}

// readyAction is stackpolicy_ready: it waits for one server, and ends its turn.
type readyAction struct{ backend.Action[readyModel] }

type readyModel struct {
	checksModel

	ServerID types.String `tfsdk:"server_id"`
	NodeName types.String `tfsdk:"node_name"`
	Region   types.String `tfsdk:"region"`
	Address  types.String `tfsdk:"address"`
	Mark     types.String `tfsdk:"mark"`
	Metadata types.Map    `tfsdk:"metadata"`
}

func (m readyModel) Validate(_ context.Context, diags *diag.Diagnostics) { m.checks(diags) }

// ModifyPlan refuses a hook that the provider block does not allow, the mark of another node, and servers that are made
// again: with SUBSTITUTE Terraform plans this action alone, and not the drain whose turns would bound the batch.
func (a *readyAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config readyModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	hookblock.CheckAllowed(ctx, config.Hook, types.Object{}, a.Backend.Hooks(), []string{config.Region.ValueString()},
		&resp.Diagnostics)
	cluster := config.Cluster.ValueString()
	if config.asks() {
		a.Backend.Walk().Note(backend.Asked, cluster, "")
	}
	if method, noted := a.Backend.Walk().Noted(backend.Methods, cluster); noted && method != roster.InPlace {
		resp.Diagnostics.AddAttributeError(path.Root("cluster"), "Turns of servers that are made again", fmt.Sprintf(
			"Cluster %q is updated with method = %q, and stackpolicy_ready is for %q: no turn bounds such a batch. "+
				"Remove the action, set max_batch_size, and let stackpolicy_readiness_attachment mark the servers.",
			cluster, method, roster.InPlace))
	}
	config.checkMark(config.NodeName.ValueString(), config.Mark, path.Root("mark"), a.Backend.Walk(), &resp.Diagnostics)
}

// Invoke waits until the server is in service. If that fails no node of the cluster gets a turn any more.
func (a *readyAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var model readyModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	walk, cluster, node := a.Backend.Walk(), model.Cluster.ValueString(), model.NodeName.ValueString()
	if other := walk.TurnElsewhere(cluster, model.ServerID.ValueString()); other != "" {
		resp.Diagnostics.AddAttributeError(path.Root("cluster"), "The turn of another cluster", fmt.Sprintf("%s has a "+
			"turn in the cluster %q, which an action for the cluster %q cannot end: the other nodes would wait for "+
			"it. Give stackpolicy_drain and stackpolicy_ready the same cluster, and apply again.", node, other,
			cluster))
		walk.Turns(other).Stop(node, "stackpolicy_ready names another cluster")
		return
	}
	a.wait(ctx, model, resp)
	turns := walk.Turns(cluster)
	if resp.Diagnostics.HasError() {
		turns.Stop(node, "it is not in service")
	} else {
		turns.End(model.ServerID.ValueString())
	}
}

func (a *readyAction) wait(ctx context.Context, model readyModel, resp *action.InvokeResponse) {
	http, tcp := model.checks(&resp.Diagnostics)
	node := model.node(ctx, a.Backend, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	waiter := model.waiter(http, tcp, a.Backend.Hooks())
	waiter.Progress = func(n readiness.Node, seen string) {
		resp.SendProgress(action.InvokeProgressEvent{Message: n.Name + ": " + seen})
	}
	warnings, err := waiter.Run(ctx, []readiness.Node{node})
	for _, warning := range warnings {
		resp.Diagnostics.AddWarning("A lifecycle hook did not complete", warning)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		resp.Diagnostics.AddError("The wait for new servers was interrupted",
			fmt.Sprintf("Cluster %q: %s. Apply again to wait for them.", model.Cluster.ValueString(), err))
	default:
		resp.Diagnostics.AddError("Servers are not in service", fmt.Sprintf("Cluster %q: %s\n\nNo other node gets a "+
			"turn. If the image or user data is at fault, change it or go back, and apply.",
			model.Cluster.ValueString(), err))
	}
}

// checks returns the checks that are known, and reports faults of the configuration.
func (m readyModel) checks(diags *diag.Diagnostics) (http *probe.HTTP, tcp *probe.TCP) {
	http, tcp = m.read(diags)
	if !diags.HasError() {
		m.checkAddress(m.NodeName.ValueString(), m.Address, http, tcp, path.Root("address"), diags)
	}
	return http, tcp
}

// node returns the node to wait for, and reports an update of its server that failed.
func (m readyModel) node(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) (n readiness.Node) {
	_, compute := b.Compute(ctx, &m.Region, diags)
	if diags.HasError() {
		return n
	}
	server := openstack.Server{Compute: compute, ID: m.ServerID.ValueString()}
	state, err := server.State(ctx)
	if err != nil {
		diags.AddError("Unable to read the server", err.Error())
		return n
	}
	read, _ := m.Metadata.Elements()[openstack.DrainedKey].(types.String)
	if !m.Metadata.IsNull() && state.Drained && read.ValueString() != state.Note {
		diags.AddError("The update of the server failed", fmt.Sprintf("%s (server %s) is drained, and not marked: "+
			"Terraform has not read it since. No other node gets a turn. Repair what the other error says, and apply "+
			"again.", m.NodeName.ValueString(), server.ID))
	}
	secret, _ := b.Walk().Noted(backend.Secret, m.Cluster.ValueString())
	return readiness.Node{
		Name: m.NodeName.ValueString(), ID: server.ID, Region: compute.Region, Address: m.Address.ValueString(),
		Mark: value.TextOr(m.Mark, defaultMark), Drained: state.Drained, Failed: state.Late, Server: server,
		Proof: openstack.Proof(secret, server.ID),
	}
}

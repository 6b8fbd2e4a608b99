// Package deletiontf has what Terraform sees of the deletion policy: the attachment,
// the action that drains a node, and the plan.
package deletiontf

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

var _ backend.Attachment = &attachmentResource{}

// NewAttachment returns stackpolicy_deletion_attachment.
func NewAttachment() resource.Resource {
	return &attachmentResource{backend.Resource[attachmentModel]{
		Name:   "deletion_attachment",
		Fields: attachmentSchema,
		Identity: map[string]identityschema.Attribute{
			"region": identityschema.StringAttribute{
				OptionalForImport: true,
				Description:       "Region of the server. Defaults to the provider's.",
			},
			"server_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the server."},
		},
	}}
}

// attachmentResource is stackpolicy_deletion_attachment, which drains a node before
// the node is removed. It refers to the node's server, so Terraform destroys the
// attachment first; destroying it drains the node.
type attachmentResource struct {
	backend.Resource[attachmentModel]
}

// ModifyPlan warns of the servers that the plan drains, refuses to drain a server
// that keeps or gets another attachment, and refuses a hook that the
// provider block does not allow.
func (r *attachmentResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var state, plan attachmentModel
	created, destroyed := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	if !created {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if !destroyed {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if !created && (destroyed || !plan.ServerID.Equal(state.ServerID)) { // another server: the attachment is replaced
		state.leave(ctx, r.Backend, &resp.Diagnostics)
	}
	if destroyed {
		cluster, _ := r.Backend.Walk().Leaving.Noted(state.ServerID.ValueString())
		private.Store(ctx, resp.Private, substitutesKey, cluster, &resp.Diagnostics)
		return
	}
	if !created {
		r.Backend.Walk().Known.Note(state.ServerID.ValueString(), true)
	}
	plan.stay(r.Backend.Walk(), created, &resp.Diagnostics)
	plan.checkHook(r.Backend, &resp.Diagnostics)
	r.Backend.Walk().CheckCluster(plan.Cluster, []string{plan.NodeName.ValueString()}, &resp.Diagnostics)
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	r.find(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	token(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...)
}

func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	r.Backend.Walk().Refreshed.Store(true)
	server := model.server(ctx, r.Backend, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	exists, err := server.Exists(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Unable to read the server", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...) // needed even if the server is gone
	if !exists {
		resp.State.RemoveResource(ctx)
		return
	}
	r.Backend.Walk().Known.Note(server.ID, true)
	token(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// Update stores the plan and does nothing else: the drain follows when the node is
// removed. If the region changes, the server must be in the new one.
func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var state, plan attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.Region.Equal(state.Region) {
		if r.find(ctx, &plan, &resp.Diagnostics); resp.Diagnostics.HasError() {
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// progressKey is the key in the private state under which a failed destruction stores
// its progress.
const progressKey = "progress"

// substitutesKey is the key in the private state under which a plan stores the name of
// the cluster in which it makes a substitute for the node. The cluster's readiness
// attachment must be updated before the node is drained.
const substitutesKey = "substitutes"

// tokenKey is the key in the private state of the token in the messages about the node. No plan shows it.
const tokenKey = "token"

// token returns the token, which is made when the attachment is created or imported: an interrupted drain keeps it.
func token(ctx context.Context, kept private.Writer, diags *diag.Diagnostics) string {
	made := cmp.Or(private.Load[string](ctx, kept, tokenKey, diags), rand.Text())
	private.Store(ctx, kept, tokenKey, made, diags)
	return made
}

// Delete drains the node. If it fails half-way it stores its progress.
func (r *attachmentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	cluster := private.Load[string](ctx, req.Private, substitutesKey, &resp.Diagnostics)
	if _, ready := r.Backend.Walk().Ready.Noted(cluster); cluster != "" && model.enabled() && !ready {
		model.refuseOrder(cluster, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.Backend.Walk().Ended.Note(model.ServerID.ValueString(), true)
	if model.steps() == nil {
		return
	}
	server := model.server(ctx, r.Backend, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	told := token(ctx, resp.Private, &resp.Diagnostics)
	progress := private.Load[hook.Progress](ctx, req.Private, progressKey, &resp.Diagnostics)
	d := model.drain(server, r.Backend.Hooks(), told, &progress)
	if !run(ctx, d, model.limit(), staysAdvice(server.ID), &resp.Diagnostics) {
		private.Store(ctx, resp.Private, progressKey, progress, &resp.Diagnostics)
	}
}

// staysAdvice returns the advice for a node that stays because it could not be drained.
func staysAdvice(serverID string) advice {
	return advice{
		limit: "which timeouts.delete allows",
		locked: "The node stays, because Nova would not destroy its server. To remove the node, unlock the server " +
			"(openstack server unlock " + serverID + "), and apply again. To keep it, plan again: a placement " +
			"attachment removes another node instead of a locked one.",
		running: "The node stays, and so do the servers of other drained nodes. Repair the server or its host, and " +
			"apply again. To remove it as it is, delete it (openstack server delete " + serverID + "), and apply: " +
			"all of them are destroyed.",
		abandoned: "The node stays, because default_result is \"ABANDON\". Apply again to try again. To correct the " +
			"hook, change it in an apply that keeps the node (with the former image, or one more in desired_capacity " +
			"if another node has its place), and then remove the node again: Terraform destroys with the arguments " +
			"of the last apply. To remove it without the hook, take this attachment out of the state (terraform " +
			"state rm), and apply.",
		failed: "The node stays. Apply again: completed steps are not repeated.",
	}
}

// ImportState takes <region>/<server id>, or the identity.
func (r *attachmentResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	var id attachmentIdentityModel
	if value.ByIdentity(req) {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	} else if region, server, ok := value.ParseRegionalID(req.ID); ok {
		id = attachmentIdentityModel{types.StringValue(region), types.StringValue(server)}
	} else {
		resp.Diagnostics.AddError("Invalid import id", fmt.Sprintf("%q is not <region>/<server id>.", req.ID))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("region"), id.Region)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("server_id"), id.ServerID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, id)...)
}

// find fills in the region, and reports a server that does not exist.
func (r *attachmentResource) find(ctx context.Context, model *attachmentModel, diags *diag.Diagnostics) {
	server := model.server(ctx, r.Backend, diags)
	if diags.HasError() {
		return
	}
	switch status, err := server.Status(ctx); {
	case err != nil:
		diags.AddError("Unable to read the server", err.Error())
	case status == "":
		text, _ := elsewhere(ctx, r.Backend, server)
		diags.AddAttributeError(path.Root("server_id"), "Unknown server", text)
	}
}

// Package deletiontf is the Terraform face of the deletion policy: the attachment,
// and the plan.
package deletiontf

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

var _ backend.Attachment = &attachmentResource{}

// NewAttachment returns stackpolicy_deletion_attachment.
func NewAttachment() resource.Resource {
	return &attachmentResource{backend.Resource[attachmentModel]{
		Name:     "deletion_attachment",
		Fields:   attachmentSchema,
		Identity: attachmentIdentity(),
		Moves:    true, // the region may be corrected
	}}
}

// attachmentResource is stackpolicy_deletion_attachment: what must happen before
// a node is removed. It refers to the node's server, so Terraform destroys it
// first, and that is when it happens.
type attachmentResource struct {
	backend.Resource[attachmentModel]
}

// ModifyPlan warns of the servers that the plan drains, refuses to drain one that
// keeps or gets another attachment, works the id out, and refuses a hook that the
// provider block does not allow.
func (r *attachmentResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
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
		state.leave(ctx, r.Backend.Walk(), &resp.Diagnostics)
	}
	if destroyed {
		return
	}
	plan.stay(ctx, r.Backend.Walk(), &resp.Diagnostics)
	var regions []string
	if value.Given(plan.Region) {
		regions = []string{plan.Region.ValueString()}
	}
	hookblock.CheckAllowed(ctx, plan.Hook, r.Backend.Hooks(), regions, path.Root("hook"), &resp.Diagnostics)
	plan.ID = types.StringUnknown()
	if value.Given(plan.Region) && value.Given(plan.ServerID) {
		plan.ID = types.StringValue(plan.Region.ValueString() + "/" + plan.ServerID.ValueString())
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.ID)...)
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	r.find(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.identify()
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...)
}

func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	server := r.server(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	exists, err := server.Exists(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Unable to read the server", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...) // the framework wants one of what is gone, too
	if !exists {
		resp.State.RemoveResource(ctx)
		return
	}
	model.identify()
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// Update stores the plan, and does nothing else before the node is removed. If the
// region changes, the server must be in the new one.
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
	plan.identify()
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// progressKey is the key in the private state under which a failed destruction notes
// how far it came.
const progressKey = "progress"

// Delete drains the node. One that fails half-way remembers how far it came.
func (r *attachmentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || model.steps() == nil {
		return
	}
	server := r.server(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	progress := private.Load[hook.Progress](ctx, req.Private, progressKey, &resp.Diagnostics)
	limit := model.limit()
	limited, cancel := context.WithTimeoutCause(
		ctx,
		limit,
		fmt.Errorf("not done within %s, which timeouts.delete allows", duration.Format(limit)),
	)
	defer cancel()
	warnings, err := model.drain(server, r.Backend.Hooks(), &progress).Run(limited)
	for _, warning := range warnings {
		resp.Diagnostics.AddWarning("The node was not drained in full", warning)
	}
	if err == nil {
		return
	}
	private.Store(ctx, resp.Private, progressKey, progress, &resp.Diagnostics)
	if _, locked := errors.AsType[*drain.LockedError](err); locked {
		resp.Diagnostics.AddError(
			"The server is locked",
			fmt.Sprintf("%s was not drained and stays, because Nova would not destroy it: %v. "+
				"To remove the node unlock its server (openstack server unlock %s), and apply again. To keep it, "+
				"plan again: a placement attachment takes another node in place of one that is locked.",
				model.message().Node(), err, server.ID),
		)
		return
	}
	if _, abandoned := errors.AsType[*hook.AbandonedError](err); abandoned {
		resp.Diagnostics.AddError(
			"A lifecycle hook did not complete",
			fmt.Sprintf(
				"%v.\n\nThe node stays, because default_result is \"ABANDON\". Apply again to try again. To remove "+
					"the node without its hook, forget the attachment with terraform state rm, and apply. A longer "+
					"timeout, or enabled = false, has an effect only if it is applied while the node is still in the "+
					"cluster.",
				err,
			),
		)
		return
	}
	resp.Diagnostics.AddError(
		"Unable to drain the node",
		fmt.Sprintf("%s stays: %v. Apply again: what is done is not done twice.", model.message().Node(), err),
	)
}

// ImportState takes <region>/<server id>, or the identity.
func (r *attachmentResource) ImportState(
	ctx context.Context,
	req resource.ImportStateRequest,
	resp *resource.ImportStateResponse,
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
	for name, value := range map[string]any{
		"region":          id.Region,
		"server_id":       id.ServerID,
		"enabled":         true,
		"grace_period":    durations.Of(0),
		"shutdown":        false,
		"only_in_service": false,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, id)...)
}

// server is the model's server, with the region filled in.
func (r *attachmentResource) server(
	ctx context.Context,
	model *attachmentModel,
	diags *diag.Diagnostics,
) openstack.Server {
	cloud := r.Backend.Get(ctx, diags)
	if cloud == nil {
		return openstack.Server{}
	}
	if model.Region.IsUnknown() {
		model.Region = types.StringNull() // the provider's
	}
	region := places.RegionOr(ctx, cloud, model.Region, diags)
	if diags.HasError() {
		return openstack.Server{}
	}
	model.Region = types.StringValue(region)
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		diags.AddAttributeError(path.Root("region"), "Unable to use the region", err.Error())
	}
	return openstack.Server{Compute: compute, ID: model.ServerID.ValueString()}
}

// find fills the region in and reports a server that is not there.
func (r *attachmentResource) find(ctx context.Context, model *attachmentModel, diags *diag.Diagnostics) {
	server := r.server(ctx, model, diags)
	if diags.HasError() {
		return
	}
	switch status, err := server.Status(ctx); {
	case err != nil:
		diags.AddError("Unable to read the server", err.Error())
	case status == "":
		diags.AddAttributeError(path.Root("server_id"), "Unknown server", r.elsewhere(ctx, server))
	}
}

// elsewhere says that a server is not where it was said to be, and where it is.
func (r *attachmentResource) elsewhere(ctx context.Context, server openstack.Server) string {
	text := fmt.Sprintf("The region %q has no server %q.", server.Compute.Region, server.ID)
	var diags diag.Diagnostics
	cloud := r.Backend.Get(ctx, &diags)
	if cloud == nil {
		return text
	}
	regions, err := cloud.ComputeRegions(ctx)
	if err != nil {
		return text
	}
	for _, region := range regions {
		compute, err := cloud.Compute(ctx, region)
		if err != nil || region == server.Compute.Region {
			continue
		}
		if status, err := (openstack.Server{Compute: compute, ID: server.ID}).Status(ctx); err == nil && status != "" {
			return text + fmt.Sprintf(" It is in the region %q: give that.", region)
		}
	}
	return text
}

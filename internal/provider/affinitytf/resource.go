// Package affinitytf has what Terraform sees of the affinity policy: the attachment and
// the plan.
package affinitytf

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

var _ backend.Attachment = &attachmentResource{}

// NewAttachment returns stackpolicy_affinity_attachment.
func NewAttachment() resource.Resource {
	return &attachmentResource{backend.Resource[attachmentModel]{
		Name:   "affinity_attachment",
		Fields: attachmentSchema,
		Identity: map[string]identityschema.Attribute{
			"region": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Region of the server group.",
			},
			"servergroup_id": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Id of the server group.",
			},
			"created": identityschema.BoolAttribute{
				OptionalForImport: true,
				Description:       "Whether the attachment created the group, and deletes it when it is destroyed.",
			},
		},
	}}
}

// attachmentResource is stackpolicy_affinity_attachment: a server group that is
// inherited, or that is created and deleted with the attachment.
type attachmentResource struct {
	backend.Resource[attachmentModel]
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model, config attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	cloud, compute := r.Backend.Compute(ctx, &model.Region, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	zone := targetZone(ctx, cloud, compute, model.zone(), &resp.Diagnostics) // before a group is made
	policy := config.policy(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	binding, err := affinity.Attach(ctx, compute, policy)
	if err != nil {
		addAttachError(err, &resp.Diagnostics)
		return
	}
	model.bind(binding.Group, binding.Inherited)
	model.Zone = value.TextOrNull(zone)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...)
}

func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	_, compute := r.Backend.Compute(ctx, &model.Region, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...) // needed even if the group is gone
	id := model.ServerGroupID.ValueString()
	group, err := compute.ServerGroup(ctx, id)
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		if !model.imported() {
			resp.Diagnostics.AddWarning("The server group is gone", fmt.Sprintf("Nova in region %s has no server "+
				"group %q (%s) any more: somebody deleted it. The attachment gets a group with another id. %s.",
				compute.Region, model.ServerGroupName.ValueString(), id, hintsAdvice))
		}
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.AddError("Unable to read the server group", err.Error())
		return
	}
	if model.imported() {
		if model.own() != "" {
			refuseForeign(ctx, compute, id, &resp.Diagnostics)
		}
		if resp.Diagnostics.HasError() {
			return
		}
		model.adopt(group)
	}
	model.bind(group, model.own() == "")
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// refuseForeign refuses a group of another project that would count as created: no
// attachment of this project created it, so no attachment may delete it.
func refuseForeign(ctx context.Context, compute *openstack.Compute, id string, diags *diag.Diagnostics) {
	owned, err := affinity.Owned(ctx, compute, id)
	switch {
	case err != nil:
		diags.AddError("Unable to read the server group", err.Error())
	case !owned:
		diags.AddError("The server group is another project's", fmt.Sprintf("The server group %s of region %s does "+
			"not belong to the project that the provider logs in to, so this attachment cannot have created it. "+
			"Import it as %s/%s, without /created: then it is inherited, and never deleted.", id,
			compute.Region, compute.Region, id))
	}
}

// Update changes the zone.
func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	cloud, compute := r.Backend.Compute(ctx, &plan.Region, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.moves(state) {
		plan.Zone = value.TextOrNull(targetZone(ctx, cloud, compute, plan.zone(), &resp.Diagnostics))
	}
	if resp.Diagnostics.HasError() {
		return // the state stays as it was: the next apply tries again
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Delete deletes the group if the attachment created it.
func (r *attachmentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	id := model.own()
	if resp.Diagnostics.HasError() || id == "" {
		return
	}
	_, compute := r.Backend.Compute(ctx, &model.Region, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	group, unread := compute.ServerGroup(ctx, id) // the warning below is all that needs it
	switch kept, err := affinity.Detach(ctx, compute, id); {
	case err != nil:
		resp.Diagnostics.AddError("Unable to delete the server group",
			fmt.Sprintf("The attachment created it: %s. The next apply tries again.", err))
	case kept:
		resp.Diagnostics.AddWarning("The server group stays", fmt.Sprintf(
			"The server group %s of region %s is not deleted: another attachment inherited it during this apply. "+
				"That attachment does not delete it either. To have the group deleted with the attachment, remove "+
				"the attachment from the state and import it as <region>/<id>/created.", id, compute.Region))
	case unread == nil && len(group.Members) > 0: // servers refer to the group: the apply has destroyed its own
		resp.Diagnostics.AddWarning("The server group had members", fmt.Sprintf("The attachment created the server "+
			"group %s of region %s, and has deleted it. These servers run on without a group: %s. Other "+
			"configurations that inherit the group lose it: no server can join it any more.",
			id, compute.Region, text.Few(slices.Sorted(slices.Values(group.Members)))))
	}
}

// ImportState takes <region>/<id> for an inherited group, or <region>/<id>/created
// for a group that is deleted with the attachment.
func (r *attachmentResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	region, id, created, err := parseGroupID(req.ID)
	if value.ByIdentity(req) {
		var identity identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		region, id = identity.Region.ValueString(), identity.ServerGroupID.ValueString()
		created, err = identity.Created.ValueBool(), nil
	}
	if err != nil {
		resp.Diagnostics.AddError("Invalid import id", err.Error())
		return
	}
	for name, v := range map[string]any{"region": region, "servergroup_id": id, "inherited_group": !created} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), v)...)
	}
}

// parseGroupID reads <region>/<id> and <region>/<id>/created.
func parseGroupID(text string) (region, id string, created bool, err error) {
	rest, created := strings.CutSuffix(text, "/created")
	region, id, ok := value.ParseRegionalID(rest)
	if !ok {
		return "", "", false, fmt.Errorf(
			"%q is neither <region>/<server group id> (a group that is inherited and never deleted) nor "+
				"<region>/<server group id>/created (one that is deleted with the attachment)",
			text,
		)
	}
	return region, id, created, nil
}

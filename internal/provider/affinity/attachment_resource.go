// Package affinity is the Terraform face of the affinity policy: the attachment,
// and the plan.
package affinity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

var (
	_ resource.ResourceWithConfigure      = &attachmentResource{}
	_ resource.ResourceWithValidateConfig = &attachmentResource{}
	_ resource.ResourceWithModifyPlan     = &attachmentResource{}
	_ resource.ResourceWithImportState    = &attachmentResource{}
	_ resource.ResourceWithIdentity       = &attachmentResource{}
)

// NewAttachment returns stackpolicy_affinity_attachment.
func NewAttachment() resource.Resource { return &attachmentResource{} }

// attachmentResource is stackpolicy_affinity_attachment: a server group
// that is inherited, or created and then deleted with the attachment.
type attachmentResource struct{ backend.Resource }

func (r *attachmentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_affinity_attachment"
}

func (r *attachmentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = attachmentSchema()
}

func (r *attachmentResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"region":         identityschema.StringAttribute{RequiredForImport: true, Description: "Region of the server group."},
		"servergroup_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the server group."},
		"created":        identityschema.BoolAttribute{OptionalForImport: true, Description: "Whether the attachment created the group, and deletes it when it goes."},
	}}
}

func (r *attachmentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config attachmentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(ctx, &resp.Diagnostics)
	}
}

// ModifyPlan fills in the region, tells what can only be had with another group
// (by replacing the attachment), and finds out what a creation would stumble on.
func (r *attachmentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, config attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.planZone()
	if !req.State.Raw.IsNull() {
		var state attachmentModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if at, replace := plan.replaces(ctx, state, &resp.Diagnostics); replace {
			resp.RequiresReplace = append(resp.RequiresReplace, at)
			plan.forget()
			if !state.InheritedGroup.ValueBool() {
				// Terraform plans the creation in a second call, without the state.
				resp.Diagnostics.Append(resp.Private.SetKey(ctx, goingKey, []byte(strconv.Quote(state.ServerGroupID.ValueString())))...)
			}
		} else {
			plan.keep(state)
		}
		if config.Region.IsNull() {
			plan.Region = state.Region
		}
	}
	if req.State.Raw.IsNull() && !config.Region.IsUnknown() {
		quoted, more := req.Private.GetKey(ctx, goingKey)
		resp.Diagnostics.Append(more...)
		going, _ := strconv.Unquote(string(quoted))
		r.rehearse(ctx, &plan, config, going, &resp.Diagnostics)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

// goingKey is the private key of the group that goes when the attachment is
// replaced: it is no obstacle to the next one.
const goingKey = "going"

// rehearse fills in the region and reports what would keep a group from being
// attached, but for one that is missing: it may be made before it is needed.
func (r *attachmentResource) rehearse(ctx context.Context, plan *attachmentModel, config attachmentModel, going string, diags *diag.Diagnostics) {
	if plan.Region.IsUnknown() {
		plan.Region = types.StringNull() // the provider's
	}
	compute, _ := r.region(ctx, plan, diags)
	if compute == nil || diags.HasError() {
		return
	}
	if value.Known(ctx, config.AvailabilityZone, config.EnableDRSExtension) {
		plan.targetZone(ctx, compute, diags)
	}
	if !value.Known(ctx, config.ServerGroup, config.SchedulerHints) {
		return
	}
	if err := affinity.Check(ctx, compute, plan.policy(ctx, diags), going); err != nil && !value.Is[*affinity.MissingError](err) {
		addAttachError(err, diags)
	}
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	compute, userID := r.region(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	zone := model.targetZone(ctx, compute, &resp.Diagnostics) // before anything is made
	policy := model.policy(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	binding, err := affinity.Attach(ctx, compute, userID, policy)
	if lost, ok := errors.AsType[*affinity.LostError](err); ok {
		// Kept as a tainted resource: destroying it looks for the group again.
		binding = affinity.Binding{Group: openstack.ServerGroup{Name: lost.Name, Policy: policy.Policy}}
		resp.Diagnostics.AddError("Unable to tell whether the server group was made", fmt.Sprintf("The answer was lost: %s. The next apply looks for it, and removes it before it makes one.", lost))
	} else if err != nil {
		addAttachError(err, &resp.Diagnostics)
		return
	}
	model.bind(ctx, binding, &resp.Diagnostics)
	model.Zone = value.TextOrNull(zone)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...)
}

func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	compute, _ := r.region(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, model.identity())...) // one is asked for even of what is gone
	if model.ServerGroupID.ValueString() == "" {
		return // a creation whose answer was lost: destroying it looks for the group
	}
	group, err := compute.ServerGroup(ctx, model.ServerGroupID.ValueString())
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.AddError("Unable to read the server group", err.Error())
		return
	}
	if model.Policy.IsNull() {
		model.adopt(group)
	}
	model.bind(ctx, affinity.Binding{Group: group, Inherited: model.InheritedGroup.ValueBool()}, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// Update changes the zone that new nodes are sent to: all else needs another
// group.
func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	compute, _ := r.region(ctx, &plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Zone.IsUnknown() {
		plan.Zone = value.TextOrNull(plan.targetZone(ctx, compute, &resp.Diagnostics))
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	}
}

// Delete deletes the group if the attachment created it.
func (r *attachmentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || model.InheritedGroup.ValueBool() {
		return
	}
	compute, userID := r.region(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	warning, err := affinity.Detach(ctx, compute, userID, model.ServerGroupID.ValueString(), model.ServerGroupName.ValueString(), model.policy(ctx, &resp.Diagnostics))
	if warning != "" {
		resp.Diagnostics.AddWarning("The server group had members", warning)
	}
	if err != nil {
		resp.Diagnostics.AddError("Unable to delete the server group", err.Error())
	}
}

// ImportState takes <region>/<id> of a group that is inherited, or
// <region>/<id>/created of one that is deleted with the attachment.
func (r *attachmentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	region, id, created, err := parseGroupID(req.ID)
	if req.ID == "" { // by identity
		var identity identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		region, id, created, err = identity.Region.ValueString(), identity.ServerGroupID.ValueString(), identity.Created.ValueBool(), nil
	}
	if err != nil {
		resp.Diagnostics.AddError("Invalid import id", err.Error())
		return
	}
	for name, value := range map[string]any{"region": region, "servergroup_id": id, "inherited_group": !created} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// parseGroupID reads <region>/<id> and <region>/<id>/created.
func parseGroupID(text string) (region, id string, created bool, err error) {
	rest, created := strings.CutSuffix(text, "/created")
	region, id, ok := value.ParseRegionalID(rest)
	if !ok {
		return "", "", false, fmt.Errorf("%q is neither <region>/<server group id>, for a group that is inherited and never deleted, nor <region>/<server group id>/created, for one that goes with the attachment", text)
	}
	return region, id, created, nil
}

// region is the Nova of the model's region, and who is logged in.
func (r *attachmentResource) region(ctx context.Context, model *attachmentModel, diags *diag.Diagnostics) (*openstack.Compute, string) {
	cloud := r.Backend.Get(diags)
	if cloud == nil {
		return nil, ""
	}
	region := places.RegionOr(ctx, cloud, model.Region, diags)
	if diags.HasError() {
		return nil, ""
	}
	model.Region = types.StringValue(region)
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		diags.AddAttributeError(path.Root("region"), "Unable to use the region", err.Error())
		return nil, ""
	}
	userID, err := cloud.UserID(ctx)
	if err != nil {
		diags.AddError("Unable to tell who is logged in", err.Error())
	}
	return compute, userID
}

// addAttachError reports why no group was attached, at the argument that asks
// for it.
func addAttachError(err error, diags *diag.Diagnostics) {
	name := path.Root("servergroup").AtName("name")
	switch {
	case value.Is[*affinity.MismatchError](err):
		diags.AddAttributeError(path.Root("servergroup").AtName("policies"), "The server group has other rules", text.Sentence(err)+" A group's rules cannot change: ask for those that it has, or name another group.")
	case value.Is[*affinity.AmbiguousError](err):
		diags.AddAttributeError(name, "Several server groups have the name", text.Sentence(err))
	case value.Is[*affinity.MissingError](err):
		diags.AddAttributeError(path.Root("scheduler_hints").AtName("group"), "Unknown server group", text.Sentence(err))
	case value.Is[*affinity.UnsupportedError](err):
		diags.AddAttributeError(path.Root("servergroup"), "Nova is too old", text.Sentence(err))
	default:
		diags.AddError("Unable to attach the server group", err.Error())
	}
}

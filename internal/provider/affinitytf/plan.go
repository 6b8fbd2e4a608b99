package affinitytf

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// hintsAdvice says how servers survive a change of their group's id.
const hintsAdvice = "All servers that have the old id in their scheduler_hints are then replaced, unless they have " +
	"lifecycle { ignore_changes = [scheduler_hints] }"

// ModifyPlan reports what would make the apply fail. An attachment that needs another group is replaced.
func (r *attachmentResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, config attachmentModel
	diags := &resp.Diagnostics
	diags.Append(req.Plan.Get(ctx, &plan)...)
	diags.Append(req.Config.Get(ctx, &config)...)
	if diags.HasError() {
		return
	}
	plan.planZone()
	if req.State.Raw.IsNull() {
		r.rehearse(ctx, config, &plan, diags)
	} else if at := r.planUpdate(ctx, req, config, &plan, diags); at != "" {
		// Terraform says which argument asks for it, if it is one whose value differs.
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("servergroup_id"), value.Path(at).ParentPath())
	}
	if !diags.HasError() {
		diags.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

// planUpdate plans an attachment that keeps its group, or returns the argument for which it is replaced.
func (r *attachmentResource) planUpdate(
	ctx context.Context, req resource.ModifyPlanRequest, config attachmentModel, plan *attachmentModel,
	diags *diag.Diagnostics,
) (another string) {
	var state attachmentModel
	diags.Append(req.State.Get(ctx, &state)...)
	if diags.HasError() {
		return ""
	}
	if config.Region.IsNull() {
		plan.Region = state.Region
	}
	if another = config.another(ctx, plan.Region, state, diags); another != "" {
		r.Backend.Walk().Replaced.Note(state.own(), true)
		state.warnOfChange(another, diags)
		return another
	}
	plan.keep(state)
	if plan.moves(state) {
		r.checkZone(ctx, plan, diags)
	} else {
		plan.Zone = state.Zone // the host of a zone is chosen once
	}
	return ""
}

// another returns the argument for which the configuration needs another group than the state has. One that is not
// known yet may ask for another.
func (m attachmentModel) another(
	ctx context.Context, region types.String, state attachmentModel, diags *diag.Diagnostics,
) (argument string) {
	for name, v := range map[string]attr.Value{
		"region": region, "servergroup": m.ServerGroup, "scheduler_hints": m.SchedulerHints,
	} {
		if !value.Known(ctx, v) {
			return name
		}
	}
	return state.attached(ctx, diags).Another(region.ValueString(), m.policy(ctx, diags))
}

// planZone fills in the zone, unless a host must be found first.
func (m *attachmentModel) planZone() {
	m.Zone = types.StringUnknown()
	if !m.EnableDRSExtension.IsUnknown() && !m.EnableDRSExtension.ValueBool() {
		m.Zone = m.AvailabilityZone
	}
}

// moves reports whether an argument that decides on the zone changes or may change.
func (m attachmentModel) moves(state attachmentModel) bool {
	return m.EnableDRSExtension.IsUnknown() ||
		m.EnableDRSExtension.ValueBool() != state.EnableDRSExtension.ValueBool() ||
		!m.AvailabilityZone.Equal(state.AvailabilityZone)
}

// checkZone fills in the region, and reports a zone that cannot be given to servers.
func (r *attachmentResource) checkZone(
	ctx context.Context, plan *attachmentModel, diags *diag.Diagnostics,
) *openstack.Compute {
	cloud, compute := r.Backend.Compute(ctx, &plan.Region, diags)
	if compute != nil && value.Known(ctx, plan.AvailabilityZone, plan.EnableDRSExtension) {
		targetZone(ctx, cloud, compute, plan.zone(), diags)
	}
	return compute
}

// rehearse fills in the region of a new attachment and reports what would make the apply fail, except that the group of
// the scheduler hints is missing: it may be made before the apply needs it.
func (r *attachmentResource) rehearse(
	ctx context.Context, config attachmentModel, plan *attachmentModel, diags *diag.Diagnostics,
) {
	if config.Region.IsUnknown() {
		return
	}
	plan.Region = config.Region // null means the provider's
	compute := r.checkZone(ctx, plan, diags)
	if compute == nil || !config.groupKnown(ctx) {
		return
	}
	_, err := affinity.Find(ctx, compute, config.policy(ctx, diags), func(id string) bool {
		_, replaced := r.Backend.Walk().Replaced.Noted(id)
		return replaced
	})
	if argument, ok := errors.AsType[*affinity.ArgumentError](err); err != nil && (!ok || !argument.Later) {
		addAttachError(err, diags)
	}
}

// warnOfChange says what happens to servers when another group is needed.
func (m attachmentModel) warnOfChange(argument string, diags *diag.Diagnostics) {
	stay := "keep running with the id of the old group, which is deleted because the attachment created it"
	if m.InheritedGroup.ValueBool() {
		stay = "stay in the old group, which is kept because the attachment did not create it"
	}
	diags.AddAttributeWarning(value.Path(argument), "The server group changes", fmt.Sprintf("The attachment leaves "+
		"the server group %q (%s): servergroup_id changes. %s. With that they %s, and only new servers join "+
		"the new group.",
		m.ServerGroupName.ValueString(), m.ServerGroupID.ValueString(), hintsAdvice, stay))
}

// addAttachError reports why no group was attached, at the argument that asked for it.
func addAttachError(err error, diags *diag.Diagnostics) {
	if argument, ok := errors.AsType[*affinity.ArgumentError](err); ok {
		diags.AddAttributeError(value.Path(argument.Argument), argument.Title, argument.Text)
	} else {
		diags.AddError("Unable to attach the server group", text.Sentence(err))
	}
}

package affinitytf

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// planCreate fills in the region, and reports what would keep a group from being
// attached.
//
// It cannot say which servers lose their group when -replace or a taint replaces the attachment.
func (r *attachmentResource) planCreate(
	ctx context.Context, config attachmentModel, plan *attachmentModel, diags *diag.Diagnostics,
) {
	plan.planZone()
	if config.Region.IsUnknown() {
		return
	}
	if config.Region.IsNull() { // and so unknown in the plan
		plan.Region = types.StringNull() // the provider's
	}
	r.rehearse(ctx, config, plan, diags)
}

// planUpdate finds out whether the attachment keeps its group. Another group, and an argument that is not known yet
// and may ask for one, replace the attachment.
func (r *attachmentResource) planUpdate(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, config attachmentModel,
	plan *attachmentModel,
) {
	var state attachmentModel
	diags := &resp.Diagnostics
	diags.Append(req.State.Get(ctx, &state)...)
	if diags.HasError() {
		return
	}
	if config.Region.IsNull() {
		plan.Region = state.Region
	}
	plan.planZone()
	moves := plan.moves(state)
	if !moves {
		plan.Zone = state.Zone // the host of a zone is chosen once
	}
	change := config.change(ctx, plan.Region, state, diags)
	if change.Argument == "" {
		r.keep(ctx, plan, state, diags)
		plan.tellOwner(state, diags)
		if moves {
			r.checkZone(ctx, plan, diags)
		}
		return
	}
	plan.forget()
	// Terraform says which argument asks for it, if it is one whose value differs.
	resp.RequiresReplace = append(resp.RequiresReplace,
		path.Root("servergroup_id"), value.Path(change.Argument).ParentPath())
	r.Backend.Walk().Replaced.Note(state.own(), true)
	state.warnOfChange(change, diags)
}

// change returns why the configuration needs another group than the state has.
func (m attachmentModel) change(
	ctx context.Context, region types.String, state attachmentModel, diags *diag.Diagnostics,
) affinity.Change {
	for name, argument := range map[string]attr.Value{"region": region, "servergroup": m.ServerGroup,
		"scheduler_hints": m.SchedulerHints} {
		if !value.Known(ctx, argument) {
			return affinity.Change{Argument: name, Reason: name + " is known only after apply"}
		}
	}
	return affinity.NeedsAnother(state.attached(ctx, diags), region.ValueString(), m.policy(ctx, diags))
}

// tellOwner warns that a moved group counts as inherited, or that a group becomes the attachment's own.
func (m attachmentModel) tellOwner(state attachmentModel, diags *diag.Diagnostics) {
	at := path.Root("created")
	group := fmt.Sprintf("%q (%s)", m.ServerGroupName.ValueString(), m.ServerGroupID.ValueString())
	switch {
	case m.InheritedGroup.Equal(state.InheritedGroup) || m.InheritedGroup.IsUnknown() || diags.HasError():
	case m.inherited():
		diags.AddAttributeWarning(at, "The server group counts as inherited", "The server group "+group+" was moved "+
			"here, and stays when the attachment is destroyed. If it was created for this cluster alone, add "+
			"created = true: then it is deleted with the attachment.")
	default:
		diags.AddAttributeWarning(at, "The server group becomes the attachment's own", "created is true: the server "+
			"group "+group+" is deleted when the attachment is destroyed or takes another group. Other configurations "+
			"that use it lose it then.")
	}
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
) (*openstack.Cloud, *openstack.Compute) {
	cloud, compute := r.Backend.Compute(ctx, &plan.Region, diags)
	if compute != nil && !diags.HasError() && value.Known(ctx, plan.AvailabilityZone, plan.EnableDRSExtension) {
		targetZone(ctx, cloud, compute, plan.zone(), diags)
	}
	return cloud, compute
}

// rehearse fills in the region and reports what would make the apply fail, except
// that the group of the scheduler hints is missing: it may be made before the apply
// needs it.
func (r *attachmentResource) rehearse(
	ctx context.Context, config attachmentModel, plan *attachmentModel, diags *diag.Diagnostics,
) {
	cloud, compute := r.checkZone(ctx, plan, diags)
	if compute == nil || !config.groupKnown(ctx) {
		return
	}
	policy := config.policy(ctx, diags)
	group, err := affinity.Check(ctx, compute, policy, func(id string) bool {
		_, replaced := r.Backend.Walk().Replaced.Noted(id)
		return replaced
	})
	if missing, ok := errors.AsType[*affinity.MissingError](err); err != nil && (!ok || !missing.Hinted) {
		addAttachError(err, compute.Region, diags)
	}
	if group != nil && len(group.Members) > 0 {
		at := path.Root("servergroup").AtName("name")
		if policy.Name == "" {
			at = path.Root("scheduler_hints").AtName("group")
		}
		warnOfFull(ctx, cloud, compute.Region, *group, at, diags)
	}
}

// warnOfFull warns of a group that takes no more servers. Quotas that cannot be read are no reason
// to refuse one.
func warnOfFull(
	ctx context.Context, cloud *openstack.Cloud, region string, group openstack.ServerGroup, at path.Path,
	diags *diag.Diagnostics,
) {
	limits, err := cloud.Limits(ctx, region)
	if err != nil || limits.MaxServerGroupMembers < 0 || len(group.Members) < limits.MaxServerGroupMembers {
		return
	}
	diags.AddAttributeWarning(at, "The server group is full", fmt.Sprintf("The server group %q has %d members, and "+
		"Nova's quota server_group_members allows %d: Nova refuses new servers in it. Raise the quota, or name "+
		"another group.", group.Name, len(group.Members), limits.MaxServerGroupMembers))
}

// warnOfChange says what happens to servers when the attachment takes another
// group.
func (m attachmentModel) warnOfChange(change affinity.Change, diags *diag.Diagnostics) {
	stay := "keep running with the id of the old group, and only new servers join the new group. The old group is " +
		"deleted, because the attachment created it."
	if m.inherited() {
		stay = "stay in the old group, which is kept because the attachment did not create it, and only new servers " +
			"join the new group."
	}
	diags.AddAttributeWarning(value.Path(change.Argument), "The server group changes",
		fmt.Sprintf("The attachment leaves the server group %q (%s), because %s: servergroup_id changes. %s. With "+
			"that they %s", m.ServerGroupName.ValueString(), m.ServerGroupID.ValueString(), change.Reason,
			hintsAdvice, stay))
}

// addAttachError reports why no group was attached, at the argument that asked
// for it.
func addAttachError(err error, region string, diags *diag.Diagnostics) {
	at, detail := path.Root("servergroup").AtName("name"), text.Sentence(err)
	lost, isLost := errors.AsType[*affinity.LostError](err)
	missing, isMissing := errors.AsType[*affinity.MissingError](err)
	switch {
	case isLost:
		diags.AddError("Unable to find out whether the server group was created", lostDetail(lost, region))
	case value.Is[*affinity.MismatchError](err):
		diags.AddAttributeError(path.Root("servergroup").AtName("policies"), "The server group has other rules",
			detail+" The rules of a group cannot change: ask for its rules, or name another group. With "+
				"create_before_destroy a new group needs another name too: the old one is still there.")
	case value.Is[*affinity.ExistsError](err):
		diags.AddAttributeError(path.Root("created"), "The server group exists", detail+" Name another group, or "+
			"leave created out to inherit this one. If it was created for this cluster, import it as "+
			"<region>/<id>/created, or move the resource that created it here.")
	case value.Is[*affinity.AmbiguousError](err):
		diags.AddAttributeError(at, "Several server groups have the name", detail)
	case isMissing:
		if missing.Hinted {
			at = path.Root("scheduler_hints").AtName("group")
		}
		diags.AddAttributeError(at, "Unknown server group", detail)
	default:
		diags.AddError("Unable to attach the server group", err.Error())
	}
}

func lostDetail(lost *affinity.LostError, region string) string {
	detail := fmt.Sprintf("The answer was lost: %s. ", lost)
	if len(lost.IDs) > 0 {
		detail += fmt.Sprintf("Nova has a server group of this name now (%s), but anybody may have made it, so it "+
			"does not count as created by this attachment. ", strings.Join(lost.IDs, ", "))
	} else {
		detail += "There is no group of this name in view, and Nova may still make it. "
	}
	return detail + fmt.Sprintf("Look for it in region %s (openstack server group list): if it is yours, delete it, "+
		"or import it as <region>/<id>/created. The next apply inherits a group whose name the configuration gives; "+
		"that group stays when the attachment is destroyed.", region)
}

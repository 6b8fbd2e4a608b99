// Package readinesstf has the attachment that waits for new servers.
package readinesstf

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

var _ backend.Attachment = &attachmentResource{}

// NewAttachment returns stackpolicy_readiness_attachment.
func NewAttachment() resource.Resource {
	return &attachmentResource{backend.Resource[attachmentModel]{
		Name:   "readiness_attachment",
		Fields: attachmentSchema,
		Identity: map[string]identityschema.Attribute{
			"cluster": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the cluster."},
		},
	}}
}

// attachmentResource is stackpolicy_readiness_attachment: it waits until new
// servers are in service.
type attachmentResource struct {
	backend.Resource[attachmentModel]
}

// ModifyPlan plans an empty list of pending servers. If servers are pending, that is a
// difference, so an apply follows and checks them. ModifyPlan warns if the attachment is
// removed while servers are pending.
func (r *attachmentResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var state attachmentModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		if len(value.Texts(state.Pending)) > 0 {
			state.warnOfRemoval(&resp.Diagnostics)
		}
		return
	}
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	hookblock.CheckAllowed(plan.Hook, r.Backend.Hooks(), &resp.Diagnostics)
	plan.checks(r.Backend.Walk(), &resp.Diagnostics)
	plan.judge(state, r.Backend.Walk(), &resp.Diagnostics)
	plan.keeps(state)
	plan.warnOfUnstored(state, r.Backend.Walk(), &resp.Diagnostics)
	plan.Pending = value.List(nil)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	r.wait(ctx, &plan, nil, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return // without a state: the next apply creates it, and finds the marks of servers that passed
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.Cluster})...)
}

// Read looks for the marks of the servers.
func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{model.Cluster})...)
	r.Backend.Walk().Refreshed.Store(true)
	now := r.look(ctx, model, nil, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	model.Pending = value.List(readiness.Pending(now.nodes, now.snapshot))
	model.Servers = found(model.Servers, now.snapshot)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// Update waits. If the wait fails, the state has the servers of the plan anyway, some of
// them pending: the next apply goes on with these, and a plan that removes the attachment
// knows that servers are pending.
func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	waited := r.wait(ctx, &plan, &state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() && !waited {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.Cluster})...)
}

// Delete does nothing: the servers stay, with their marks.
func (r *attachmentResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState takes the name of the cluster. The next apply brings its servers, and
// waits for the servers without a mark.
func (r *attachmentResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	name := types.StringValue(req.ID)
	if value.ByIdentity(req) {
		var identity identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		name = identity.Cluster
	}
	if name.ValueString() == "" && !resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError("Invalid import id", "It is empty. Give the name of the cluster.")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster"), name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("timeout"), durations.Of(defaultTimeout))...)
}

// wait waits for the servers that lack their mark, and reports whether it has waited. The
// state is nil for a new attachment. If the wait fails, all servers that it waited for are
// pending in the plan, and the next refresh finds which of them are in service.
func (r *attachmentResource) wait(
	ctx context.Context, plan, state *attachmentModel, diags *diag.Diagnostics,
) (waited bool) {
	if diags.HasError() {
		return false
	}
	http, tcp := plan.checks(r.Backend.Walk(), diags)
	if diags.HasError() {
		return false
	}
	waiter := plan.waiter(http, tcp, r.Backend.Hooks())
	now := r.look(ctx, *plan, state, diags)
	if diags.HasError() {
		return false
	}
	if state != nil {
		names, _ := readiness.Overtaken(now.before, now.nodes, value.Texts(state.Pending), now.snapshot)
		warnOvertaken(names, diags)
	}
	var pending []readiness.Node
	names := readiness.Pending(now.nodes, now.snapshot)
	for _, name := range names {
		n := now.nodes[name]
		compute, err := now.cloud.Compute(ctx, n.Region) // look has used the region
		if err != nil {
			diags.AddError("Unable to use the region", err.Error())
			return false
		}
		n.Server = openstack.Server{Compute: compute, ID: n.ID}
		now.note(&n)
		n.Late = n.Late || state.waitedFor(n)
		pending = append(pending, n)
	}
	pending, late := readiness.Turn(pending)
	waiter.Progress = progress(ctx, plan.Cluster.ValueString())
	warnings, err := waiter.Run(ctx, pending)
	for _, warning := range warnings {
		diags.AddWarning("A lifecycle hook did not complete", warning)
	}
	switch {
	case err == nil:
		warnOfLate(late, diags)
		r.Backend.Walk().Ready.Note(plan.Cluster.ValueString(), true)
		return true
	case ctx.Err() != nil:
		diags.AddError("The wait for new servers was interrupted",
			fmt.Sprintf("Cluster %q: %s. Apply again to wait for them.", plan.Cluster.ValueString(), err))
	default:
		advice := "If their image or user data is at fault, change it and apply."
		if readiness.MarksRefused(err) {
			advice = "They passed all checks, so another image does not help: let this user change the metadata of " +
				"servers, or raise the quota."
		}
		diags.AddError("Servers are not in service", fmt.Sprintf("Cluster %q: %s\n\n%sApply again to check these once "+
			"more. %s", plan.Cluster.ValueString(), err, r.wellOff(ctx, *plan, state, len(names)), advice))
	}
	plan.Pending = value.List(names)
	return true
}

func progress(ctx context.Context, cluster string) func(n readiness.Node, seen string) {
	return func(n readiness.Node, seen string) {
		tflog.Info(ctx, "waiting for a server", map[string]any{
			"cluster": cluster,
			"node":    n.Name,
			"server":  n.ID,
			"region":  n.Region,
			"seen":    seen,
		})
	}
}

// waitedFor reports whether an apply before this one has waited for the server and the mark of a node, and was
// interrupted, so that Nova has no note of it.
func (m *attachmentModel) waitedFor(n readiness.Node) bool {
	if m == nil || !slices.Contains(value.Texts(m.Pending), n.Name) {
		return false
	}
	was := m.members()[n.Name]
	return was.id.ValueString() == n.ID && value.TextOr(was.mark, defaultMark) == n.Mark
}

// warnOfLate names the nodes that this apply did not wait for again.
func warnOfLate(late []readiness.Node, diags *diag.Diagnostics) {
	if len(late) == 0 {
		return
	}
	names := make([]string, len(late))
	for i, n := range late {
		names[i] = n.Name
	}
	diags.AddAttributeWarning(path.Root("servers"), "Servers are still not in service", fmt.Sprintf(
		"%s: an earlier wait ended without them, so this apply waited only for new servers. The next apply waits for "+
			"them again, unless it has new servers.",
		text.Few(names)))
}

// wellOff says what a failed wait did not harm, after another look at the servers.
func (r *attachmentResource) wellOff(
	ctx context.Context, plan attachmentModel, state *attachmentModel, n int,
) string {
	var unseen diag.Diagnostics
	now, said := r.look(ctx, plan, state, &unseen), ""
	if unseen.HasError() {
		return said
	}
	if len(readiness.Pending(now.nodes, now.snapshot)) < n {
		said = "The others are marked as in service. "
	}
	if state != nil {
		if _, untouched := readiness.Overtaken(state.nodes(now.region), now.nodes, nil, now.snapshot); untouched {
			said += "No server that these replace was drained or destroyed. "
		}
	}
	return said
}

// warnOfRemoval warns that the attachment is destroyed while servers are pending.
func (m attachmentModel) warnOfRemoval(diags *diag.Diagnostics) {
	pending := value.Texts(m.Pending)
	diags.AddWarning("Servers are no longer waited for",
		fmt.Sprintf("Cluster %q: this plan removes the readiness attachment, which still waits for %s: %s. "+
			"Servers that leave are then drained and destroyed without waiting for them. To go on waiting keep the "+
			"attachment; to rename its block use a moved block.",
			m.Cluster.ValueString(), text.Nodes(int64(len(pending))), text.Few(pending)))
}

// warnOfUnstored warns if Terraform makes a server for a node that has one already, which the state does not have: Nova
// carried out the request, and its answer was lost. It refuses a third one, one whose port the other has in a cluster
// that never served, where no plan gives the node up, and any for an imported cluster: its server was not imported.
func (m attachmentModel) warnOfUnstored(before attachmentModel, walk *backend.Walk, diags *diag.Diagnostics) {
	var first string
	var list []string
	known, members, refused, adopted := objects(before.Servers), m.members(), false, false
	told, planned := walk.Cluster(m.Cluster.ValueString())
	servers := objects(m.Servers)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		of := members[name]
		found, there := walk.Found.Noted(backend.Member{In: m.Cluster.ValueString(), Name: name})
		stored := slices.ContainsFunc(found.IDs, func(id string) bool {
			_, has := walk.Known.Noted(id)
			return id == textIn(known[name], "id").ValueString() || found.Adopted && has
		})
		if !there || stored || !of.id.IsUnknown() || of.mark.ValueString() != found.Mark && !found.Adopted {
			continue
		}
		if len(list) == 0 {
			first = fmt.Sprintf("terraform import 'ADDRESS[\"%s\"]' %s", name, found.IDs[0])
			if of.region.ValueString() != "" {
				first = "OS_REGION_NAME=" + of.region.ValueString() + " " + first
			}
		}
		list = append(list, fmt.Sprintf("%s (server %s)", name, strings.Join(found.IDs, ", ")))
		inUse := planned && !told.Marked && len(portsOf(servers[name])) > 0
		refused, adopted = refused || inUse || len(found.IDs) > 1, adopted || found.Adopted
	}
	if len(list) == 0 {
		return
	}
	detail := fmt.Sprintf("Cluster %q: this plan creates servers with names that other servers have already: %s. "+
		"Servers that the plan replaces, such as tainted ones, need nothing. For a server that is not in "+
		"Terraform's state, as after an apply that was killed, the apply makes a second one, or fails where a port "+
		"is still in use. Before you apply, import such a server (%s), or delete it (openstack server delete ID).",
		m.Cluster.ValueString(), text.Few(list), first)
	if adopted {
		detail = fmt.Sprintf("Cluster %q was imported, and this plan creates servers that it has: %s. Import each "+
			"too: %s. If the plan replaces a server that was imported, bring the configuration in line with it, or "+
			"add what differs to ignore_changes. OpenTofu from 1.12 on also replaces one whose "+
			"terraform_data.generation is new: apply that alone first, with -target.",
			m.Cluster.ValueString(), text.Few(list), first)
	}
	if refused || adopted {
		diags.AddAttributeError(path.Root("servers"), "Servers are there that this plan makes again", detail)
	} else {
		diags.AddAttributeWarning(path.Root("servers"), "Servers are there that this plan makes again", detail)
	}
}

// warnOvertaken warns if Terraform has destroyed servers before the servers that
// replace them are in service.
func warnOvertaken(names []string, diags *diag.Diagnostics) {
	if len(names) > 0 {
		diags.AddAttributeWarning(path.Root("servers"), "Servers were destroyed before others took their place",
			fmt.Sprintf("The servers of %s were in service and are gone or drained, and the servers that replace them "+
				"are not in service yet. Unless update destroys first, set create_before_destroy in the lifecycle of "+
				"the servers and of the deletion attachments, and apply that once before the next replacement.",
				strings.Join(names, ", ")))
	}
}

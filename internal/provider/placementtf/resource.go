// Package placementtf is the Terraform face of the attachment of the region and zone
// placement policies.
package placementtf

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

var _ backend.Attachment = &attachmentResource{}

// NewAttachment returns stackpolicy_placement_attachment.
func NewAttachment() resource.Resource {
	return &attachmentResource{backend.Resource[attachmentModel]{
		Name:   "placement_attachment",
		Fields: attachmentSchema,
		Identity: map[string]identityschema.Attribute{
			"cluster": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Name of the cluster.",
			},
			"node_name_pattern": identityschema.StringAttribute{
				OptionalForImport: true,
				Description:       "Pattern of the names of its nodes.",
			},
		},
		Moves: true, // a cluster may be renamed
	}}
}

// attachmentResource is stackpolicy_placement_attachment: it remembers the place
// of each node of a cluster, and what it is made from. All it holds is worked
// out while planning.
type attachmentResource struct {
	backend.Resource[attachmentModel]
}

// proceeds reports whether a plan may find something to do although nothing changed: the
// next batch, or the next candidate that is made again in its slot.
func (m attachmentModel) proceeds() bool {
	return value.GivenBlock(m.Update) || value.GivenBlock(m.Stateful) && value.GivenBlock(m.Deletion)
}

// ModifyPlan makes the plan. Nothing is computed where nothing changed and nothing proceeds.
func (r *attachmentResource) ModifyPlan(
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() {
		return // destroyed
	}
	diags := &resp.Diagnostics
	planner := attachmentPlanner{
		backend: r.Backend,
		config:  &attachmentModel{},
		plan:    &attachmentModel{},
		private: resp.Private,
		diags:   diags,
	}
	planner.same = req.Plan.Raw.Equal(req.State.Raw)
	diags.Append(req.Plan.Get(ctx, planner.plan)...)
	if diags.HasError() || planner.same && !planner.plan.proceeds() {
		return
	}
	diags.Append(req.Config.Get(ctx, planner.config)...)
	if !req.State.Raw.IsNull() {
		planner.state = &attachmentModel{}
		diags.Append(req.State.Get(ctx, planner.state)...)
		planner.memory = loadMemory(ctx, req.Private, diags)
	}
	if diags.HasError() {
		return
	}
	if planner.run(ctx) && !diags.HasError() {
		diags.Append(resp.Plan.Set(ctx, planner.plan)...)
	}
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Read takes the snapshot that the next plan is made from.
func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state attachmentModel
	diags := &resp.Diagnostics
	diags.Append(req.State.Get(ctx, &state)...)
	before := loadMemory(ctx, req.Private, diags)
	if diags.HasError() {
		return
	}
	nodes, status := state.Nodes, state.Status
	var remembered roster.Roster
	var after memory
	var ok bool
	if nodes.IsNull() {
		remembered, after, ok = state.adopt(ctx, r.Backend, diags)
	} else {
		remembered, after, ok = state.refresh(ctx, r.Backend, before, diags)
	}
	if diags.HasError() {
		return
	}
	if ok {
		after.store(ctx, resp.Private, remembered, diags)
		state.remember(ctx, remembered, state.listedRegions(), diags)
		state.tell(ctx, remembered, after, diags)
	}
	if !state.Nodes.Equal(nodes) { // large maps are slow to write, so only changed ones are written
		diags.Append(resp.State.Set(ctx, &state)...)
	} else if !state.Status.Equal(status) {
		diags.Append(resp.State.SetAttribute(ctx, path.Root("status"), state.Status)...)
		diags.Append(resp.State.SetAttribute(ctx, path.Root("remaining"), state.Remaining)...)
	}
	diags.Append(resp.Identity.Set(ctx, state.identity())...)
}

// Update stores what was planned. No mark of a server has to be removed: one that
// belongs to another template is not the node's own.
func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Delete forgets the attachment, and touches no server.
func (r *attachmentResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// identity distinguishes the attachment from all others.
type identity struct {
	Cluster         types.String `tfsdk:"cluster"`
	NodeNamePattern types.String `tfsdk:"node_name_pattern"`
}

func (m attachmentModel) identity() identity { return identity{m.Cluster, m.NodeNamePattern} }

// ImportState takes <cluster>, <cluster>/<pattern>, or the identity; after it the slots
// that are kept, as in "db,db-2=RegionOne/az-1". Read, which Terraform calls next, finds
// no nodes remembered and adopts the servers that run.
func (r *attachmentResource) ImportState(
	ctx context.Context,
	req resource.ImportStateRequest,
	resp *resource.ImportStateResponse,
) {
	diags := &resp.Diagnostics
	id, kept := cutSlots(req.ID)
	cluster, pattern := id, string(roster.DefaultPattern)
	if value.ByIdentity(req) {
		var id identity
		diags.Append(req.Identity.Get(ctx, &id)...)
		cluster, pattern = id.Cluster.ValueString(), value.TextOr(id.NodeNamePattern, pattern)
	} else if name, rest, found := strings.Cut(id, "/"); found && strings.Contains(rest, "{index}") {
		cluster, pattern = name, rest
	}
	fault := roster.Pattern(pattern).Check()
	if fault == "" && strings.TrimSpace(cluster) == "" {
		fault = "It names no cluster."
	}
	slots, unlike := roster.KeepSlots(cluster, roster.Pattern(pattern), kept)
	if fault == "" && len(unlike) > 0 {
		fault = fmt.Sprintf("The pattern %q makes no such name of a slot: %s.", pattern, text.Few(unlike))
	}
	if fault != "" {
		diags.AddError(
			"Invalid import id",
			fmt.Sprintf("%q is neither <cluster> nor <cluster>/<pattern of node names>, "+
				"with ,<slot>=<region>/<zone> after it for each slot that is kept. %s", req.ID, fault),
		)
		return
	}
	diags.Append(resp.State.SetAttribute(ctx, path.Root("cluster"), cluster)...)
	diags.Append(resp.State.SetAttribute(ctx, path.Root("node_name_pattern"), pattern)...)
	if len(slots) > 0 {
		var m attachmentModel
		m.rememberSlots(roster.Roster{Slots: slots})
		diags.Append(resp.State.SetAttribute(ctx, path.Root("slots"), m.Slots)...)
	}
}

var slotOfID = regexp.MustCompile(`,([^,=]+)=([^,=/]+)(?:/([^,=/]+))?$`)

// cutSlots takes the kept slots off the end of an import id.
func cutSlots(id string) (rest string, kept map[string]placement.Place) {
	kept = map[string]placement.Place{}
	for {
		m := slotOfID.FindStringSubmatch(id)
		if m == nil {
			return id, kept
		}
		kept[m[1]] = placement.Place{Region: m[2], Zone: m[3]}
		id = strings.TrimSuffix(id, m[0])
	}
}

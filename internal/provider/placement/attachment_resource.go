// Package placement is the Terraform face of the region and zone placement
// policies: the attachment, and the plans.
package placement

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var (
	_ resource.ResourceWithConfigure      = &attachmentResource{}
	_ resource.ResourceWithValidateConfig = &attachmentResource{}
	_ resource.ResourceWithModifyPlan     = &attachmentResource{}
	_ resource.ResourceWithImportState    = &attachmentResource{}
)

// NewAttachment returns stackpolicy_placement_attachment.
func NewAttachment() resource.Resource { return &attachmentResource{} }

// attachmentResource is stackpolicy_placement_attachment: it remembers
// the place of each node of a cluster. All it holds is worked out while
// planning; creating and updating it asks nothing of the cloud.
type attachmentResource struct{ backend.Resource }

func (r *attachmentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_placement_attachment"
}

func (r *attachmentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = attachmentSchema()
}

func (r *attachmentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config attachmentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(&resp.Diagnostics)
	}
}

// ModifyPlan makes the plan. For an attachment that exists it is a function of
// its state, as the last refresh left it, and the configuration: Terraform asks
// again at apply, and must get the same answer. Only whether places can be used
// (and quotas, where they are to be respected) is looked up, and only where
// nodes have to be placed.
func (r *attachmentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.Plan.Raw.Equal(req.State.Raw) {
		return // destroyed, or as it was: large maps are slow to write, so none is without need
	}
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	state := &attachmentModel{}
	if req.State.Raw.IsNull() {
		state = nil
	} else {
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	planner := attachmentPlanner{backend: r.Backend, plan: &plan, state: state, diags: &resp.Diagnostics}
	planner.run(ctx)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read takes the snapshot that the next plan is made from.
func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	before := state
	if state.Nodes.IsNull() {
		state.adopt(ctx, r.Backend, &resp.Diagnostics)
	} else {
		state.refresh(ctx, r.Backend, &resp.Diagnostics)
	}
	unchanged := state.Nodes.Equal(before.Nodes) && state.Observed.Equal(before.Observed)
	if !resp.Diagnostics.HasError() && !unchanged {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete forgets the attachment, and touches no server.
func (r *attachmentResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState takes the name of a cluster. Read, which Terraform calls next,
// finds no nodes remembered and adopts the servers that run.
func (r *attachmentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster"), req.ID)...)
}

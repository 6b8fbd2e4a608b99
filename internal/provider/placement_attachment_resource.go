package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var (
	_ resource.ResourceWithConfigure      = &placementAttachmentResource{}
	_ resource.ResourceWithValidateConfig = &placementAttachmentResource{}
	_ resource.ResourceWithModifyPlan     = &placementAttachmentResource{}
	_ resource.ResourceWithImportState    = &placementAttachmentResource{}
)

func newPlacementAttachmentResource() resource.Resource { return &placementAttachmentResource{} }

// placementAttachmentResource is stackpolicy_placement_attachment: it remembers
// the place of each node of a cluster. All it holds is worked out while
// planning; creating and updating it asks nothing of the cloud.
type placementAttachmentResource struct{ resourceWithBackend }

func (r *placementAttachmentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_placement_attachment"
}

func (r *placementAttachmentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = placementAttachmentSchema()
}

func (r *placementAttachmentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config placementAttachmentModel
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
func (r *placementAttachmentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.Plan.Raw.Equal(req.State.Raw) {
		return // destroyed, or as it was: large maps are slow to write, so none is without need
	}
	var plan placementAttachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	state := &placementAttachmentModel{}
	if req.State.Raw.IsNull() {
		state = nil
	} else {
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	planner := attachmentPlanner{backend: r.backend, plan: &plan, state: state, diags: &resp.Diagnostics}
	planner.run(ctx)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

func (r *placementAttachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan placementAttachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read takes the snapshot that the next plan is made from.
func (r *placementAttachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state placementAttachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	before := state
	if state.Nodes.IsNull() {
		state.adopt(ctx, r.backend, &resp.Diagnostics)
	} else {
		state.refresh(ctx, r.backend, &resp.Diagnostics)
	}
	unchanged := state.Nodes.Equal(before.Nodes) && state.Observed.Equal(before.Observed)
	if !resp.Diagnostics.HasError() && !unchanged {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func (r *placementAttachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan placementAttachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete forgets the attachment, and touches no server.
func (r *placementAttachmentResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState takes the name of a cluster. Read, which Terraform calls next,
// finds no nodes remembered and adopts the servers that run.
func (r *placementAttachmentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster"), req.ID)...)
}

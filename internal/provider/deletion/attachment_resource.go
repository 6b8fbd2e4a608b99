// Package deletion is the Terraform face of the deletion policy: the attachment,
// and the plan.
package deletion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

var (
	_ resource.ResourceWithConfigure      = &attachmentResource{}
	_ resource.ResourceWithValidateConfig = &attachmentResource{}
	_ resource.ResourceWithImportState    = &attachmentResource{}
)

// NewAttachment returns stackpolicy_deletion_attachment.
func NewAttachment() resource.Resource { return &attachmentResource{} }

// attachmentResource is stackpolicy_deletion_attachment: what must
// happen before a node goes. It refers to the node's server, so Terraform
// destroys it first, and that is when it happens.
type attachmentResource struct{ backend.Resource }

func (r *attachmentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deletion_attachment"
}

func (r *attachmentResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = attachmentSchema(ctx)
}

func (r *attachmentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config attachmentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(ctx, &resp.Diagnostics)
	}
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	server := r.server(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	status, err := server.Status(ctx)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Unable to look at the server", err.Error())
		return
	case status == "":
		resp.Diagnostics.AddAttributeError(path.Root("server_id"), "Unknown server", r.elsewhere(ctx, server))
		return
	}
	model.identify()
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	server := r.server(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	exists, err := server.Exists(ctx)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Unable to look at the server", err.Error())
	case !exists:
		resp.State.RemoveResource(ctx)
	default:
		model.identify()
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// Update only takes note: nothing happens before the node goes.
func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// progressKey is the private key of how far a destruction came that failed.
const progressKey = "progress"

// Delete drains the node. One that fails half-way remembers how far it came, so
// that the next does not tell the consumer again.
func (r *attachmentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model attachmentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	server := r.server(ctx, &model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	limit, more := model.Timeouts.Delete(ctx, model.longest(ctx, &resp.Diagnostics))
	resp.Diagnostics.Append(more...)
	drain := model.drain(ctx, r.Backend.Hooks(), server, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if text, _ := req.Private.GetKey(ctx, progressKey); text != nil {
		_ = json.Unmarshal(text, &drain.Progress) // what cannot be read is nothing done
	}

	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %s, which timeouts.delete allows", limit))
	defer cancel()
	warnings, err := drain.Run(limited)
	for _, warning := range warnings {
		resp.Diagnostics.AddWarning("A lifecycle hook did not complete", warning)
	}
	if err == nil {
		return
	}
	text, _ := json.Marshal(drain.Progress)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, progressKey, text)...)
	if _, abandoned := errors.AsType[*hook.AbandonedError](err); abandoned {
		resp.Diagnostics.AddError("A lifecycle hook did not complete", fmt.Sprintf("%v. The node stays, as default_result has it. Apply again to try again.", err))
		return
	}
	resp.Diagnostics.AddError("Unable to drain the node", fmt.Sprintf("The server %s: %v.", server.ID, err))
}

// ImportState takes <region>/<server id>.
func (r *attachmentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	region, id, ok := value.ParseRegionalID(req.ID)
	if !ok {
		resp.Diagnostics.AddError("Invalid import id", fmt.Sprintf("%q is not <region>/<server id>.", req.ID))
		return
	}
	for name, value := range map[string]any{"region": region, "server_id": id, "grace_period": int64(0), "shutdown": false} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// server is the model's server, with the region filled in.
func (r *attachmentResource) server(ctx context.Context, model *attachmentModel, diags *diag.Diagnostics) openstack.Server {
	cloud := r.Backend.Get(diags)
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

// elsewhere says that a server is not where it was said to be, and where it is.
func (r *attachmentResource) elsewhere(ctx context.Context, server openstack.Server) string {
	text := fmt.Sprintf("The region %q has no server %q.", server.Compute.Region, server.ID)
	var diags diag.Diagnostics
	cloud := r.Backend.Get(&diags)
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

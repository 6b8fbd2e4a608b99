package openstackstub

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// memberResource is openstack_lb_member_v2. It can be planned; there is no load
// balancer in the fake cloud, so all that would act is refused.
type memberResource struct{}

func (r *memberResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "openstack_lb_member_v2"
}

func (r *memberResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := schema.StringAttribute{Optional: true}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true}, "region": schema.StringAttribute{Optional: true, Computed: true}, "name": text, "subnet_id": text,
		"pool_id": schema.StringAttribute{Required: true}, "address": schema.StringAttribute{Required: true}, "protocol_port": schema.Int64Attribute{Required: true},
		"weight": schema.Int64Attribute{Optional: true, Computed: true}, "admin_state_up": schema.BoolAttribute{Optional: true},
	}}
}

func (r *memberResource) Create(_ context.Context, _ resource.CreateRequest, resp *resource.CreateResponse) {
	refuse(&resp.Diagnostics)
}

func (r *memberResource) Read(_ context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
	refuse(&resp.Diagnostics)
}

func (r *memberResource) Update(_ context.Context, _ resource.UpdateRequest, resp *resource.UpdateResponse) {
	refuse(&resp.Diagnostics)
}

func (r *memberResource) Delete(_ context.Context, _ resource.DeleteRequest, resp *resource.DeleteResponse) {
	refuse(&resp.Diagnostics)
}

func refuse(diags *diag.Diagnostics) {
	diags.AddError("This provider stands in for another", "It makes and deletes servers, and does nothing else.")
}

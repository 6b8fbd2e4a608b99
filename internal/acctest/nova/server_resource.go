package nova

import (
	"context"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// serverResource is nova_server. Like openstack_compute_instance_v2 it replaces
// a server when its availability zone changes, and reads the zone that the
// server is really in.
type serverResource struct{ cloud *openstack.Cloud }

type serverModel struct {
	ID       types.String `tfsdk:"id"`
	Name     types.String `tfsdk:"name"`
	Region   types.String `tfsdk:"region"`
	Zone     types.String `tfsdk:"availability_zone"`
	Image    types.String `tfsdk:"image_id"`
	Flavor   types.String `tfsdk:"flavor_id"`
	Group    types.String `tfsdk:"group"`
	Metadata types.Map    `tfsdk:"metadata"`
}

func (r *serverResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "nova_server"
}

func (r *serverResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	kept := []planmodifier.String{
		stringplanmodifier.RequiresReplaceIfConfigured(),
		stringplanmodifier.UseStateForUnknown(),
	}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":                schema.StringAttribute{Computed: true, PlanModifiers: kept},
		"name":              schema.StringAttribute{Required: true, PlanModifiers: replace},
		"region":            schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: kept},
		"availability_zone": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: kept},
		"image_id":          schema.StringAttribute{Required: true, PlanModifiers: replace},
		"flavor_id":         schema.StringAttribute{Required: true, PlanModifiers: replace},
		"group":             schema.StringAttribute{Optional: true, PlanModifiers: replace},
		"metadata":          schema.MapAttribute{ElementType: types.StringType, Optional: true},
	}}
}

// Configure takes the cloud of the provider.
func (r *serverResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.cloud, _ = req.ProviderData.(*openstack.Cloud)
}

// client is one for the server's region, which it fills in.
func (r *serverResource) client(
	ctx context.Context,
	m *serverModel,
	diags *diag.Diagnostics,
) *gophercloud.ServiceClient {
	client, region, err := reach(ctx, r.cloud, m.Region.ValueString())
	if err != nil {
		diags.AddError("Unable to reach the region", err.Error())
	}
	m.Region = types.StringValue(region)
	return client
}

func (r *serverResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m serverModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	client := r.client(ctx, &m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	opts := servers.CreateOpts{
		Name:             m.Name.ValueString(),
		ImageRef:         m.Image.ValueString(),
		FlavorRef:        m.Flavor.ValueString(),
		AvailabilityZone: m.Zone.ValueString(),
	}
	resp.Diagnostics.Append(m.Metadata.ElementsAs(ctx, &opts.Metadata, false)...)
	server, err := boot(ctx, client, opts, m.Group.ValueString(), func(id string) {
		m.ID, m.Zone = types.StringValue(id), types.StringValue(m.Zone.ValueString())
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	})
	if err != nil {
		resp.Diagnostics.AddError("Unable to create the server", err.Error())
		return
	}
	m.take(server)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// Read reads the server; one that is gone leaves the state.
func (r *serverResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m serverModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	client := r.client(ctx, &m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	server, err := servers.Get(ctx, client, m.ID.ValueString()).Extract()
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		resp.State.RemoveResource(ctx)
	case err != nil:
		resp.Diagnostics.AddError("Unable to read the server", err.Error())
	default:
		m.take(server)
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	}
}

func (r *serverResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m serverModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	client := r.client(ctx, &m, &resp.Diagnostics)
	metadata := servers.MetadataOpts{}
	for key, value := range m.Metadata.Elements() {
		metadata[key] = value.(types.String).ValueString()
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if _, err := servers.ResetMetadata(ctx, client, m.ID.ValueString(), metadata).Extract(); err != nil {
		resp.Diagnostics.AddError("Unable to change the server's metadata", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// Delete deletes the server.
func (r *serverResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m serverModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	client := r.client(ctx, &m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := remove(ctx, client, m.ID.ValueString()); err != nil {
		resp.Diagnostics.AddError("Unable to delete the server", err.Error())
	}
}

// take takes over what the server really is. Of its metadata only the keys that
// are configured are Terraform's.
func (m *serverModel) take(server *servers.Server) {
	m.Name, m.Zone = types.StringValue(server.Name), types.StringValue(server.AvailabilityZone)
	if m.Metadata.IsNull() {
		return
	}
	ours := map[string]attr.Value{}
	for key := range m.Metadata.Elements() {
		if value, there := server.Metadata[key]; there {
			ours[key] = types.StringValue(value)
		}
	}
	m.Metadata = types.MapValueMust(types.StringType, ours)
}

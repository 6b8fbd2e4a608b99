package openstackstub

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/nova"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// instanceResource is openstack_compute_instance_v2. It makes servers without a
// network, and changes none: what is not replaced is refused.
type instanceResource struct {
	nova.Life[instanceModel, *instanceModel]
}

type instanceModel struct {
	nova.Server
	ImageID        types.String `tfsdk:"image_id"`
	ImageName      types.String `tfsdk:"image_name"`
	FlavorID       types.String `tfsdk:"flavor_id"`
	FlavorName     types.String `tfsdk:"flavor_name"`
	KeyPair        types.String `tfsdk:"key_pair"`
	UserData       types.String `tfsdk:"user_data"`
	SecurityGroups types.Set    `tfsdk:"security_groups"`
	Metadata       types.Map    `tfsdk:"metadata"`
	Tags           types.Set    `tfsdk:"tags"`
	AccessIPv4     types.String `tfsdk:"access_ip_v4"`
	Networks       types.List   `tfsdk:"network"`
	Hints          types.Set    `tfsdk:"scheduler_hints"`
}

func (r *instanceResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "openstack_compute_instance_v2"
}

func (r *instanceResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaced := []planmodifier.String{stringplanmodifier.RequiresReplaceIfConfigured(), stringplanmodifier.UseStateForUnknown()}
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	either := schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: kept}
	once := schema.StringAttribute{Optional: true, PlanModifiers: replaced}
	set := schema.SetAttribute{ElementType: types.StringType, Optional: true}
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":                schema.StringAttribute{Computed: true, PlanModifiers: kept},
			"region":            schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: replaced},
			"name":              schema.StringAttribute{Required: true},
			"image_id":          either,
			"image_name":        either,
			"flavor_id":         either,
			"flavor_name":       either,
			"availability_zone": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: replaced},
			"key_pair":          once,
			"user_data":         once,
			"security_groups":   set,
			"tags":              set,
			"metadata":          schema.MapAttribute{ElementType: types.StringType, Optional: true},
			"access_ip_v4":      schema.StringAttribute{Computed: true, PlanModifiers: kept},
		},
		Blocks: map[string]schema.Block{
			"network": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"uuid": once, "name": once, "port": once}}},
			"scheduler_hints": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"group": once}}},
		},
	}
}

func (r *instanceResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m instanceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	client := r.Client(ctx, &m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := m.resolve(ctx, r.Cloud, client); err != nil {
		resp.Diagnostics.AddError("Unable to find the image or the flavor", err.Error())
		return
	}
	opts := servers.CreateOpts{Name: m.Name.ValueString(), ImageRef: m.ImageID.ValueString(), FlavorRef: m.FlavorID.ValueString(), AvailabilityZone: m.Zone.ValueString()}
	resp.Diagnostics.Append(m.Metadata.ElementsAs(ctx, &opts.Metadata, false)...)
	resp.Diagnostics.Append(m.Tags.ElementsAs(ctx, &opts.Tags, false)...)
	server, err := nova.Boot(ctx, client, opts, m.group(), func(id string) {
		m.ID, m.AccessIPv4, m.Zone = types.StringValue(id), types.StringValue(""), types.StringValue(m.Zone.ValueString())
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	})
	if err != nil {
		resp.Diagnostics.AddError("Unable to create the server", err.Error())
		return
	}
	m.Take(server)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (r *instanceResource) Update(_ context.Context, _ resource.UpdateRequest, resp *resource.UpdateResponse) {
	refuse(&resp.Diagnostics)
}

// ImportState takes an id, and looks in the provider's region.
func (r *instanceResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("id"), req, resp)
}

// group is the server group of the scheduler hints, or "".
func (m *instanceModel) group() string {
	for _, block := range m.Hints.Elements() {
		if group, ok := block.(types.Object).Attributes()["group"].(types.String); ok {
			return group.ValueString()
		}
	}
	return ""
}

// resolve finds the image and the flavor by what is given of them.
func (m *instanceModel) resolve(ctx context.Context, cloud *openstack.Cloud, client *gophercloud.ServiceClient) error {
	glance, err := cloud.Glance(ctx, m.Region.ValueString())
	if err != nil {
		return err
	}
	pages, err := images.List(glance, nil).AllPages(ctx)
	if err != nil {
		return err
	}
	imageList, err := images.ExtractImages(pages)
	if err != nil {
		return err
	}
	pairs := make([][2]string, len(imageList))
	for i, image := range imageList {
		pairs[i] = [2]string{image.ID, image.Name}
	}
	if err := pick("image", pairs, &m.ImageID, &m.ImageName); err != nil {
		return err
	}
	if pages, err = flavors.ListDetail(client, nil).AllPages(ctx); err != nil {
		return err
	}
	flavorList, err := flavors.ExtractFlavors(pages)
	if err != nil {
		return err
	}
	pairs = make([][2]string, len(flavorList))
	for i, flavor := range flavorList {
		pairs[i] = [2]string{flavor.ID, flavor.Name}
	}
	return pick("flavor", pairs, &m.FlavorID, &m.FlavorName)
}

// pick fills in the id and the name of the one that has either.
func pick(kind string, pairs [][2]string, id, name *types.String) error {
	for _, pair := range pairs {
		if pair[0] == id.ValueString() || pair[1] == name.ValueString() {
			*id, *name = types.StringValue(pair[0]), types.StringValue(pair[1])
			return nil
		}
	}
	return fmt.Errorf("no %s has the id %q or the name %q", kind, id.ValueString(), name.ValueString())
}

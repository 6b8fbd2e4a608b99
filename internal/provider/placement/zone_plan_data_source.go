package placement

import (
	"context"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

var (
	_ datasource.DataSourceWithConfigure      = &zonePlanDataSource{}
	_ datasource.DataSourceWithValidateConfig = &zonePlanDataSource{}
)

// NewZonePlan returns stackpolicy_zone_plan.
func NewZonePlan() datasource.DataSource { return &zonePlanDataSource{} }

// zonePlanDataSource is stackpolicy_zone_plan, the zone placement policy.
type zonePlanDataSource struct{ backend.DataSource }

type zonePlanModel struct {
	Nodes         types.List   `tfsdk:"nodes"`
	Region        types.String `tfsdk:"region"`
	Zones         types.List   `tfsdk:"zones"`
	RespectQuotas types.Bool   `tfsdk:"respect_quotas"`
	FlavorID      types.String `tfsdk:"flavor_id"`
	request.Model
	planModel
}

func (d *zonePlanDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_zone_plan"
}

func (d *zonePlanDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Plans how many nodes go to, or leave, each availability zone of a region, as Senlin's zone placement policy promised: by weight, under caps, from what is there.\n\n" +
			"A zone that Nova does not list is an error. One that is not available is skipped with a warning: it takes no nodes, and those that it has still count.",
		Attributes: request.Attributes(planAttributes("zone", places.QuotaArguments(map[string]schema.Attribute{
			"nodes":  nodes.Argument("Each needs an `id`, and a `zone` once it has one. Nodes of another region are left out; those that name none are taken to be in this one."),
			"region": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Region of the zones. Defaults to the provider's."},
			"zones":  places.BinsArgument("zone"),
		}))),
	}
}

func (d *zonePlanDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var model zonePlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		model.Validate(ctx, &resp.Diagnostics)
	}
}

func (d *zonePlanDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model zonePlanModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	diags := &resp.Diagnostics
	cloud := d.Backend.Get(diags)
	nodes, bins, asked := nodes.Read(model.Nodes, diags), places.ReadBins(ctx, model.Zones, diags), model.Read(ctx, diags)
	if diags.HasError() {
		return
	}
	region := places.RegionOr(ctx, cloud, model.Region, diags)
	if diags.HasError() {
		return
	}
	model.Region = types.StringValue(region)
	counts, size := map[string]int64{}, int64(0)
	for _, n := range nodes {
		if n.Region == "" || n.Region == region {
			counts[n.Zone]++
			size++
		}
	}
	notes := places.CloseZones(ctx, cloud, region, bins, path.Root("zones"), diags)
	if len(notes) == len(bins) {
		places.ReportNoZone(region, path.Root("zones"), diags)
	}
	change, err := asked.Change(size)
	request.Report(err, diags)
	if diags.HasError() {
		return
	}
	bins = placement.Count(bins, counts)
	reason := text.Change(change)
	if place := asked.NodeCreate; place != nil && place.Zone != "" {
		change, reason = 0, fmt.Sprintf("The availability zone %s that the node names takes precedence: nothing is planned.", place.Zone)
	}
	if model.RespectQuotas.ValueBool() && change > 0 {
		// A quota is the region's: it bounds all its zones together.
		whole := []placement.Bin{{Name: region, Weight: 1, Cap: placement.Unlimited, Current: size}}
		quotas := places.LimitByQuota(ctx, cloud, model.FlavorID.ValueString(), whole, diags)
		if diags.HasError() {
			return
		}
		changes, err := placement.Distribute(whole, change)
		if err != nil {
			places.ReportPlan(err, diags)
			return
		}
		quotas.Warn(whole, changes, notes, diags)
	}
	changes, err := placement.Distribute(bins, change)
	if err != nil {
		places.ReportPlan(err, diags)
		return
	}
	model.fill(ctx, "zone", reason, bins, changes, notes, diags)
	diags.Append(resp.State.Set(ctx, &model)...)
}

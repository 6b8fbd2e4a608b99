// Package zonestf has the data source that lists the availability zones of regions.
package zonestf

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
)

// New returns stackpolicy_zones.
func New() datasource.DataSource {
	return &backend.DataSource[model]{Name: "zones", Fields: schemaOf, Fill: fill}
}

type model struct {
	Regions types.List `tfsdk:"regions"`
	Zones   types.List `tfsdk:"zones"`
}

func (model) Validate(context.Context, *diag.Diagnostics) {}

var zoneType = map[string]attr.Type{"region": types.StringType, "name": types.StringType, "available": types.BoolType}

func fill(ctx context.Context, b *backend.Backend, model *model, diags *diag.Diagnostics) {
	cloud, regions := b.Regions(ctx, model.Regions, diags)
	if cloud == nil {
		return
	}
	slices.Sort(regions)
	zones, err := cluster.Zones(ctx, cloud, slices.Compact(regions))
	if err != nil {
		diags.AddAttributeError(path.Root("regions"), "Unable to list availability zones", err.Error())
		return
	}
	values := make([]attr.Value, len(zones))
	for i, z := range zones {
		values[i] = types.ObjectValueMust(zoneType, map[string]attr.Value{
			"region":    types.StringValue(z.Region),
			"name":      types.StringValue(z.Name),
			"available": types.BoolValue(z.Available),
		})
	}
	model.Zones = types.ListValueMust(types.ObjectType{AttrTypes: zoneType}, values)
}

func schemaOf() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists all availability zones that Nova lists in regions, and whether each is " +
			"available now. `openstack_compute_availability_zones_v2` lists only available zones: a list of zones " +
			"for `stackpolicy_placement_attachment` that is made from it loses a zone that is down, and so its " +
			"nodes.\n\nA zone whose cell is down is not in Nova's list; the attachment keeps its nodes in that " +
			"zone.\n\nA region that cannot be read is an error. If plans must work while a region is down, write the " +
			"names of the zones instead.",
		Attributes: map[string]schema.Attribute{
			"regions": attribute.Texts("Regions to read. Defaults to the provider's.", listvalidator.NoNullValues(),
				listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(attribute.NotEmpty)),
			"zones": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Zones, sorted by region and name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"region": attribute.ComputedText("Name of the region."),
					"name":   attribute.ComputedText("Name of the zone."),
					"available": attribute.ComputedFlag("Whether a compute service in the zone is enabled. To place " +
						"nodes, list the other zones too."),
				}},
			},
		},
	}
}

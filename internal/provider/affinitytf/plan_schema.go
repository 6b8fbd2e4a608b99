package affinitytf

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
)

func planSchema() schema.Schema {
	optional := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: description,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		}
	}
	result := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	group := optional("Id of the server group. Its members are the nodes that a resize starts from.")
	group.Optional, group.Required = false, true
	region := optional("Region of the group. Defaults to the provider's.")
	region.Computed = true
	return schema.Schema{
		MarkdownDescription: "Plans a placement for each new node of a server group, as Senlin's affinity policy " +
			"did. A request that removes nodes plans nothing. Warnings say where the group gets more members than " +
			"Nova's quota or its rule allows.",
		Attributes: requesttf.Attributes(map[string]schema.Attribute{
			"servergroup_id": group,
			"region":         region,
			"availability_zone": optional(
				zoneArgument + " Of a decision that names zones the plan takes this one's share; " +
					"without it each node is placed in the zone that the decision names for it.",
			),
			"enable_drs_extension": schema.BoolAttribute{Optional: true, MarkdownDescription: drsArgument},
			"status":               result("`OK`: a plan that cannot be made is an error."),
			"reason":               result("The result of the request, in a sentence."),
			"placement":            placementAttribute(),
			"violations":           violationsAttribute(),
		}),
		Blocks: requesttf.Blocks("The node is placed in the zone that it names, whatever `availability_zone` is. " +
			"One that names another region than the plan's is not planned, and `reason` says so."),
	}
}

func placementAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "Where the new nodes are placed. Null where there are none.",
		Attributes: map[string]schema.Attribute{
			"count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes to create."},
			"placements": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "One for each node.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"servergroup": schema.StringAttribute{
						Computed:            true,
						MarkdownDescription: "Id of the server group.",
					},
					"zone": schema.StringAttribute{
						Computed:            true,
						MarkdownDescription: "Availability zone, with the host of the DRS cluster (`zone:host`).",
					},
				}},
			},
		},
	}
}

func violationsAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "Hosts that have more members of an anti-affinity group than it allows.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"host_id": schema.StringAttribute{Computed: true, MarkdownDescription: "Nova's hash of project and host."},
			"members": schema.ListAttribute{
				ElementType:         types.StringType,
				Computed:            true,
				MarkdownDescription: "Ids of the members on it.",
			},
		}},
	}
}

package affinitytf

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
)

func planSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Plans a placement for each new node of a server group, as Senlin's affinity policy " +
			"did. A request that removes nodes plans nothing. A warning says if the group gets more members than " +
			"Nova's quota or its rule allows.",
		Attributes: requesttf.Attributes(map[string]schema.Attribute{
			"servergroup_id": attribute.RequiredText("Id of the server group. Its members are the nodes that a " +
				"resize starts from."),
			"region": places.RegionArgument("Region of the group. Defaults to the provider's."),
			"availability_zone": attribute.Text(zoneArgument+" If a decision names zones, the plan takes the share of "+
				"this zone. Without the argument each node gets the zone that the decision names.",
				attribute.NotEmpty),
			"enable_drs_extension": attribute.Flag(drsArgument),
			"status":               attribute.ComputedText("`OK`: a plan that cannot be made is an error."),
			"reason":               attribute.ComputedText("The result of the request, in a sentence."),
			"placement":            placementAttribute(),
			"violations":           violationsAttribute(),
		}),
		Blocks: requesttf.Blocks("The node is placed in the zone that it names, whatever `availability_zone` is. " +
			"A node that names another region than the plan's is not planned, and `reason` says so."),
	}
}

func placementAttribute() schema.Attribute {
	return attribute.ComputedObject("Placements of the new nodes; null if there are none.", attribute.Fields{
		"count": attribute.ComputedNumber("Number of nodes to create."),
		"placements": attribute.ComputedObjects("One placement for each node.", attribute.Fields{
			"servergroup": attribute.ComputedText("Id of the server group."),
			"zone": attribute.ComputedText("Availability zone, with the host of the DRS cluster " +
				"(`zone:host`)."),
		}),
	})
}

func violationsAttribute() schema.Attribute {
	return attribute.ComputedObjects("Hosts that have more members of an anti-affinity group than it allows.",
		attribute.Fields{
			"host_id": attribute.ComputedText("Nova's hash of project and host."),
			"members": attribute.ComputedTexts("Ids of the members on the host."),
		})
}

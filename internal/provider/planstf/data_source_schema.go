package planstf

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// likePlaces ends the description of places.
const likePlaces = "[placement attachment](../resources/placement_attachment.md), where `weight`, `cap`, `min` and " +
	"`closed` count. Another key is refused."

func regionPlanSchema() schema.Schema {
	return planSchema(
		"region",
		"Plans how many nodes to add to, or to remove from, each of several regions, by weight and within caps, as "+
			"Senlin's region placement policy promised. A region that Keystone does not know is an error. A region "+
			"without a compute endpoint, or a zone that is not available, takes no nodes, with a warning. When nodes "+
			"are removed, the region keeps its nodes, and the zone loses its share. Nodes in places that are not "+
			"listed are removed first. "+requesttf.NotForetold,
		map[string]schema.Attribute{
			"regions": attribute.ComputedMap(types.Int64Type, "Nodes by region."),
			"zones": attribute.ComputedMap(value.ZoneCountsType,
				"Nodes by region and zone. Null if no region lists zones."),
		},
		map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id` and a `region`, and a `zone` where zones are planned. " +
				"Nodes that are `protected` stay."),
			"regions": schema.DynamicAttribute{
				Required:   true,
				CustomType: places.RegionsType{},
				MarkdownDescription: "The regions to spread nodes over, and the availability zones in each: a list " +
					"of objects such as `{ name = \"RegionOne\", zones = [{ name = \"az-1\" }] }`, as in a " +
					likePlaces,
			},
		},
	)
}

func zonePlanSchema() schema.Schema {
	return planSchema(
		"zone",
		"Plans how many nodes to add to, or to remove from, each availability zone of a region, by weight and within "+
			"caps, as Senlin's zone placement policy promised. A zone that Nova does not list is an error, unless it "+
			"has nodes, which leave last. A zone that is not available takes no nodes, with a warning, and loses its "+
			"share. Nodes in zones that are not listed are removed first. "+requesttf.NotForetold,
		map[string]schema.Attribute{
			"region": attribute.ComputedText("Region of the zones."),
			"zones":  attribute.ComputedMap(types.Int64Type, "Nodes by zone."),
		},
		map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id`, and a `zone` once it has one. Nodes of another region are " +
				"left out; nodes without a region count as in this one. Nodes that are `protected` stay."),
			"region": places.RegionArgument("Region of the zones. Defaults to the provider's."),
			"zones": schema.DynamicAttribute{
				Required: true,
				MarkdownDescription: "The availability zones to spread nodes over: a list of objects such as " +
					"`{ name = \"az-1\" }`, as in a " + likePlaces,
			},
		},
	)
}

// planSchema returns the schema of a plan; kind is region or zone, and share has the
// attributes of a decision.
func planSchema(kind, description string, share, attributes map[string]schema.Attribute) schema.Schema {
	decided := func(verb string) schema.Attribute {
		inside := maps.Clone(share)
		inside["count"] = attribute.ComputedNumber("Number of nodes to " + verb + ".")
		return attribute.ComputedObject("Nodes to "+verb+"; null if there are none. Fits into the `decision` of "+
			"another plan.", inside)
	}
	attributes = requesttf.Attributes(attributes)
	attributes["respect_quotas"] = attribute.Flag("Whether the project's quotas count as caps of regions, " +
		"with a warning where they bind. Defaults to `false`.")
	attributes["flavor_id"] = attribute.Text("Flavor of the nodes: `respect_quotas` then counts cores and RAM too.")
	attributes["status"] = attribute.ComputedText("`OK`: a plan that cannot be made is an error.")
	attributes["reason"] = attribute.ComputedText("The result of the request, in a sentence.")
	attributes["creation"] = decided("create")
	attributes["deletion"] = decided("delete")
	attributes["distribution"] = attribute.ComputedMap(types.Int64Type, "Number of nodes in each "+kind+" now.")
	attributes["target"] = attribute.ComputedMap(types.Int64Type, "Number of nodes in each "+kind+" after the change.")
	attributes["summary"] = attribute.ComputedText("The plan as a table.")
	return schema.Schema{
		MarkdownDescription: description,
		Attributes:          attributes,
		Blocks:              requesttf.Blocks(requesttf.Precedence),
	}
}

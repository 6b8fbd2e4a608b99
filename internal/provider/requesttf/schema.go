package requesttf

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
)

// Attributes adds the argument decision to the attributes; the other parts of a
// request are [Blocks].
func Attributes(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["decision"] = DecisionArgument("`creation`, `deletion` or both",
		"A plan uses the share of its own region or regions, and works out the places in it itself.")
	return attributes
}

// NotForetold ends the description of a plan, which knows less of nodes than a placement attachment.
const NotForetold = "A placement attachment " +
	"[knows more of its nodes](../guides/how-the-planner-decides.md#which-nodes-are-removed)."

// Precedence says what the plans of regions and zones do if the node of node_create
// names a place.
const Precedence = "If it does, nothing is planned, and a warning says so where the place takes no nodes. A zone " +
	"without its region must be one of the region that the plan chooses."

// Blocks returns the blocks of a request; named says what happens if a node names a
// place. They are blocks because Terraform silently drops a misspelled key of a nested
// attribute, and refuses it in a block.
func Blocks(named string) map[string]schema.Block {
	return map[string]schema.Block{
		"scale_out": attribute.Block("Add nodes (CLUSTER_SCALE_OUT); an empty block adds one.", attribute.Fields{
			"count": count("Number of nodes to add. Defaults to `1`."),
		}),
		"scale_in": ScaleInBlock(),
		"resize":   ResizeBlock(),
		"node_create": attribute.Block("Add one node, which may name its place (NODE_CREATE). "+named, attribute.Fields{
			"region": attribute.Text("Region that the node asks for.", attribute.NotEmpty),
			"zone":   attribute.Text("Availability zone that the node asks for, or `zone:host`.", attribute.NotEmpty),
		}),
	}
}

func count(description string) schema.Attribute {
	return attribute.Number(description, int64validator.AtLeast(0), int64validator.AtMost(placement.MaxNodes))
}

// ScaleInBlock is the block that asks to remove nodes.
func ScaleInBlock() schema.Block {
	return attribute.Block("Remove nodes (CLUSTER_SCALE_IN); an empty block removes one.",
		attribute.Fields{"count": count("Number of nodes to remove. Defaults to `1`.")})
}

// ResizeBlock is the block that asks for another size.
func ResizeBlock() schema.Block {
	return attribute.Block("Give the cluster another size (CLUSTER_RESIZE).", attribute.Fields{
		"adjustment_type": attribute.Text("Meaning of `number`: `EXACT_CAPACITY` (the new size), " +
			"`CHANGE_IN_CAPACITY` (nodes to add, or to remove if negative) or `CHANGE_IN_PERCENTAGE` (the " +
			"same in percent). Without it only the bounds count."),
		"number": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: "A percentage may have decimals; it rounds towards zero, but changes at least " +
				"one node.",
		},
		"min_size": attribute.Number("Smallest number of nodes. Defaults to `0`."),
		"max_size": attribute.Number("Largest number of nodes. Defaults to `-1`, no bound."),
		"min_step": attribute.Number("Smallest change of a percentage, in nodes. Defaults to `1`."),
		"strict": attribute.Flag("Whether a size outside the bounds is an error. By default the nearest bound " +
			"counts."),
	})
}

// DecisionArgument is the argument for another policy's decision. It is dynamic,
// because the objects that are handed on differ from plan to plan: with an object type
// Terraform would silently drop all other keys, misspelled ones too. [ReadDecision]
// checks each key.
//
// Keys names the keys that the asked policy reads, and use says how it uses them.
func DecisionArgument(keys, use string) schema.Attribute {
	return schema.DynamicAttribute{
		Optional: true,
		MarkdownDescription: "Decision of another policy, with " + keys + ", such as the result of another plan. It " +
			"takes precedence over the number in a request. Written by hand it has `count`, `regions` " +
			"(counts by region) and `zones` (counts by zone, with one `region`, or by region and zone). " + use,
	}
}

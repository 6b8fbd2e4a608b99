package deletiontf

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
)

func planSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Chooses the nodes to remove from a cluster, as Senlin's deletion policy promised. It " +
			"needs no cloud. First it takes unhealthy nodes (`ERROR`, `UNKNOWN`, or tainted) in the order of " +
			"`nodes`, then nodes that are not created yet, then all others, both by `criteria`. Protected nodes are " +
			"never chosen. " + requesttf.NotForetold,
		Attributes: map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id`; the request decides which other attributes count."),
			"decision": requesttf.DecisionArgument("`deletion`",
				"The plan removes its `candidates`, and others up to each count."),
			"criteria": attribute.Text("Which healthy nodes are taken first: `RANDOM` (the default, by `seed`), "+
				"`OLDEST_FIRST`, `YOUNGEST_FIRST`, `OLDEST_PROFILE_FIRST` or `HIGHEST_INDEX_FIRST`.",
				stringvalidator.OneOf(deletion.AllCriteria()...)),
			"destroy_after_deletion": attribute.Flag("Passed on. Defaults to the value in the decision, or `true`."),
			"grace_period": durations.Argument(0, duration.Longest, "Passed on. Defaults to the value in the "+
				"decision, or `0s`."),
			"reduce_desired_capacity": attribute.Flag("Passed on. Defaults to the value in the decision, or `true`."),
			"protected": attribute.Texts("Ids or names of nodes that are not chosen, in addition to nodes whose "+
				"`protected` is true. Region plans and zone plans know only that attribute.",
				listvalidator.NoNullValues()),
			"seed":   attribute.Text("Seed of `RANDOM`. Defaults to the ids of all nodes."),
			"status": attribute.ComputedText("`OK`: a choice that cannot be made is an error."),
			"reason": attribute.ComputedText("The result of the request, in a sentence."),
			"deletion": attribute.ComputedObject("The nodes to remove, and how; null if there are none.",
				attribute.Fields{
					"count":      attribute.ComputedNumber("Number of nodes."),
					"candidates": attribute.ComputedTexts("Ids of the nodes, in the order in which they are removed."),
					"names": attribute.ComputedTexts("Names of the nodes, which fit into `deletion.candidates` of a " +
						"placement attachment."),
					"destroy_after_deletion":  attribute.ComputedFlag("As given."),
					"grace_period":            attribute.ComputedNumber("As given, in seconds."),
					"reduce_desired_capacity": attribute.ComputedFlag("As given."),
				}),
			"survivors": attribute.ComputedTexts("Ids of the nodes that stay, in the order of `nodes`."),
		},
		Blocks: map[string]schema.Block{
			"scale_in": requesttf.ScaleInBlock(),
			"resize":   requesttf.ResizeBlock(),
			"delete_nodes": attribute.Block("Remove these nodes (CLUSTER_DEL_NODES).", attribute.Fields{
				"candidates": attribute.Texts("Required. Ids or names of the nodes to remove.",
					listvalidator.NoNullValues()),
			}, "candidates"),
		},
	}
}

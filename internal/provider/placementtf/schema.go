package placementtf

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/amount"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// maxCapacity is the maximum number of nodes: a larger number is a mistake, and would only
// fill the memory of Terraform.
const maxCapacity = 100_000

func attachmentSchema() schema.Schema {
	size := func(least, most int64, description string) schema.Attribute {
		return attribute.Number(description, int64validator.AtLeast(least), int64validator.AtMost(most))
	}
	capacity := attribute.Number(fmt.Sprintf("Number of nodes, at most %d. Without it the size stays as it is, "+
		"between `min_size` and `max_size`, and a new attachment begins with `min_size`: [somebody "+
		"else](../guides/autoscaling.md) changes the size.", maxCapacity),
		int64validator.AtLeast(0), int64validator.AtMost(maxCapacity))
	capacity.Computed = true
	userData := attribute.ComputedMap(types.StringType, "The user data that nodes have, or should have, by the hash "+
		"in their `template.user_data`.")
	userData.Sensitive = true
	return schema.Schema{
		MarkdownDescription: "Decides where each node of a cluster belongs, and remembers it: feed `nodes` to the " +
			"`for_each` of your servers. Growing adds nodes, shrinking removes some, an update replaces some in " +
			"batches. No other node ever changes its name, region or zone.\n\nAll of this is worked out while " +
			"planning, so the plan shows it. Destroying the attachment touches no server. Replacing it " +
			"(`-replace`, `taint`) is refused while its servers exist.",
		Attributes: map[string]schema.Attribute{
			"cluster": attribute.RequiredText("Name of the cluster. It is part of the names of new nodes. It may have "+
				"blanks in it, but no slash.",
				attribute.Check("without a slash", "Invalid name of a cluster", naming.CheckCluster)),
			"desired_capacity": capacity,
			"min_size":         size(0, placement.MaxNodes, "Smallest size. Defaults to `0`."),
			"max_size": size(placement.Unlimited, placement.MaxNodes,
				"Largest size. Defaults to `-1`, no limit."),
			"regions": schema.DynamicAttribute{
				Required:   true,
				CustomType: places.RegionsType{},
				MarkdownDescription: "Regions to spread nodes over, and the availability zones in each: " +
					"a list of objects such as `{ name = \"RegionOne\", zones = [{ name = \"az-1\" }] }`. Without " +
					"`zones` Nova chooses the zone. The `name` of a region may be left out where there is one: it is " +
					"the provider's. Both take `weight` (share of the nodes, relative to the others, `100`), `cap` " +
					"(maximum number of nodes, `-1`, none), `min` (minimum, filled first, `0`), `closed` (takes no " +
					"nodes, and its nodes stay as they are, as in an outage; a closed region gets no requests), " +
					"`template` (merged over the attachment's) and `flavors` (instead of the attachment's); a region " +
					"also `image`. Another key is refused."},
			"node_name_pattern": schema.StringAttribute{
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(string(naming.Default)),
				Validators: []validator.String{pattern},
				MarkdownDescription: "Pattern of the names of new nodes. `{index+1:03}` gives 001, 002 and so on. An " +
					"index is never used twice, except by slots. Defaults to `" + string(naming.Default) + "`.",
			},
			"image": attribute.Text("Image of new nodes, by name or id. For a name each region takes its newest "+
				"image, and keeps it while it is active, also when a newer one is published. Once it is deleted or "+
				"deactivated, the newest is wanted. Let the servers take `each.value.image_id`.",
				attribute.NotEmpty),
			"user_data": places.UserDataArgument("User data of new nodes, at most 64 KiB in Base64. It is in the " +
				"state. Let the servers take " +
				"`stackpolicy_placement_attachment.web.user_data_texts[each.value.template.user_data]`."),
			"template": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "" +
				"Everything else that new nodes are made from: values under names of your choice, such as a key " +
				"pair. A value that is null is left out. Let the servers take `each.value.template.key_pair`: a " +
				"node keeps its template, so a change alone changes no server. Give the version of a secret, never " +
				"the secret. The argument cannot be removed again."},
			"networks": schema.DynamicAttribute{Optional: true, MarkdownDescription: "Networks of new nodes, in " +
				"order: a list of names, or of objects with `name` or `id`, and any of `regions`, `zones` (those " +
				"that have it), `port`, `subnet_id`, `allowed_address_pairs`, `security_group_ids`, " +
				"`port_security_enabled`, `floating_ip_pool`, `floating_ips` and, with `stateful`, `addresses` by " +
				"slot. A name is looked up once, and the node remembers the id: see `parts`. Another key is refused."},
			"pools": schema.DynamicAttribute{Optional: true, MarkdownDescription: "Octavia pools of new nodes: a " +
				"map of objects with `region`, `pool_id` and `protocol_port`, and any of `subnet_id`, " +
				"`monitor_address`, `monitor_port` and `backup`. A server listens at a port for life, so " +
				"the node remembers it: see `parts`. Another key is refused."},
			"disks": schema.DynamicAttribute{Optional: true, MarkdownDescription: "Volumes of new nodes: a map of " +
				"objects with `size` in GiB, and any of `type`, `boot` (the server boots from it) and, with " +
				"`stateful`, `zone`: a name, or a map by zone or by region/zone. They end with their server: " +
				"see `parts`. With `stateful` these are the boot disks; the others are in `slots[*].disks`, and " +
				"outlive the servers. With `RETAIN` a slot keeps a disk that the map has no more, until `release` " +
				"names it. No disk becomes smaller. Another key is refused."},
			"flavors": places.FlavorsArgument("Flavors of new nodes, [the best one " +
				"first](../guides/rolling-out-an-image.md#flavors-in-order), by id or name. Let the servers take " +
				"`each.value.flavor_id`."),
			"respect_quotas": attribute.Flag("Whether to add no more nodes to a region than the project's " +
				"[quotas](../guides/your-cloud.md#quotas) allow. Defaults to `false`."),
			// Maps as large as the cluster have no nested attributes: Terraform takes longer for them.
			"nodes": attribute.ComputedMap(rosterNodeType, "The nodes by name, for `for_each`. Each has an `index`, a "+
				"`region`, a `zone` (null: Nova's choice), an `image` and its `image_id`, a `flavor` of `flavors` and "+
				"its `flavor_id`, a `template` of other values, the `generation` of its server, the `mark` that its "+
				"server gets when it is in service, `closed = true` in a closed place, and the key of its `parts`. "+
				"Where `networks` has a list of `floating_ips`, it has an `ordinal` too: the smallest number, from 1, "+
				"that no other node of the region has."),
			"parts": attribute.ComputedMap(partType, "The `networks`, `pools` and `disks` of nodes, in lists; many "+
				"nodes share an element. Let the servers of `nodes` take "+
				"`stackpolicy_placement_attachment.web.parts[each.value.parts].networks`. The `texts` are what the "+
				"nodes remember of them, as JSON."),
			"slots": attribute.ComputedMap(slotType, "With `stateful`: the slots by name, for the `for_each` of "+
				"resources that must outlive a server. Each has an `index`, a `region`, a `zone`, its `disks` and "+
				"`networks`, and whether it is `in_use`; if not, the `template` of its last node."),
			"user_data_texts": userData,
			"next_index":      attribute.ComputedNumber("Index of the next new node."),
			"distribution": attribute.ComputedMap(value.ZoneCountsType, "Number of nodes by region and zone. Nodes "+
				"whose zone is Nova's choice are under the empty name."),
			"change": attribute.ComputedTexts("Why the last plan removes or changes nodes, or brings them back: one " +
				"line for each reason, with its nodes, at most 10."),
			"held": attribute.ComputedTexts("Why nodes that should be replaced are " +
				"[held](../guides/operating-a-cluster.md#each-status): one line for each reason, as in `change`. " +
				"Nodes whose turn comes with a later batch are not among them: `remaining` counts them."),
			"phase": attribute.ComputedText("What the cluster does after a successful apply, for programs: " +
				phases() + "."),
			"remaining": attribute.ComputedNumber("Number of nodes that `update` still has to replace after this " +
				"apply."),
			"status": attribute.ComputedText("Status of the cluster after a successful apply, in one line. See " +
				"[all its forms](../guides/operating-a-cluster.md#each-status)."),
			"summary": attribute.ComputedText("The spread of the nodes as a table, as in the [first " +
				"cluster](../index.md#a-first-cluster)."),
		},
		Blocks: map[string]schema.Block{
			"deletion": deletionBlock(),
			"health":   healthBlock(),
			"selector": nodes.SelectorBlock(),
			"update":   updateBlock(),
			"stateful": statefulBlock(),
		},
	}
}

func deletionBlock() schema.Block {
	return attribute.Block("Which nodes are removed when the cluster shrinks: first nodes that are not in service, "+
		"then nodes that are marked as tainted, then others by `criteria`.", attribute.Fields{
		"criteria": attribute.Text("`RANDOM` (the default), `OLDEST_FIRST`, `YOUNGEST_FIRST`, "+
			"`OLDEST_PROFILE_FIRST` (by template: the earliest first) or `HIGHEST_INDEX_FIRST`.",
			stringvalidator.OneOf(deletion.AllCriteria()...)),
		"candidates": namesArgument("Names of nodes, or ids of their servers, to remove. With an unchanged " +
			"`desired_capacity` they are replaced by `method`, once, when they are added to the list."),
		"kept": namesArgument("Candidates whose servers [somebody " +
			"keeps](../guides/draining-nodes.md#keep-the-server-of-a-node-that-leaves): no batch waits for them. " +
			"Not with `stateful`."),
		"protected": namesArgument("Names of nodes, or ids of their servers, that are never removed or replaced, " +
			"like nodes that are marked or locked in Nova."),
	})
}

// pattern refuses a pattern that would give the same name to all nodes.
var pattern = attribute.Check("the pattern has {index} in it", "Invalid pattern of node names",
	func(given string) string { return naming.Pattern(given).Check() })

func updateBlock() schema.Block {
	return attribute.Block("Which nodes are replaced, one batch for each apply. Without it no node is replaced. "+
		"See [Rolling out an image](../guides/rolling-out-an-image.md). An apply that brings the block, or "+
		"changes `method` or `require_in_service`, replaces nothing yet.", attribute.Fields{
		"causes": attribute.Texts("Required. Why a node is replaced, in this order: `UNHEALTHY` (in `ERROR`, "+
			"tainted, or found unhealthy by `health`), `PLACEMENT` (its place is not listed or above its cap, or "+
			"a move improves the spread), `TEMPLATE` (another template is wanted; with `IMAGE` the newest of "+
			"`image`), `FLAVOR` (an earlier one of `flavors` is not full) and `AGE` (older than `max_age`). An "+
			"empty list replaces no node.",
			listvalidator.UniqueValues(),
			listvalidator.NoNullValues(), listvalidator.ValueStringsAre(stringvalidator.OneOf(causes()...))),
		"max_age": durations.Argument(time.Hour, 3650*duration.Day, "The age at which `AGE` replaces a node, "+
			"such as `30d`, counted from the launch of its server. Each node gets up to a tenth more, so that "+
			"not all are too old in one night."),
		"pause": durations.Argument(0, 30*duration.Day, "How long a batch must have been in service before the "+
			"next one begins. Defaults to `0s`."),
		"max_batch_size": attribute.Text("Required. Maximum number of nodes that one apply replaces: a number, or "+
			"a percentage of `desired_capacity`, rounded down but at least 1. Nodes that are not in service yet "+
			"count against it.", anAmount, aBatch),
		"target": attribute.Text("How many nodes (a number or a percentage, rounded up) get the wanted template, "+
			"for a [canary](../guides/rolling-out-an-image.md#a-canary). Defaults to `\"100%\"`.", anAmount),
		"method": attribute.Text("`SUBSTITUTE` (the default): a new node under a new name, made before the old "+
			"one leaves. `IN_PLACE`: the server is rebuilt or resized. `RECREATE`: the server is destroyed, and "+
			"made again under its name. See [how to choose](../guides/rolling-out-an-image.md#choose-a-method).",
			stringvalidator.OneOf(roster.Methods()...)),
		"stop_above": attribute.Text("Number or percentage of unhealthy nodes above which there is an outage: "+
			"then `UNHEALTHY` replaces no node. Defaults to `\"50%\"`.", anAmount),
		"require_in_service": attribute.Flag("Whether a server is in service only if a " +
			"`stackpolicy_readiness_attachment` has marked it. Defaults to `true`: no batch begins until " +
			"there is one. With `false` a server that is `ACTIVE` counts as in service."),
	}, "causes", "max_batch_size")
}

// phases lists the phases with their meanings.
func phases() string {
	var list []string
	for _, p := range status.All {
		list = append(list, fmt.Sprintf("`%s` (%s)", p.Phase, p.Means))
	}
	return text.And(list)
}

func causes() (names []string) {
	for _, c := range cause.All {
		names = append(names, string(c.Name))
	}
	return names
}

// anAmount refuses a text that is neither a number of nodes nor a percentage.
var anAmount = attribute.Check("a number or a percentage", "Invalid number of nodes", func(given string) string {
	if _, err := amount.Parse(given); err != nil {
		return err.Error() + "."
	}
	return ""
})

// aBatch refuses an amount of no nodes.
var aBatch = attribute.Check("at least one node", "Invalid number of nodes", func(given string) string {
	a, err := amount.Parse(given)
	if err != nil || !a.Zero() {
		return ""
	}
	return fmt.Sprintf("A batch of %s replaces nothing, and a batch needs at least one node. To pause, remove the "+
		"cause from causes, or remove the block update.", a)
})

func healthBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Asks the services of the nodes with each refresh, by one of `http`, `tcp` and " +
			"`octavia`. A node that fails (`http` and `tcp`: twice, a second apart) is not in service, and the cause " +
			"`UNHEALTHY` replaces it. If no node can be reached, their health is not known, and a warning says so.",
		Attributes: map[string]schema.Attribute{
			"grace": durations.Argument(0, 30*duration.Day, "Lowest age of a server that is asked. Defaults to `10m`."),
			"timeout": durations.Argument(time.Second, 10*time.Minute, "Time to ask all nodes of a region. Each "+
				"answer may take two fifths of it. Defaults to `10s`."),
		},
		Blocks: map[string]schema.Block{
			"http": probeblock.HTTP(),
			"tcp":  probeblock.TCP(),
			"octavia": attribute.Block("Uses the health monitors of Octavia pools: a member in `ERROR` is unhealthy.",
				attribute.Fields{
					"pool_ids": attribute.Texts("Required. Ids of the pools. Each region is asked for its own.",
						listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()),
				}, "pool_ids"),
		},
	}
}

func statefulBlock() schema.Block {
	return attribute.Block("Gives each node a slot (name, index and place), which keeps its volumes, ports and DNS "+
		"names; see [Stateful nodes](../guides/stateful-nodes.md). Not with `SUBSTITUTE` or `PLACEMENT`.",
		attribute.Fields{
			"on_removal": attribute.Text("Required. Use of the slot of a node that is removed: `RETAIN` keeps it for "+
				"the next node in its place, `DELETE` gives it up, and Terraform destroys everything that it kept.",
				stringvalidator.OneOf("RETAIN", onRemovalDelete)),
			"release": namesArgument("Names of kept slots to give up: Terraform destroys everything that they keep. " +
				"While a name is listed, no new slot gets it. Also names of disks that `disks` has no more."),
		}, "on_removal")
}

// namesArgument is a list of different names.
func namesArgument(description string) schema.Attribute {
	return attribute.Texts(description,
		listvalidator.UniqueValues(), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(attribute.NotEmpty))
}

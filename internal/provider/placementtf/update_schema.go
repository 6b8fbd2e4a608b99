package placementtf

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
)

func updateBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Which nodes are replaced, one batch for each apply. Without it no node is replaced. " +
			"See [Rolling out an image](../guides/rolling-out-an-image.md). An apply that brings the block, or " +
			"changes `method` or `require_in_service`, replaces nothing yet.",
		Validators: attribute.Needs("causes", "max_batch_size"),
		Attributes: map[string]schema.Attribute{
			"causes": attribute.Texts("Required. Why a node is replaced, in this order: `UNHEALTHY` (in `ERROR`, "+
				"tainted, or found unhealthy by `health`), `PLACEMENT` (its place is not listed or above its cap, or "+
				"a move improves the spread), `TEMPLATE` (another template is wanted; with `IMAGE` the newest of "+
				"`image`), `FLAVOR` (an earlier one of `flavors` is not full) and `AGE` (older than `max_age`). An "+
				"empty list "+
				"replaces none.",
				listvalidator.UniqueValues(),
				listvalidator.ValueStringsAre(value.NotNull{}, stringvalidator.OneOf(causes()...))),
			"max_age": durations.Argument(time.Hour, 3650*duration.Day, "The age at which `AGE` replaces a node, "+
				"such as `30d`, counted from the launch of its server. Each node gets up to a tenth more, so that "+
				"not all are too old in one night."),
			"pause": durations.Argument(0, 30*duration.Day, "How long a batch must have been in service before the "+
				"next one begins. Defaults to `0s`."),
			"max_batch_size": attribute.Text("Required. Maximum number of nodes that one apply replaces: a number, or "+
				"a percentage of `desired_capacity`, rounded down but at least 1. Nodes that are not in service yet "+
				"count against it.", amount, batch),
			"target": attribute.Text("How many nodes (a number or a percentage, rounded up) get the wanted template, "+
				"for a [canary](../guides/rolling-out-an-image.md#a-canary). Defaults to `\"100%\"`.", amount),
			"method": attribute.Text("`SUBSTITUTE` (the default): a new node under a new name, made before the old "+
				"one leaves. `IN_PLACE`: the server is rebuilt or resized. `RECREATE`: the server is destroyed, and "+
				"made again under its name. See [how to choose](../guides/rolling-out-an-image.md#choose-a-method).",
				stringvalidator.OneOf(roster.Methods()...)),
			"stop_above": attribute.Text("Number or percentage of unhealthy nodes above which there is an outage: "+
				"then `UNHEALTHY` replaces no node. Defaults to `\"50%\"`.", amount),
			"require_in_service": attribute.Flag("Whether a server is in service only if a " +
				"`stackpolicy_readiness_attachment` has marked it. Defaults to `true`: no batch begins until " +
				"there is one. With `false` a server that is `ACTIVE` counts as in service."),
		},
	}
}

func causes() (names []string) {
	for _, c := range cause.All {
		names = append(names, string(c.Name))
	}
	return names
}

// amount refuses a text that is neither a number of nodes nor a percentage.
var amount = attribute.Check("a number or a percentage", "Invalid number of nodes", func(given string) string {
	if _, err := roster.ParseAmount(given); err != nil {
		return err.Error() + "."
	}
	return ""
})

// batch refuses an amount of no nodes.
var batch = attribute.Check("at least one node", "Invalid number of nodes", func(given string) string {
	amount, err := roster.ParseAmount(given)
	if err != nil || !amount.Zero() {
		return ""
	}
	return fmt.Sprintf("A batch of %s replaces nothing, and a batch needs at least one node. To pause, remove the "+
		"cause from causes, or remove the block update.", amount)
})

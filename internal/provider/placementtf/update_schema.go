package placementtf

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

func updateBlock() schema.Block {
	amount := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional:            true,
			Validators:          []validator.String{amountValidator{}},
			MarkdownDescription: description,
		}
	}
	size := amount("Required. Maximum number of nodes that one apply replaces: a number, or a percentage of " +
		"`desired_capacity`, rounded down but at least 1. Nodes that are not in service yet count against it.")
	size.Validators = []validator.String{amountValidator{least: 1}}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Which nodes are replaced, one batch for each apply; without it, none ever is. See " +
			"[Rolling out an image](../guides/rolling-out-an-image.md). An apply that brings the block, or changes " +
			"`method` or `require_in_service`, replaces nothing yet.",
		Validators: []validator.Object{objectvalidator.AlsoRequires(path.MatchRelative().AtName("causes"),
			path.MatchRelative().AtName("max_batch_size"))},
		Attributes: map[string]schema.Attribute{
			"causes": schema.ListAttribute{
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1),
					listvalidator.UniqueValues(),
					listvalidator.ValueStringsAre(value.NotNull{}, stringvalidator.OneOf(causes()...)),
				},
				MarkdownDescription: "Required. Why a node is replaced, in this order: `UNHEALTHY` (in `ERROR`, " +
					"tainted, or found unwell by `health`), `PLACEMENT` (its place is not listed or above its cap, " +
					"or a move improves the spread), `TEMPLATE` (another one is wanted) and `AGE` (older than " +
					"`max_age`).",
			},
			"max_age": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(time.Hour, 3650*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "The age at which `AGE` replaces a node, such as `30d`, counted from the " +
					"launch of its server. Each node gets up to a tenth more, so that not all are too old in one " +
					"night.",
			},
			"pause": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(0, 30*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long a batch must have been in service before the next one begins. " +
					"Defaults to `0s`.",
			},
			"revert_after": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(time.Second, 30*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long a server may take to get into service, such as `30m`, until its " +
					"template counts as failed: then the [settled " +
					"template](../guides/time-and-repair.md#going-back-by-itself) is wanted again. Not set, no " +
					"template fails.",
			},
			"retry_full_after": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(0, 30*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long no node is placed where Nova found no host. Defaults to `1h`. See " +
					"[Full places](../guides/time-and-repair.md#full-places).",
			},
			"max_batch_size": size,
			"target": amount("How many nodes (a number or a percentage, rounded up) get the wanted template, for a " +
				"[canary](../guides/rolling-out-an-image.md#a-canary). Defaults to `\"100%\"`."),
			"method": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.OneOf(roster.Substitute, roster.InPlace, roster.Recreate),
				},
				MarkdownDescription: "`SUBSTITUTE` (the default): a new node under a new name, made before the old " +
					"one leaves. `IN_PLACE`: the server is rebuilt or resized. `RECREATE`: the server is " +
					"destroyed, and made again under its name. See [how to " +
					"choose](../guides/rolling-out-an-image.md#choose-a-method).",
			},
			"stop_above": amount("More unhealthy nodes than this (a number or a percentage) are an outage, in which " +
				"`UNHEALTHY` replaces none. Defaults to `\"50%\"`."),
			"require_in_service": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether only a server that a `stackpolicy_readiness_attachment` has marked " +
					"is in service. Defaults to `true` once a node has carried its mark; until then `ACTIVE` is " +
					"enough.",
			},
		},
	}
}

func causes() []string {
	return []string{string(roster.Unhealthy), string(roster.Misplaced), string(roster.Outdated), string(roster.TooOld)}
}

// amountValidator refuses what is neither a number of nodes nor a percentage.
type amountValidator struct{ least int64 }

func (amountValidator) Description(context.Context) string {
	return "a number of nodes, or a percentage"
}

func (v amountValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v amountValidator) ValidateString(
	_ context.Context, req validator.StringRequest, resp *validator.StringResponse,
) {
	if !value.Given(req.ConfigValue) {
		return
	}
	amount, err := roster.ParseAmount(req.ConfigValue.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number of nodes", err.Error()+".")
	case v.least > 0 && amount.None():
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number of nodes", fmt.Sprintf("A batch of %s replaces "+
			"nothing, and at least one node is replaced at a time. To pause, take the cause out of causes, or remove "+
			"the block update.", amount))
	}
}

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
	size := amount(
		"Required. Maximum number of nodes that one apply replaces: a number, or a percentage of `desired_capacity` " +
			"such as `\"25%\"`. A percentage is rounded down, and one that gives less than 1 is 1. " +
			"Nodes of the wanted template that are not in service yet count against it. 0 is an error: to pause, " +
			"take the cause out of `causes`.",
	)
	size.Validators = []validator.String{amountValidator{least: 1}}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Which nodes are replaced, one bounded batch for each apply. Without it nothing is ever " +
			"replaced. `causes` and `max_batch_size` are required. The apply that brings the block, or " +
			"`require_in_service`, replaces nothing yet.",
		Validators: []validator.Object{objectvalidator.AlsoRequires(
			path.MatchRelative().AtName("causes"), path.MatchRelative().AtName("max_batch_size"))},
		Attributes: map[string]schema.Attribute{
			"causes": schema.ListAttribute{
				ElementType: types.StringType,
				Optional:    true,
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1),
					listvalidator.UniqueValues(),
					listvalidator.ValueStringsAre(value.NotNull{}, stringvalidator.OneOf(causes()...)),
				},
				MarkdownDescription: "Required. What makes a node one to replace, any of `UNHEALTHY` (its server is " +
					"in ERROR, or marked as tainted, or `health` finds its service unwell), `PLACEMENT` (its place " +
					"is not listed or above its cap, or a move makes the spread strictly better), `TEMPLATE` (its " +
					"template is not the one that it would get now) and `AGE` (its server is older than `max_age`). " +
					"Replaced in this order, and of those that are too old the oldest first.",
			},
			"max_age": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(time.Hour, 3650*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "The age from which on the cause `AGE` replaces a node, such as `30d`; required " +
					"with it. It counts from the launch of the server, which a rebuild and a resize renew. " +
					"Each node gets up to a tenth of it more, by its id, so that nodes made in one apply are not all " +
					"too old in one night. A changed value counts from the refresh after its apply on.",
			},
			"pause": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(0, 30*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long the nodes that have what is wanted must have been in service before " +
					"nodes in service are replaced, so how long a batch has to serve before the next one. " +
					"It counts from what the readiness attachment notes with the mark, or where marks are not " +
					"required from the launch. Nodes that are not in service do not wait for it. Defaults to `0s`. A " +
					"changed value counts from the refresh after its apply on.",
			},
			"revert_after": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(time.Second, 30*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long a server of the wanted template has, such as `30m`. A template fails " +
					"when a wait of the readiness attachment ended that long or longer after the launch of an " +
					"`ACTIVE` server of it, and without it. Then the settled template is wanted again, until another " +
					"one is given; a warning says so. The one that failed stays failed, and each fails once. Nothing " +
					"fails while more nodes than `stop_above` are unhealthy or not `ACTIVE`, nor because no host was " +
					"found, nor because nobody applied for a while. Where no template is settled yet, nothing more " +
					"is replaced. Not set, no template fails.",
			},
			"retry_full_after": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(0, 30*duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long a place counts as full after Nova found no host for a server there: " +
					"no node is placed there, and none is moved there. Where nodes that are added find no other " +
					"room it is tried again earlier, and a warning says so. A node that keeps its place is made " +
					"again there when the time is over. `0s` forgets it at once: only the substitute of that node " +
					"is placed elsewhere, where another place has room. Defaults to `1h`.",
			},
			"max_batch_size": size,
			"target": amount(
				"How many nodes get the wanted template: a number, or a percentage of `desired_capacity`, rounded " +
					"up. Less than all is a canary: other new nodes get the settled template, the last one that all " +
					"nodes had while half of them were in service with it. `0` is none yet. Does not count when the " +
					"wanted template is the settled one. Defaults to `\"100%\"`.",
			),
			"method": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.OneOf(roster.Substitute, roster.InPlace, roster.Recreate),
				},
				MarkdownDescription: "How a node is replaced: `SUBSTITUTE` (a new node under a new name, made before " +
					"the old one leaves; the default), `IN_PLACE` (the node keeps its name and place, and its server " +
					"is rebuilt or resized) or `RECREATE` (the node keeps its name and place, and its server is " +
					"destroyed and then made again: its `generation` rises). `IN_PLACE` makes servers again too " +
					"where the template is not the cause. Both take nodes from service: no more than a batch may be " +
					"out of it, for whatever reason. With `PLACEMENT` a node always gets a substitute. A node that " +
					"never was in service is changed at once under its own name, with each method.",
			},
			"stop_above": amount(
				"More unhealthy nodes than this are taken for an outage, and none is replaced as `UNHEALTHY`: a " +
					"number, or a percentage of `desired_capacity`. Defaults to `\"50%\"`.",
			),
			"require_in_service": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a node counts as in service only when a " +
					"`stackpolicy_readiness_attachment` has marked its server so. Defaults to `true` as soon as any " +
					"node of the cluster has carried a mark; before that every server that is `ACTIVE` counts.",
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
	_ context.Context,
	req validator.StringRequest,
	resp *validator.StringResponse,
) {
	if !value.Given(req.ConfigValue) {
		return
	}
	amount, err := roster.ParseAmount(req.ConfigValue.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number of nodes", err.Error()+".")
	case v.least > 0 && amount.None():
		resp.Diagnostics.AddAttributeError(
			req.Path,
			"Invalid number of nodes",
			fmt.Sprintf(
				"A batch of %s replaces nothing, and at least one node is replaced at a time. To pause, take the "+
					"cause out of causes, or remove the block update.",
				amount,
			),
		)
	}
}

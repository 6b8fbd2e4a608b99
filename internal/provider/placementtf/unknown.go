package placementtf

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// While planning, values may be unknown. An unknown value that matters makes the
// nodes unknown, never wrong; a value that cannot change the result leaves them known.

// refusesUnknown refuses unknown values that could change the plan of an existing
// attachment when Terraform plans again at apply.
func (p *attachmentPlanner) refusesUnknown(ctx context.Context) bool {
	at := value.UnknownIn(ctx, p.plan.Update, path.Root("update"))
	switch {
	case p.state == nil:
		return false
	case p.known(ctx, "template", p.plan.Template):
		if value.Known(ctx, p.plan.Update) {
			return false
		}
	case !value.Known(ctx, p.plan.Template):
		at = path.Root("template")
	default:
		at = path.Root("regions")
	}
	p.diags.AddAttributeError(at, "Not known before the apply",
		"Which nodes are replaced, and by what, cannot be planned from a value that is known only after the apply. "+
			"Apply the resource that it comes from first, with -target, or take it from a variable, or from a data "+
			"source that depends on nothing that changes.")
	return true
}

// knowsEnough reports whether the inputs that decide about every plan are known.
func (p *attachmentPlanner) knowsEnough(ctx context.Context) bool {
	plan := p.plan
	if !value.Known(ctx, plan.DesiredCapacity, plan.Flavors, plan.Prefer) || plan.Deletion.IsUnknown() {
		return false
	}
	if !value.Known(ctx, plan.Stateful, plan.Ordinals) {
		return false
	}
	if !places.KnownBeside(ctx, plan.Regions) {
		return false
	}
	d := plan.deletion(ctx, p.diags)
	return p.state == nil || value.Known(ctx, d.Candidates, d.Kept)
}

// dependsOnUnknown reports whether a change depends on an unknown input.
func (p *attachmentPlanner) dependsOnUnknown(ctx context.Context, change planner.Change) bool {
	plan := p.plan
	d := plan.deletion(ctx, p.diags)
	left, changed := change.With(verdict.Leaves), change.With(verdict.Changes)
	removes := len(left)+len(changed) > 0 && !value.Known(ctx, d.Criteria, d.Protected)
	adds := len(change.With(verdict.Comes)) > 0 &&
		!value.Known(ctx, plan.Cluster, plan.NodeNamePattern, plan.RespectQuotas)
	return removes || adds
}

// unknown makes all computed attributes unknown, because inputs are.
func (p *attachmentPlanner) unknown() {
	p.plan.Nodes = types.StringUnknown()
	p.plan.Slots = types.StringUnknown()
	p.plan.NextIndex = types.Int64Unknown()
	p.plan.Distribution = types.MapUnknown(value.ZoneCountsType)
	p.plan.Change, p.plan.Held, p.plan.Moves = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	p.plan.Remaining = types.Int64Unknown()
	p.plan.Status = types.StringUnknown()
	p.plan.Summary = types.StringUnknown()
	p.plan.UserDataTexts = types.MapUnknown(types.StringType)
}

// sourcesKnown reports whether all images and user data are known.
func (p *attachmentPlanner) sourcesKnown(ctx context.Context) bool {
	return p.known(ctx, "image", p.plan.Image) && p.known(ctx, "user_data", p.plan.UserData)
}

// known reports whether an argument is known, for all places and for each.
func (p *attachmentPlanner) known(ctx context.Context, argument string, all attr.Value) bool {
	own := places.Own[attr.Value](p.plan.Regions, argument)
	return value.Known(ctx, append(slices.Collect(maps.Values(own)), all)...)
}

// waitForSources plans nothing while an image or user data is not known: it comes from what the same apply changes,
// such as the servers of another cluster. The plan at apply knows the value and must be the same as this one, so no
// node may change. Terraform does not plan a resource again that does not change at all.
func (p *attachmentPlanner) waitForSources(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	argument := "image"
	if p.known(ctx, "image", p.plan.Image) {
		argument = "user_data"
	}
	if !sameExcept(req.Plan, req.State, places.Nameless(p.config.Regions)) {
		p.diags.AddAttributeError(path.Root(argument), "Not known before the apply", fmt.Sprintf("The value of %s is "+
			"known only after the apply, and this plan changes other arguments of the cluster, or gives it for the "+
			"first time. Apply the resource that it comes from first, with -target, or leave the other arguments as "+
			"they are: then this cluster waits.", argument))
		return
	}
	p.diags.AddAttributeWarning(path.Root(argument), "The cluster waits for a value", fmt.Sprintf("The value of %s is "+
		"known only after the apply, because it comes from something that this plan changes. Until then no batch "+
		"begins, and all nodes stay as they are. Apply again.", argument))
	p.plan = p.state
	resp.Plan.Raw = req.State.Raw
}

// sameExcept reports whether a plan is the state, except for images and user data that are not known, and for the name of
// a nameless region. A value that the state does not have is not the same.
func sameExcept(plan tfsdk.Plan, state tfsdk.State, nameless bool) bool {
	same, err := tftypes.Transform(plan.Raw, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		name, _ := at.LastStep().(tftypes.AttributeName)
		waits := name == "image" || name == "user_data" || name == "name" && nameless
		if field := plan.Schema.GetAttributes()[string(name)]; len(at.Steps()) == 1 && field != nil {
			waits = waits || field.IsComputed()
		}
		if v.IsKnown() || !waits {
			return v, nil
		}
		before, _, err := tftypes.WalkAttributePath(state.Raw, at)
		source := name == "image" || name == "user_data"
		if known, ok := before.(tftypes.Value); err == nil && ok && (!source || !known.IsNull()) {
			return known, nil
		}
		return v, nil
	})
	return err == nil && same.Equal(state.Raw)
}

// forgetTemplates makes the attributes unknown that depend on unknown templates. The
// names and places of new nodes do not, nor what a template has in addition to one text of
// user data for all places: a configuration may make ports by it.
func (p *attachmentPlanner) forgetTemplates(ctx context.Context) {
	nodes := elements[shownNode](p.plan.Nodes.ValueString(), p.diags)
	imageKnown := p.known(ctx, "image", p.plan.Image)
	alone := imageKnown && p.known(ctx, "template", p.plan.Template) && p.known(ctx, "user_data", types.StringNull())
	for name, n := range nodes {
		values := elements[packed.Text](string(n.Template), p.diags)
		n.Template, n.Mark.String = packed.Unknown, types.StringUnknown()
		if alone && values != nil {
			values["user_data"] = packed.Text{String: types.StringUnknown()}
			n.Template = packed.Value(packed.Map(values).ValueString())
		}
		if !imageKnown {
			n.ImageID.String = types.StringUnknown()
		}
		nodes[name] = n
	}
	p.plan.Nodes = packed.Map(nodes)
	p.plan.Summary = types.StringUnknown()
	p.plan.UserDataTexts = types.MapUnknown(types.StringType)
}

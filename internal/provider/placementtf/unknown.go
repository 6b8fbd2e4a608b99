package placementtf

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// While planning, values may be unknown. The nodes are keys of for_each, so an unknown value that could change them is
// refused; a value that cannot leaves them known.

// refusesUnknown refuses unknown values that could change the plan of an existing
// attachment when Terraform plans again at apply.
func (p *attachmentPlanner) refusesUnknown(ctx context.Context) bool {
	if at, unknown := p.plan.unknownPart(); unknown && p.state != nil {
		p.refuseUnknownPart(at)
		return true
	}
	templates := p.knownInAllPlaces(ctx, "template", p.plan.Template)
	if p.state == nil || templates && value.Known(ctx, p.plan.Update) {
		return false
	}
	at := path.Root("regions")
	switch {
	case templates:
		at = value.UnknownIn(ctx, p.plan.Update, path.Root("update"))
	case !value.Known(ctx, p.plan.Template):
		at = path.Root("template")
	}
	p.refuseUnknown(at)
	return true
}

func (p *attachmentPlanner) refuseUnknown(at path.Path) { p.refuseUnknownAt(at, at.String()) }

// refuseUnknownPart refuses a value in a dynamic argument, in which Terraform shows no path.
func (p *attachmentPlanner) refuseUnknownPart(at string) {
	argument, _, _ := strings.Cut(at, "[")
	p.refuseUnknownAt(path.Root(argument), at)
}

func (p *attachmentPlanner) refuseUnknownAt(at path.Path, name string) {
	p.diags.AddAttributeError(at, "Not known before the apply",
		name+" is known only after the apply. Which nodes there are, and what they are made from, cannot be "+
			"planned from it. Apply the resource that it comes from first, with -target, or take it from a "+
			"variable, or from a data source that depends on nothing that changes. "+neverKnown)
}

// neverKnown names the functions whose values no plan knows.
const neverKnown = "timestamp() and uuid() are never known while planning: neither another apply nor -target helps, " +
	"so do not use them here."

// knowsEnough refuses unknown values that decide about every plan.
func (p *attachmentPlanner) knowsEnough(ctx context.Context) bool {
	plan := p.plan
	if at, unknown := plan.unreadPart(); unknown {
		p.refuseUnknownPart(at)
		return false
	}
	if at, unknown := places.Unknown(ctx, plan.Regions.List, path.Root("regions")); unknown {
		p.refuseUnknown(at)
		return false
	}
	decisive := []namedValue{
		{"desired_capacity", plan.DesiredCapacity}, {"flavors", plan.Flavors},
		{"stateful", plan.Stateful},
	}
	if plan.Deletion.IsUnknown() {
		decisive = append(decisive, namedValue{"deletion", plan.Deletion})
	}
	if d := plan.deletion(ctx, p.diags); p.state != nil {
		decisive = append(decisive,
			namedValue{"deletion.candidates", d.Candidates}, namedValue{"deletion.kept", d.Kept})
	}
	return p.allKnown(ctx, decisive)
}

// namedValue is an argument with its value.
type namedValue struct {
	name  string
	value attr.Value
}

// allKnown refuses the first argument that is not known.
func (p *attachmentPlanner) allKnown(ctx context.Context, all []namedValue) bool {
	for _, a := range all {
		if !value.Known(ctx, a.value) {
			p.refuseUnknown(value.Path(a.name))
			return false
		}
	}
	return true
}

// changeKnown refuses unknown values that a change depends on.
func (p *attachmentPlanner) changeKnown(ctx context.Context, change planner.Change) bool {
	plan := p.plan
	d := plan.deletion(ctx, p.diags)
	var decisive []namedValue
	if len(change.With(verdict.Leaves))+len(change.With(verdict.Changes)) > 0 {
		decisive = append(decisive,
			namedValue{"deletion.criteria", d.Criteria}, namedValue{"deletion.protected", d.Protected})
	}
	if len(change.With(verdict.Comes)) > 0 {
		decisive = append(decisive, namedValue{"cluster", plan.Cluster},
			namedValue{"node_name_pattern", plan.NodeNamePattern}, namedValue{"respect_quotas", plan.RespectQuotas})
	}
	return p.allKnown(ctx, decisive)
}

// sourcesKnown reports whether all images and user data are known.
func (p *attachmentPlanner) sourcesKnown(ctx context.Context) bool {
	return p.knownInAllPlaces(ctx, "image", p.plan.Image) && value.Known(ctx, p.plan.UserData)
}

// knownInAllPlaces reports whether an argument is known for all places together, and for each place.
func (p *attachmentPlanner) knownInAllPlaces(ctx context.Context, argument string, all attr.Value) bool {
	own := places.Own[attr.Value](p.plan.Regions.List, argument)
	return value.Known(ctx, append(slices.Collect(maps.Values(own)), all)...)
}

// waitsForSources reports whether nothing is planned because an image or user data is not known: it comes from what
// the same apply changes, such as the servers of another cluster. The plan at apply knows the value and must be the
// same as this one, so no node may change. Terraform does not plan a resource again that does not change at all.
func (p *attachmentPlanner) waitsForSources(ctx context.Context, plan tfsdk.Plan, state tfsdk.State) bool {
	argument := "image"
	if p.knownInAllPlaces(ctx, "image", p.plan.Image) {
		argument = "user_data"
	}
	if !sameExcept(plan, state) {
		p.diags.AddAttributeError(path.Root(argument), "Not known before the apply", fmt.Sprintf("The value of %s is "+
			"known only after the apply, and this plan changes other arguments of the cluster, or gives it for the "+
			"first time. Apply the resource that it comes from first, with -target, or leave the other arguments as "+
			"they are: then this cluster waits. %s", argument, neverKnown))
		return false
	}
	p.diags.AddAttributeWarning(path.Root(argument), "The cluster waits for a value", fmt.Sprintf("The value of %s is "+
		"known only after the apply, because it comes from something that this plan changes. Until then no batch "+
		"begins, and all nodes stay as they are. Apply again. %s", argument, neverKnown))
	return true
}

// sameExcept reports whether a plan is the state, except for images and user data that are not known. A value that
// the state does not have is not the same.
func sameExcept(plan tfsdk.Plan, state tfsdk.State) bool {
	same, err := tftypes.Transform(plan.Raw, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		name, _ := at.LastStep().(tftypes.AttributeName)
		waits := name == "image" || name == "user_data"
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

// forgetTemplates makes the values of templates unknown that are not known yet, with what depends on them. The names
// and places of new nodes do not, nor does anything else in their templates: a configuration may make ports by it.
func (p *attachmentPlanner) forgetTemplates(ctx context.Context) {
	given := map[string]map[placement.Place]attr.Value{}
	for argument, all := range map[string]attr.Value{
		"template": p.plan.Template, roster.KeyImage: p.plan.Image, roster.KeyUserData: p.plan.UserData,
	} {
		given[argument] = places.Own[attr.Value](p.plan.Regions.List, argument)
		given[argument][placement.Place{}] = all
	}
	nodes := elements[shownNode](p.plan.Nodes.ValueString(), p.diags)
	parts := elements[shownPart](p.plan.Parts.ValueString(), p.diags)
	for name, n := range nodes {
		at := placement.Place{Region: n.Region, Zone: n.Zone.ValueString()}
		var forgets bool
		n.Template, forgets = forgetTemplate(ctx, n.Template, at, given, p.diags)
		if !knownAt(ctx, given[roster.KeyImage], at) {
			n.Image.String, n.ImageID.String, forgets = types.StringUnknown(), types.StringUnknown(), true
		}
		var some bool
		if parts[n.Parts], some = p.plan.forgetParts(parts[n.Parts], at, p.diags); !forgets && !some {
			continue
		}
		n.Mark.String = types.StringUnknown()
		nodes[name] = n
	}
	p.plan.Nodes = packed.Map(nodes)
	p.plan.Parts = packed.Map(parts)
	p.plan.Summary = types.StringUnknown()
	p.plan.UserDataTexts = types.MapUnknown(types.StringType)
}

// forgetTemplate makes the values of a template unknown that places give, and that are not known.
func forgetTemplate(
	ctx context.Context, template packed.Value, at placement.Place, given map[string]map[placement.Place]attr.Value,
	diags *diag.Diagnostics,
) (kept packed.Value, forgets bool) {
	unknown := map[string]packed.Text{}
	for _, of := range []placement.Place{{}, {Region: at.Region}, at} { // the last one counts
		values, _ := given["template"][of].(types.Map)
		if values.IsUnknown() {
			return packed.Unknown, true
		}
		for key, v := range values.Elements() {
			if delete(unknown, key); v.IsUnknown() {
				unknown[key] = packed.Text{String: types.StringUnknown()}
			}
		}
	}
	if !knownAt(ctx, given[roster.KeyUserData], at) {
		unknown[roster.KeyUserData] = packed.Text{String: types.StringUnknown()}
	}
	if len(unknown) == 0 {
		return template, false
	}
	values := elements[packed.Text](string(template), diags)
	if values == nil {
		values = map[string]packed.Text{}
	}
	maps.Copy(values, unknown)
	return packed.Value(packed.Map(values).ValueString()), true
}

// knownAt reports whether Terraform knows the value that counts in a place: its zone's, else its region's, else the one
// for all places.
func knownAt(ctx context.Context, values map[placement.Place]attr.Value, at placement.Place) bool {
	for _, of := range []placement.Place{at, {Region: at.Region}, {}} {
		if v, given := values[of]; given && !v.IsNull() {
			return value.Known(ctx, v)
		}
	}
	return true
}

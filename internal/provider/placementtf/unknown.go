package placementtf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
)

// While planning, values may be unknown. An unknown value that matters makes the
// nodes unknown, never wrong; a value that cannot change the result leaves them known.

// refusesUnknown refuses unknown values that could change the plan of an existing
// attachment when Terraform plans again at apply.
func (p *attachmentPlanner) refusesUnknown(ctx context.Context) bool {
	if p.state == nil {
		return false
	}
	templates := path.Root("template")
	if value.Known(ctx, p.plan.Template) {
		templates = path.Root("regions")
		if !listed(p.plan.Regions) {
			templates = path.Root("zones")
		}
	}
	for _, input := range []struct {
		at    path.Path
		known bool
	}{
		{templates, p.templatesKnown(ctx)},
		{value.UnknownIn(ctx, p.plan.Update, path.Root("update")), value.Known(ctx, p.plan.Update)},
	} {
		if !input.known {
			p.diags.AddAttributeError(input.at, "Not known before the apply",
				"Which nodes are replaced, and by what, cannot be planned from a value that is known only after the "+
					"apply. Apply the resource that it comes from first, with -target, or take it from a variable, "+
					"or from a data source that depends on nothing that changes.")
			return true
		}
	}
	return false
}

// knowsEnough reports whether the inputs that decide about every plan are known.
func (p *attachmentPlanner) knowsEnough(ctx context.Context) bool {
	plan := p.plan
	if !value.Known(ctx, plan.DesiredCapacity, plan.Region, plan.Flavors, plan.Prefer) || plan.Deletion.IsUnknown() {
		return false
	}
	if !value.Known(ctx, plan.Stateful) {
		return false
	}
	if !places.KnownBeside(ctx, plan.Regions) || !places.KnownBeside(ctx, plan.Zones) {
		return false
	}
	d := plan.deletion(ctx, p.diags)
	return p.state == nil || value.Known(ctx, d.Candidates, d.Kept)
}

// dependsOnUnknown reports whether a change depends on an unknown input.
func (p *attachmentPlanner) dependsOnUnknown(ctx context.Context, change planner.Change) bool {
	plan := p.plan
	d := plan.deletion(ctx, p.diags)
	left, changed := change.With(decide.Leaves), change.With(decide.Changes)
	removes := len(left)+len(changed) > 0 && !value.Known(ctx, d.Criteria, d.Protected)
	adds := len(change.With(decide.Comes)) > 0 &&
		(!value.Known(ctx, plan.Cluster, plan.NodeNamePattern, plan.RespectQuotas) ||
			plan.RespectQuotas.ValueBool() && plan.FlavorID.IsUnknown())
	return removes || adds
}

// unknown makes all computed attributes unknown, because inputs are.
func (p *attachmentPlanner) unknown() {
	p.plan.Nodes = types.StringUnknown()
	p.plan.Slots = types.StringUnknown()
	p.plan.NextIndex = types.Int64Unknown()
	p.plan.Distribution = types.MapUnknown(zoneCountsType)
	p.plan.Change = types.StringUnknown()
	p.plan.Remaining = types.Int64Unknown()
	p.plan.Status = types.StringUnknown()
	p.plan.Summary = types.StringUnknown()
}

// templatesKnown reports whether all templates are known.
func (p *attachmentPlanner) templatesKnown(ctx context.Context) bool {
	if !value.Known(ctx, p.plan.Template) {
		return false
	}
	for _, t := range places.Templates(p.plan.Regions, p.plan.Zones, "") {
		if !value.Known(ctx, t) {
			return false
		}
	}
	return true
}

// forgetTemplates makes the attributes unknown that depend on unknown templates. The
// names and places of new nodes do not.
func (m *attachmentModel) forgetTemplates(diags *diag.Diagnostics) {
	nodes := elements[shownNode](m.Nodes.ValueString(), diags)
	for name, n := range nodes {
		n.Template, n.Mark.String = packed.Unknown, types.StringUnknown()
		nodes[name] = n
	}
	m.Nodes = packed.Map(nodes)
	m.Summary = types.StringUnknown()
}

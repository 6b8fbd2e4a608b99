package placementtf

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// attachmentPlanner fills in a plan. For an attachment that exists that is a
// function of its state, public and private, and of the configuration: Terraform
// plans again at apply and must get the same answer.
type attachmentPlanner struct {
	backend *backend.Backend
	config  *attachmentModel // as written
	plan    *attachmentModel // with defaults, to fill in
	state   *attachmentModel // nil for a new attachment
	same    bool             // whether the configuration is that of the state
	seen    roster.Seen
	zones   map[string]string // of nodes that have none for now
	diags   *diag.Diagnostics
}

// run fills in the plan. It reports false where the plan is the state as it is.
func (p *attachmentPlanner) run(ctx context.Context) (changed bool) {
	plan := p.plan
	plan.ID = plan.Cluster
	p.fillRegion(ctx)
	plan.validate(ctx, p.diags)
	if p.diags.HasError() || p.refusesUnknown(ctx) {
		return false
	}
	if !p.knowsEnough(ctx) {
		p.unknown()
		return true
	}
	now := roster.Roster{}
	if p.state != nil {
		now = p.state.roster(p.zones)
	}
	policy := plan.policy(ctx, p.state, p.diags)
	listed := policy.Regions
	if p.diags.HasError() {
		return false
	}
	next, change, err := p.planRoster(ctx, now, &policy)
	if p.diags.HasError() {
		return false
	}
	if err != nil {
		p.explain(err)
		return false
	}
	if p.dependsOnUnknown(ctx, change) {
		p.unknown()
		return true
	}
	p.warn(ctx, next, listed, change, policy)
	if change.Empty() && p.same {
		return false // nothing can be done now: the plan is empty
	}
	plan.remember(ctx, next, listed, p.diags)
	plan.Remaining = types.Int64Value(change.Remaining)
	if p.state == nil || !change.Empty() {
		plan.record(ctx, next, change, p.diags)
	} else {
		plan.Change = p.state.Change
	}
	if !value.Known(ctx, plan.Template) {
		plan.Revisions = types.MapUnknown(templateType)
	}
	return true
}

// planRoster plans with all places open first. Where that places nodes it looks
// up which places take nodes now, and plans again. Names of places are looked up
// whenever the lists changed, so that a misspelled one is an error at once.
func (p *attachmentPlanner) planRoster(ctx context.Context, now roster.Roster, policy *roster.Policy) (roster.Roster, roster.Change, error) {
	next, change, err := roster.Plan(now, p.seen, *policy)
	_, infeasible := errors.AsType[*placement.InfeasibleError](err)
	if err != nil && !infeasible {
		return next, change, err
	}
	placing := infeasible || len(change.Created) > 0
	if !placing && !p.placesChanged() {
		return next, change, err
	}
	cloud := p.backend.Get(p.diags)
	if cloud == nil {
		return next, change, err
	}
	written := places.Listed{Regions: policy.Regions, InOne: !listed(p.plan.Regions)}
	if !placing {
		written.CheckNames(ctx, cloud, p.diags)
		return next, change, err
	}
	policy.Regions = written.LookUp(ctx, cloud, false, p.diags)
	if p.diags.HasError() {
		return next, change, err
	}
	if !p.plan.RespectQuotas.ValueBool() {
		return roster.Plan(now, p.seen, *policy)
	}
	quotas := places.ReadQuotas(ctx, cloud, p.plan.FlavorID.ValueString(), policy.Regions, p.diags)
	if p.diags.HasError() {
		return next, change, err
	}
	open := policy.Regions
	policy.Regions = quotas.Cap(open, p.seen.Served(now))
	next, change, err = roster.Plan(now, p.seen, *policy)
	if err == nil {
		places.WarnOfQuotas(quotas.Binding(open, policy.Regions, now.Counts().ByRegion(), next.Counts().ByRegion()), p.diags)
		places.WarnOfRoom(quotas.Short(p.seen.Unserved(now, next)), p.diags)
	}
	return next, change, err
}

// placesChanged reports whether the lists of places are not those of the state.
func (p *attachmentPlanner) placesChanged() bool {
	return p.state == nil || !p.plan.Regions.Equal(p.state.Regions) || !p.plan.Zones.Equal(p.state.Zones) || !p.plan.Region.Equal(p.state.Region)
}

// fillRegion fills in the region of zones where the configuration names none: the
// one that the state has, or the provider's.
func (p *attachmentPlanner) fillRegion(ctx context.Context) {
	switch {
	case !p.config.Region.IsNull(): // as written, which may be unknown
		p.plan.Region = p.config.Region
	case !listed(p.plan.Zones) && !p.plan.Zones.IsUnknown():
		p.plan.Region = types.StringNull()
	case p.state != nil && value.Given(p.state.Region):
		p.plan.Region = p.state.Region
	default:
		cloud := p.backend.Get(p.diags)
		if cloud == nil {
			return
		}
		region, err := cloud.Region(ctx)
		if err != nil {
			p.diags.AddAttributeError(path.Root("region"), "Unable to determine the region", err.Error())
		}
		p.plan.Region = types.StringValue(region)
	}
}

// explain reports why there is no plan, at the argument that asks for it.
func (p *attachmentPlanner) explain(err error) {
	candidate, named := errors.AsType[*roster.CandidateError](err)
	protected, kept := errors.AsType[*deletion.ProtectedError](err)
	switch {
	case errors.Is(err, roster.ErrTemplateRemoved):
		p.diags.AddAttributeError(path.Root("template"), "The template is gone", "The state has revisions of a template, and nodes that are made from them: "+err.Error()+". Give the template again; to start over, remove the attachment from the state and import the cluster.")
	case named:
		p.diags.AddAttributeError(path.Root("deletion").AtName("candidates"), "Invalid candidate", candidate.Error()+" Remove it from one of the two lists.")
	case kept:
		p.diags.AddAttributeError(path.Root("desired_capacity"), "Too few nodes can be removed", fmt.Sprintf("%s. Remove fewer nodes, or protect fewer: %s.", protected.Error(), text.Few(protected.Who)))
	default:
		places.ReportPlan(err, p.diags)
	}
}

// warn adds what a person should know about the plan.
func (p *attachmentPlanner) warn(ctx context.Context, next roster.Roster, listed []placement.Region, change roster.Change, policy roster.Policy) {
	var before []placement.Region
	if p.state != nil {
		before = p.state.listedRegions(ctx, p.diags)
	}
	moves := policy.Update != nil && policy.Update.Has(roster.Misplaced)
	for _, n := range append(change.Notices, roster.Warnings(next, before, listed, moves)...) {
		p.diags.AddWarning(string(n.Title), n.Text)
	}
}

package placementtf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
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
	memory  memory
	private private.Writer // what is remembered once the plan is applied
	diags   *diag.Diagnostics
}

// run fills in the plan. It reports false where the plan is the state as it is.
func (p *attachmentPlanner) run(ctx context.Context) (changed bool) {
	plan := p.plan
	plan.ID = plan.Cluster
	p.fillRegion(ctx)
	plan.Validate(ctx, p.diags)
	if p.diags.HasError() || p.refusesUnknown(ctx) {
		return false
	}
	if !p.knowsEnough(ctx) {
		p.unknown()
		return true
	}
	now := roster.Roster{}
	if p.state != nil {
		now = p.state.roster(p.memory)
	}
	if p.forgetsSlots(now) {
		return false
	}
	policy := plan.policy(ctx, p.state, p.memory.Marked, p.diags)
	written := policy.Regions
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
	next, guesses := next.Guessed(policy)
	change.Notices = append(change.Notices, guesses...)
	p.tellNodes(next, change, policy)
	p.warn(next, written, change, policy)
	if u := policy.Update; u != nil && u.Has(roster.Outdated) && len(policy.Templates) == 0 && p.templatesKnown(ctx) {
		p.diags.AddAttributeWarning(path.Root("update").AtName("causes"), "A missing argument",
			"The cause TEMPLATE replaces nodes of another template than the wanted one, and there is no template. "+
				"Give template, and let the servers take their image and flavor from each.value.template.")
	}
	if change.Empty() && p.same {
		return false // nothing can be done now: the plan is empty
	}
	plan.remember(ctx, next, written, p.diags)
	plan.Remaining = types.Int64Value(change.Remaining)
	p.countBatch(change)
	plan.Status = types.StringValue(change.Status(policy, p.memory.Batch))
	plan.record(ctx, next, change, p.diags)
	if p.state != nil {
		p.memory.store(ctx, p.private, next, p.diags) // the leaving nodes
	}
	if !p.templatesKnown(ctx) {
		plan.forgetTemplates()
	}
	return true
}

// countBatch counts the batches that the same configuration takes until nothing is
// left to replace.
func (p *attachmentPlanner) countBatch(change roster.Change) {
	if !p.same || p.state.Remaining.ValueInt64() == 0 {
		p.memory.Batch = 0
	}
	if change.Replaced() > 0 {
		p.memory.Batch++
	}
}

// forgetsSlots refuses to remove the block stateful while slots are kept: what these
// keep would be destroyed, and nobody asked for that.
func (p *attachmentPlanner) forgetsSlots(now roster.Roster) bool {
	kept := now.KeptSlots()
	if value.GivenBlock(p.plan.Stateful) || len(kept) == 0 {
		return false
	}
	p.diags.AddAttributeError(path.Root("stateful"), "Slots are kept without stateful",
		fmt.Sprintf("Kept slots: %s. Without stateful they would be forgotten, and what they keep destroyed. "+
			"Give the block again and grow until they are used, or list them in its release, apply, and then remove "+
			"it.", text.Few(kept)))
	return true
}

// planRoster asks first and plans once. Which places take nodes now was looked up by
// the refresh, except for places that are new in the configuration.
func (p *attachmentPlanner) planRoster(
	ctx context.Context, now roster.Roster, policy *roster.Policy,
) (roster.Roster, roster.Change, error) {
	written := places.Listed{Regions: policy.Regions, InOne: !listed(p.plan.Regions)}
	open, findings := p.usable(ctx, written, now)
	policy.Opened = p.opened(written.Regions)
	if p.state == nil && !p.diags.HasError() {
		p.refuseServers(ctx, open)
	}
	p.refusePools(ctx, open)
	quotas := p.quotas(ctx, open, now, *policy)
	if p.diags.HasError() {
		return now, roster.Change{}, nil
	}
	policy.Regions, policy.Unreachable = quotas.Cap(open, p.memory.Seen.Served(now)), unreachable(open)
	next, change, err := roster.Plan(now, p.memory.Seen, *policy)
	for err == nil && p.cutOff(ctx, change, policy) {
		closeUnreachable(open, policy.Unreachable)
		closeUnreachable(policy.Regions, policy.Unreachable)
		next, change, err = roster.Plan(now, p.memory.Seen, *policy)
	}
	if err == nil && p.diags.HasError() {
		return now, change, nil
	}
	_, infeasible := errors.AsType[*placement.InfeasibleError](err)
	removing := len(change.Of(roster.Comes))+len(change.Of(roster.Returns)) == 0 && !infeasible
	if removing && len(change.Of(roster.Leaves)) == 0 {
		return next, change, err // it does not matter which places are usable
	}
	for _, f := range findings {
		written.Report([]cluster.Finding{f}, effect(f, removing, change.Of(roster.Leaves)), p.diags)
	}
	written.ReportNone(open, !removing, p.diags)
	if err == nil {
		places.WarnOfQuotas(quotas.Binding(open, policy.Regions, now.Counts().ByRegion(), next.Counts().ByRegion()),
			p.diags)
		places.WarnOfRoom(quotas.Short(p.memory.Seen.Unserved(now, next)), p.diags)
	}
	return next, change, err
}

// effect is what follows for a place that is not usable. Where a zone is down Nova
// still deletes servers, so the zone loses its share of the nodes that leave.
func effect(f cluster.Finding, removing bool, left []roster.Verdict) string {
	if removing && f.Zone == "" {
		return places.KeepsAll
	}
	lost := 0
	for _, d := range left {
		if d.Region == f.Region && d.Zone == f.Zone {
			lost++
		}
	}
	if lost > 0 && f.Zone != "" {
		return fmt.Sprintf("It takes no nodes, and loses %s: Nova still deletes servers there.",
			text.Nodes(int64(lost)))
	}
	return places.TakesNone
}

// opened are the regions that the plan opens.
func (p *attachmentPlanner) opened(regions []placement.Region) map[string]bool {
	opened := map[string]bool{}
	if p.state != nil {
		closed := closedRegions(p.state.listedRegions())
		for _, r := range regions {
			opened[r.Name] = closed(r.Name) && !r.Maintenance
		}
	}
	return opened
}

// usable closes the places that take no nodes now, and says which those are. A
// place that does not exist is an error, unless it is closed for maintenance and
// nodes are there.
func (p *attachmentPlanner) usable(
	ctx context.Context, written places.Listed, now roster.Roster,
) ([]placement.Region, []cluster.Finding) {
	open := slices.Clone(written.Regions)
	var findings []cluster.Finding
	var unseen []int
	for i, region := range written.Regions {
		recalled, found, ok := p.memory.recall(region)
		if !ok {
			unseen = append(unseen, i)
		}
		open[i] = recalled
		findings = append(findings, found...)
	}
	if len(unseen) == 0 {
		return open, findings
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return open, nil
	}
	ask := make([]placement.Region, len(unseen))
	for i, at := range unseen {
		ask[i] = written.Regions[at]
	}
	looked, found, err := cluster.LookUp(ctx, cloud, ask)
	if err != nil {
		p.diags.AddError("Unable to look up regions and availability zones", err.Error())
		return open, nil
	}
	for i, at := range unseen {
		open[at] = looked[i]
	}
	unknown, others := cluster.Split(found)
	for _, row := range placement.NewBoard(written.Regions, now.Counts()).Rows() {
		unknown = slices.DeleteFunc(unknown, func(f cluster.Finding) bool {
			at := placement.Place{Region: f.Region, Zone: f.Zone}
			return row.Place == at && row.Bin.Maintenance && row.Bin.Current > 0
		})
	}
	written.Report(unknown, places.TakesNone, p.diags)
	return open, append(findings, others...)
}

// quotas asks for the quotas of a plan that may place nodes.
func (p *attachmentPlanner) quotas(
	ctx context.Context, open []placement.Region, now roster.Roster, policy roster.Policy,
) cluster.Quotas {
	mayPlace := int64(len(now.Nodes)) < policy.Capacity || policy.Update != nil || len(policy.Candidates) > 0
	if !p.plan.RespectQuotas.ValueBool() || !mayPlace || p.diags.HasError() {
		return nil
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return nil
	}
	return places.ReadQuotas(ctx, cloud, p.plan.FlavorID.ValueString(), open, p.diags)
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
		cloud := p.backend.Get(ctx, p.diags)
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
	closed, waits := errors.AsType[*roster.ClosedError](err)
	candidate, named := errors.AsType[*roster.CandidateError](err)
	protected, kept := errors.AsType[*deletion.ProtectedError](err)
	slot, used := errors.AsType[*roster.SlotInUseError](err)
	misspelled, means := errors.AsType[*roster.MisspelledError](err)
	unknown, nobody := errors.AsType[*roster.UnknownCandidateError](err)
	switch {
	case means:
		p.diags.AddAttributeError(path.Root("deletion").AtName("protected"), "A protected node is not there",
			misspelled.Error()+" Correct the name, or remove it from the list.")
	case nobody:
		p.diags.AddAttributeError(path.Root("deletion").AtName("candidates"), "Invalid candidate",
			unknown.Error()+" Correct the name, or remove it from the list.")
	case used:
		p.diags.AddAttributeError(path.Root("stateful").AtName("release"), "A slot to release is in use",
			slot.Error()+" A slot can be released once its node is removed: shrink first, or take the name out of "+
				"release.")
	case waits:
		p.diags.AddAttributeError(path.Root("deletion").AtName("candidates"), "Invalid candidate",
			closed.Error()+" Open the place, or take the node out of candidates.")
	case errors.Is(err, roster.ErrTemplateRemoved):
		p.diags.AddAttributeError(path.Root("template"), "The template is gone",
			"The nodes are made from a template: "+err.Error()+". Give it again, for every place that has nodes; to "+
				"start over, remove the attachment from the state and import the cluster.")
	case named:
		p.diags.AddAttributeError(path.Root("deletion").AtName("candidates"), "Invalid candidate",
			candidate.Error()+" Take it out of candidates and kept, or change what stands against it.")
	case kept:
		p.diags.AddAttributeError(path.Root("desired_capacity"), "Too few nodes can be removed",
			fmt.Sprintf("%s. Remove fewer nodes, or protect fewer: %s. To destroy the whole cluster nothing has to be "+
				"lowered before: terraform destroy plans such a change only where it refreshes, so use "+
				"terraform destroy -refresh=false.", protected.Error(), text.Few(protected.Who)))
	default:
		places.ReportPlan(err, p.diags)
	}
}

// warn adds what a person should know about the plan.
func (p *attachmentPlanner) warn(
	next roster.Roster, listed []placement.Region, change roster.Change, policy roster.Policy,
) {
	var before []placement.Region
	if p.state != nil {
		before = p.state.listedRegions()
	}
	moves := policy.Update != nil && policy.Update.Has(roster.Misplaced)
	for _, n := range append(change.Notices, roster.Warnings(next, before, listed, moves)...) {
		p.diags.AddWarning(string(n.Title), n.Text)
	}
}

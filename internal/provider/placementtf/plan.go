package placementtf

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// attachmentPlanner fills in a plan. The plan of an existing attachment is a function
// of its state, its private state and the configuration, because Terraform plans again
// at apply and must get the same plan.
type attachmentPlanner struct {
	backend *backend.Backend
	config  *attachmentModel // as written
	plan    *attachmentModel // the plan with defaults, to be filled in
	state   *attachmentModel // nil for a new attachment
	same    bool             // whether the configuration equals the state
	memory  memory
	private private.Writer // private state after the apply
	diags   *diag.Diagnostics
}

// decision is what a plan decides.
type decision struct {
	now, next roster.Roster
	change    planner.Change
	policy    roster.Policy
	written   []placement.Region // regions as written
}

// run fills in the plan, and reports whether it differs from the state.
func (p *attachmentPlanner) run(ctx context.Context) (d decision, changed bool) {
	if !p.fill(ctx) || !p.knowsEnough(ctx) {
		return d, false
	}
	d, ok := p.decide(ctx)
	if !ok || !p.changeKnown(ctx, d.change) {
		return d, false
	}
	p.tell(ctx, &d)
	if d.change.Empty() && p.same {
		return d, p.awaits(ctx, d.now, d.change)
	}
	p.store(ctx, d)
	return d, true
}

// fill fills in what the configuration leaves out, and checks what it says.
func (p *attachmentPlanner) fill(ctx context.Context) (ok bool) {
	p.plan.ID = p.plan.Cluster
	p.fillRegion(ctx)
	p.fillSize()
	p.plan.Validate(ctx, p.diags)
	return !p.diags.HasError() && !p.refusesUnknown(ctx)
}

// decide sends all requests, plans, and refuses a plan that the cloud does not allow any more.
func (p *attachmentPlanner) decide(ctx context.Context) (d decision, ok bool) {
	if p.state != nil {
		d.now = p.state.roster(p.memory, p.diags)
	}
	if p.forgetsSlots(d.now) || p.shrinksVolumes(ctx) {
		return d, false
	}
	before := p.memory.Sources
	p.resolve(ctx, d.now)
	p.refuseLoose(d.now, before)
	policy := p.plan.policy(ctx, p.state, p.memory.Marked, p.diags)
	if p.memory.tell(&policy); !p.same {
		policy.Awaited = nil // the apply does something else, and so may do this too
	}
	d.written = policy.Regions
	if p.diags.HasError() {
		return d, false
	}
	d.next, d.change, d.policy = p.planRoster(ctx, d.now, policy)
	p.refuseGone(d.change)
	return d, !p.diags.HasError()
}

// tell warns of what a person should know about the plan.
func (p *attachmentPlanner) tell(ctx context.Context, d *decision) {
	var guesses []string
	d.next, guesses = learn.Guesses(d.next)
	d.change.Notices = append(d.change.Notices, say.Guessed(guesses, d.policy)...)
	p.tellNodes(d.next, d.change, d.policy)
	p.warn(d.next, d.written, d.change, d.policy)
	u := d.policy.Update
	if u != nil && u.Has(roster.Outdated) && len(d.policy.Templates) == 0 && p.known(ctx, "template", p.plan.Template) {
		p.diags.AddAttributeWarning(path.Root("update").AtName("causes"), "A missing argument",
			"The cause TEMPLATE replaces nodes that do not have the wanted template, but there is no template. "+
				"Give template, and let the servers take their image and flavor from each.value.template.")
	}
}

// store fills in the computed attributes and the private state.
func (p *attachmentPlanner) store(ctx context.Context, d decision) {
	plan := p.plan
	plan.Status, plan.Remaining = types.StringValue(d.change.Status), types.Int64Value(d.change.Remaining)
	p.memory.Blind = true // everything seen so far is older than this apply
	if p.state != nil {
		plan.UserDataTexts = p.state.UserDataTexts
	}
	plan.remember(d.next, d.written)
	p.countBatch(d.change)
	plan.record(d.change, p.memory.Batch)
	if p.state != nil {
		p.memory.store(ctx, p.private, d.next, p.diags) // the leaving nodes
	}
	if !p.known(ctx, "template", p.plan.Template) || !p.sourcesKnown(ctx) {
		p.forgetTemplates(ctx)
	}
}

// runSame fills in a plan that changes no node, because nothing proceeds.
func (p *attachmentPlanner) runSame(ctx context.Context) (d decision, changed bool) {
	now := p.state.roster(p.memory, p.diags)
	change, err := p.plan.foresee(ctx, now, p.memory, p.diags)
	return d, err == nil && change.Empty() && p.awaits(ctx, now, change)
}

// awaits plans the status that the cluster will have after the apply has brought nodes into service: Terraform makes
// missing servers, and a readiness attachment waits. It reports false, and the plan is empty, if the apply brings no
// node into service, or if an earlier apply should have done it and did not.
func (p *attachmentPlanner) awaits(ctx context.Context, now roster.Roster, change planner.Change) (changed bool) {
	status, awaits := types.StringValue(change.Status), change.Awaits
	if len(awaits) == 0 || status.Equal(p.state.Status) {
		return false
	}
	p.plan.Status, p.plan.Remaining = status, types.Int64Value(change.Remaining)
	p.memory.Blind, p.memory.Awaited = true, slices.Concat(p.memory.Awaited, awaits)
	p.memory.AwaitedIn = p.memory.look()
	p.memory.store(ctx, p.private, now, p.diags)
	return true
}

// countBatch counts the batches of one configuration until nothing is left to
// replace.
func (p *attachmentPlanner) countBatch(change planner.Change) {
	if !p.same || p.state.Remaining.ValueInt64() == 0 {
		p.memory.Batch = 0
	}
	if change.Replaced() > 0 {
		p.memory.Batch++
	}
}

// planRoster sends all requests first and then plans. The refresh has looked up which
// places take nodes, except for places that are new in the configuration. planRoster
// returns the policy of the plan, with the places as they are now.
func (p *attachmentPlanner) planRoster(
	ctx context.Context, now roster.Roster, policy roster.Policy,
) (next roster.Roster, change planner.Change, follows roster.Policy) {
	written := places.Listed{Regions: policy.Regions}
	open, findings := p.usable(ctx, written, now)
	policy.Opened = p.opened(written.Regions)
	if p.state == nil && !p.diags.HasError() {
		p.refuseServers(ctx, open)
	}
	p.refusePools(ctx, open)
	quotas := p.quotas(ctx, open, now, policy)
	if p.diags.HasError() {
		return now, change, policy
	}
	if len(policy.Flavors) > 0 {
		policy.Rooms = quotas.Rooms()
	}
	policy.Regions, policy.Unreachable = quotas.Cap(open, p.memory.Seen.WithServer(now)), unreachable(open)
	next, change, err := planner.Plan(now, p.memory.Seen, policy)
	for err == nil && p.cutOff(ctx, change, policy) {
		closeUnreachable(open, policy.Unreachable)
		closeUnreachable(policy.Regions, policy.Unreachable)
		next, change, err = planner.Plan(now, p.memory.Seen, policy)
	}
	if p.diags.HasError() {
		return now, change, policy
	}
	_, infeasible := errors.AsType[*placement.InfeasibleError](err)
	removing := len(change.With(verdict.Comes))+len(change.With(verdict.Returns)) == 0 && !infeasible
	idle := removing && len(change.With(verdict.Leaves)) == 0 // usable places do not matter
	if idle {
		findings = slices.DeleteFunc(findings, func(f cluster.Finding) bool { return f.Kind != cluster.ZoneHidden })
	}
	written.Report(findings, removing, p.diags)
	if !idle {
		written.ReportNone(open, !removing, p.diags)
	}
	if err != nil && !p.diags.HasError() {
		p.refuse(err)
	}
	if err != nil {
		return now, change, policy
	}
	places.WarnOfQuotas(quotas.Binding(open, policy.Regions, now.Counts().ByRegion(), next.Counts().ByRegion()),
		p.diags)
	places.WarnOfRoom(quotas.Short(p.memory.Seen.WithoutServer(now, next)), p.diags)
	return next, change, policy
}

// opened returns the regions that the plan opens.
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

// usable closes the places that take no nodes now, and returns findings about them. A place
// that does not exist is an error. A hidden zone keeps its nodes, listed or not, because a
// list of zones that comes from Nova does not have it.
func (p *attachmentPlanner) usable(
	ctx context.Context, written places.Listed, now roster.Roster,
) ([]placement.Region, []cluster.Finding) {
	open := slices.Clone(written.Regions)
	var findings []cluster.Finding
	var unseen []int
	var ask []placement.Region
	nodes := now.Counts()
	for i, region := range written.Also(nodes).Regions[:len(open)] {
		recalled, found, ok := p.memory.recall(region)
		if !ok {
			unseen, ask = append(unseen, i), append(ask, region)
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
	looked, found, err := cluster.LookUp(ctx, cloud, ask, nodes)
	if err != nil {
		p.diags.AddError("Unable to look up regions and availability zones", err.Error())
		return open, nil
	}
	for i, at := range unseen {
		open[at] = looked[i]
	}
	passes := func(f cluster.Finding) bool { return !f.Kind.Unknown() }
	written.Report(slices.DeleteFunc(slices.Clone(found), passes), false, p.diags) // planRoster reports the others
	return open, append(findings, found...)
}

// refuse reports why there is no plan, at the argument that causes it.
func (p *attachmentPlanner) refuse(err error) {
	argument, ok := errors.AsType[*decide.ArgumentError](err)
	if !ok {
		places.Listed{}.ReportPlan(err, p.diags)
		return
	}
	at := path.Empty()
	for _, name := range argument.Argument {
		at = at.AtName(name)
	}
	p.diags.AddAttributeError(at, argument.Title, argument.Text)
}

// warn adds the notices about the plan as warnings.
func (p *attachmentPlanner) warn(
	next roster.Roster, listed []placement.Region, change planner.Change, policy roster.Policy,
) {
	var before []placement.Region
	if p.state != nil {
		before = p.state.listedRegions()
	}
	listed = slices.Clone(listed)
	for i := range listed {
		listed[i].Zones = policy.Regions[i].Zones // they know which zones are hidden
	}
	moves := policy.Update != nil && policy.Update.Has(roster.Misplaced)
	for _, n := range append(change.Notices, say.Warnings(next, before, listed, moves)...) {
		p.diags.AddWarning(n.Title, n.Text)
	}
}

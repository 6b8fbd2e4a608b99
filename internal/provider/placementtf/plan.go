package placementtf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wiring"
)

// run fills in the plan, and returns what it decides; changed reports whether it differs from the state.
func (p *attachmentPlanner) run(ctx context.Context) (d decision, changed bool) {
	if !p.fill(ctx) || !p.knowsEnough(ctx) {
		return decision{}, false
	}
	d, ok := p.decide(ctx)
	if !ok || !p.changeKnown(ctx, d.change) {
		return decision{}, false
	}
	p.say(ctx, d)
	if d.change.Empty() && p.same {
		return d, p.awaits(ctx, d.now, d.change)
	}
	p.store(ctx, d)
	return d, true
}

// runSame fills in a plan that changes no node, because nothing proceeds.
func (p *attachmentPlanner) runSame(ctx context.Context) (none decision, changed bool) {
	now := p.state.roster(p.memory, p.diags)
	change, err := p.plan.foresee(ctx, now, p.memory, p.diags)
	return none, err == nil && change.Empty() && p.awaits(ctx, now, change)
}

// fill fills in what the configuration leaves out, and checks what it says.
func (p *attachmentPlanner) fill(ctx context.Context) (ok bool) {
	p.fillRegion(ctx)
	p.fillSize()
	p.plan.Validate(ctx, p.diags)
	return !p.diags.HasError() && !p.refusesUnknown(ctx)
}

// decide sends all requests, plans, and refuses a plan that the cloud does not allow any more.
func (p *attachmentPlanner) decide(ctx context.Context) (d decision, ok bool) {
	if p.state != nil {
		d.now = p.state.roster(p.memory, p.diags)
		if was := p.state.naming(); was != p.plan.naming() {
			d.now.Former = append(slices.Clip(d.now.Former), was)
		}
	}
	if p.plan.forgetsSlots(d.now, p.diags) || p.plan.shrinksVolumes(ctx, p.state, p.diags) {
		return d, false
	}
	p.refuseRelease(ctx, d.now)
	p.plan.sources = p.resolve(ctx, d.now)
	policy := p.memory.complete(p.plan.policy(ctx, p.state, p.memory.Marked, p.diags))
	if !p.same {
		policy.Awaited = nil // the apply does something else, and so may do this too
	}
	d.written = policy.Regions
	if p.diags.HasError() {
		return d, false
	}
	d.next, d.change, d.policy = p.planRoster(ctx, d.now, policy)
	p.refuseGone(d.change)
	p.refuseFewAddresses(d)
	p.refuseStrangers(d)
	p.refuseUnpooled(d)
	p.refuseRenamed()
	return d, !p.diags.HasError()
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
	policy.Regions, policy.Unreachable = quotas.Cap(open, withServer(p.memory.Seen, now)), unreachable(open)
	next, change, err := planner.Plan(now, p.memory.Seen, policy)
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
	places.WarnOfRoom(quotas.Short(withoutServer(p.memory.Seen, now, next)), p.diags)
	return next, change, policy
}

// say warns of what a person should know about the plan, and refuses names that another new attachment gives.
func (p *attachmentPlanner) say(ctx context.Context, d decision) {
	p.refuseTwice(d.next)
	p.warnOfKept(d)
	p.warnOfLarger()
	var before []placement.Region
	if p.state != nil {
		before = p.state.listedRegions()
	}
	listed, update := slices.Clone(d.written), d.policy.Update
	for i := range listed {
		listed[i].Zones = d.policy.Regions[i].Zones // they know which zones are hidden
	}
	moves := causeThat(update, func(c *cause.Cause) bool { return c.Moves }) != ""
	for _, n := range append(d.change.Notices, say.Warnings(d.next, before, listed, moves)...) {
		p.diags.AddWarning(n.Title, n.Text)
	}
	templates := len(d.policy.Templates) > 0 || !p.knownInAllPlaces(ctx, "template", p.plan.Template)
	if name := causeThat(update, func(c *cause.Cause) bool { return c.Updates }); name != "" && !templates {
		p.diags.AddAttributeWarning(path.Root("update").AtName("causes"), "A missing argument", fmt.Sprintf(
			"The cause %s replaces nodes that do not have the wanted template, but there is no template. Give "+
				"template, and let the servers take their image and flavor from each.value.template.", name))
	}
	if d.beginsBatch() && !p.memory.Marked && !p.plan.requiresMarks(ctx, p.diags) {
		p.diags.AddAttributeWarning(path.Root("update").AtName("require_in_service"), "ACTIVE is taken for service",
			"No readiness attachment marks the servers. "+wiring.Unchecked)
	}
}

// warnOfKept warns of kept servers whose nodes leave, because no plan sees whether Terraform still has them.
func (p *attachmentPlanner) warnOfKept(d decision) {
	var kept []string
	for _, v := range slices.Concat(d.change.With(verdict.Leaves), d.change.With(verdict.Changes)) {
		if slices.Contains(d.policy.Kept, v.Name) || slices.Contains(d.policy.Kept, v.Server.ID) {
			kept = append(kept, v.Name)
		}
	}
	if len(kept) > 0 {
		at := path.Root("deletion").AtName("kept")
		p.diags.AddAttributeWarning(at, "Kept servers leave the cluster", fmt.Sprintf(
			"%s: the node leaves. If the plan lists its server as destroyed, do not apply: let Terraform forget "+
				"it, with a moved and a removed block (destroy = false).",
			text.Few(kept)))
	}
}

// store fills in the computed attributes and the private state.
func (p *attachmentPlanner) store(ctx context.Context, d decision) {
	plan, after := p.plan, p.memory
	after.Sources = plan.sources
	after.Blind = true // everything seen so far is older than this apply
	plan.setPhase(d.change.Status)
	plan.Remaining = types.Int64Value(d.change.Remaining)
	if p.state != nil {
		was := p.state // remember keeps some of it
		plan.UserDataTexts, plan.Nodes, plan.Parts, plan.Slots = was.UserDataTexts, was.Nodes, was.Parts, was.Slots
	}
	plan.remember(d.next, d.written)
	plan.record(d.change)
	if p.state != nil {
		after.store(ctx, p.private, d.next, p.diags) // the leaving nodes
	}
	if !p.knownInAllPlaces(ctx, "template", plan.Template) || !p.sourcesKnown(ctx) || !plan.partsKnown() {
		p.forgetTemplates(ctx)
	}
}

// awaits plans the status that the cluster will have after the apply has brought nodes into service: Terraform makes
// missing servers, and a readiness attachment waits. It reports false, and the plan is empty, if the apply brings no
// node into service, or if an earlier apply should have done it and did not.
func (p *attachmentPlanner) awaits(ctx context.Context, now roster.Roster, change planner.Change) (changed bool) {
	after := p.memory
	if len(change.Awaits) == 0 {
		return false
	}
	p.plan.setPhase(change.Status)
	p.plan.Remaining = types.Int64Value(change.Remaining)
	after.Sources, after.Blind = p.plan.sources, true
	after.Awaited = slices.Compact(slices.Sorted(slices.Values(slices.Concat(after.Awaited, change.Awaits))))
	after.AwaitedIn = after.fingerprint()
	after.store(ctx, p.private, now, p.diags)
	return true
}

// publish tells the other attachments of the cluster what the plan does: what the nodes are, how many servers may still
// be replaced, and which servers the nodes have.
func (p *attachmentPlanner) publish(ctx context.Context, d decision) {
	p.publishLeaving(d)
	walk, cluster := p.backend.Walk(), p.plan.Cluster.ValueString()
	told := backend.Cluster{
		Batch: -1, Failed: d.change.Failed, Marked: p.memory.Marked, Nodes: map[string]backend.Node{},
	}
	before := map[string]shownNode{}
	if p.state != nil {
		before = elements[shownNode](p.state.Nodes.ValueString(), p.diags)
		told.Batch = max(min(d.policy.Batch()-d.change.Replaced(), d.change.Free), 0)
	}
	if told.Free = d.change.Free; p.memory.Blind {
		told.Free = 0 // the last apply may have made some
	}
	required := p.memory.Marked
	if value.GivenBlock(p.plan.Update) {
		told.Method, required = p.plan.method(ctx, p.diags), p.plan.requiresMarks(ctx, p.diags)
		told.Begins = d.beginsBatch() && (required || p.memory.Marked)
	}
	for name, n := range elements[shownNode](p.plan.Nodes.ValueString(), p.diags) {
		s := p.memory.Seen.Servers[name]
		walk.InUse.Note(s.ID, true)
		was, there := before[name]
		node := backend.Node{Mark: n.Mark.ValueString(), MadeAgain: there && n.Generation > was.Generation}
		rises := roster.Mark(node.Mark).Number() > roster.Mark(was.Mark.ValueString()).Number()
		node.Revised = there && rises && !node.MadeAgain
		serves := s.Status == active && (s.InService == node.Mark || !required)
		if there && !node.MadeAgain && serves && n.Mark.Equal(was.Mark.String) {
			node.Serves = s.ID
		}
		node.Has = s.ID != "" || there && !p.memory.Seen.Looked(name)
		for _, s := range p.memory.Seen.There(name) {
			if s.Status == "ERROR" {
				node.Dead = append(node.Dead, s.ID)
			}
		}
		told.Nodes[name] = node
	}
	walk.Publish(cluster, told)
}

// publishLeaving tells deletion attachments which servers leave, and with the cluster's name that this apply makes
// substitutes for them, which a readiness attachment waits for. That is so if the server of the node has a mark.
func (p *attachmentPlanner) publishLeaving(d decision) {
	walk, seen, cluster := p.backend.Walk(), p.memory.Seen.Servers, p.plan.Cluster.ValueString()
	note := func(name, server string, substituted bool) {
		if substituted && d.policy.RequireMarks && seen[name].InService != "" {
			walk.Leaving.Note(server, cluster)
		} else {
			walk.Leaving.Note(server, "")
		}
	}
	waits := p.memory.lacksMarks(d.next, closedRegions(p.plan.listedRegions()))
	for name := range d.next.Leaving {
		note(name, seen[name].ID, waits)
	}
	comes := len(d.change.With(verdict.Comes)) > 0
	for _, v := range d.change.With(verdict.Leaves, verdict.Changes) {
		note(v.Name, v.Server.ID, comes && v.Outcome == verdict.Leaves)
	}
}

// lacksMarks reports whether a node has no mark, so that a readiness attachment waits for its server in this apply.
func (m memory) lacksMarks(next roster.Roster, closed func(region string) bool) bool {
	for name, n := range next.Nodes {
		if s := m.Seen.Servers[name]; s.InService != string(n.Mark) && !closed(n.Region) {
			return true
		}
	}
	return false
}

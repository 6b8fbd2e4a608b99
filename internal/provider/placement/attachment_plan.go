package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// attachmentPlanner fills in a plan. The state is nil for a new attachment.
type attachmentPlanner struct {
	backend *backend.Backend
	plan    *attachmentModel
	state   *attachmentModel
	diags   *diag.Diagnostics
}

func (p *attachmentPlanner) run(ctx context.Context) {
	plan := p.plan
	plan.ID = plan.Cluster
	if !value.Known(ctx, plan.Cluster, plan.DesiredCapacity, plan.MinSize, plan.MaxSize, plan.Regions, plan.Zones, plan.NodeName,
		plan.Deletion, plan.MaxMoves, plan.RespectQuotas, plan.FlavorID) {
		p.unknown()
		return
	}
	plan.validate(p.diags)
	p.fillRegion(ctx)
	if p.diags.HasError() {
		return
	}
	regions := plan.places(ctx, p.diags)
	policy := p.policy(ctx, regions)
	now, facts := roster.Roster{}, map[string]node.Node{}
	if p.state != nil {
		now, facts = p.state.roster(), p.state.facts(p.diags)
	}
	if p.diags.HasError() {
		return
	}
	// The summary tells what is configured, not what is found: Terraform plans
	// again at apply, and a quota or a zone that changed meanwhile must not fail
	// a plan that it does not change.
	listed := slices.Clone(regions)
	var bounds places.Quotas
	if p.places(now, policy) {
		bounds = p.lookUp(ctx, now, facts, regions)
	}
	if p.diags.HasError() {
		return
	}
	next, change, err := roster.Plan(now, facts, policy)
	if err != nil {
		p.explain(err)
		return
	}
	p.warn(now, next, regions, bounds)
	plan.remember(ctx, next, p.diags)
	switch {
	case p.state == nil:
		plan.record(change)
		plan.Summary = types.StringValue(rosterSummary(now, next, listed))
		plan.observe(nil)
	case len(change.Created)+len(change.Deleted) > 0:
		plan.record(change)
		plan.Summary = types.StringValue(rosterSummary(now, next, listed))
		plan.forget(p.state.Observed, next)
	default:
		plan.Change, plan.Summary, plan.Observed = p.state.Change, p.state.Summary, p.state.Observed
	}
}

// unknown leaves open what depends on values that are not known yet.
func (p *attachmentPlanner) unknown() {
	p.plan.Nodes = types.MapUnknown(rosterNodeType)
	p.plan.NextIndex = types.Int64Unknown()
	p.plan.Distribution = types.MapUnknown(types.MapType{ElemType: types.Int64Type})
	p.plan.Change = types.ObjectUnknown(changeType.AttrTypes)
	p.plan.Summary = types.StringUnknown()
	p.plan.Observed = types.MapUnknown(observedType)
}

// fillRegion fills in the region of zones where none is named: the one that the
// state has, or the provider's.
func (p *attachmentPlanner) fillRegion(ctx context.Context) {
	switch {
	case p.plan.Zones.IsNull():
		p.plan.Region = types.StringNull()
	case !p.plan.Region.IsUnknown() && !p.plan.Region.IsNull():
	case p.state != nil && !p.state.Region.IsNull():
		p.plan.Region = p.state.Region
	default:
		if cloud := p.backend.Get(p.diags); cloud != nil {
			region, err := cloud.Region(ctx)
			if err != nil {
				p.diags.AddAttributeError(path.Root("region"), "Unable to tell the region", err.Error())
			}
			p.plan.Region = types.StringValue(region)
		}
	}
}

func (p *attachmentPlanner) policy(ctx context.Context, regions []placement.Region) roster.Policy {
	pattern, cluster := roster.Pattern(p.plan.NodeName.ValueString()), p.plan.Cluster.ValueString()
	policy := roster.Policy{
		Name:       func(index int64) string { return pattern.Name(cluster, index) },
		Capacity:   p.plan.DesiredCapacity.ValueInt64(),
		Regions:    regions,
		Candidates: p.plan.candidates(ctx, p.diags),
	}
	if d := value.Object[deletionModel](ctx, p.plan.Deletion, p.diags); d != nil {
		policy.Criteria = deletion.Criteria(d.Criteria.ValueString())
		p.diags.Append(d.Protected.ElementsAs(ctx, &policy.Protected, false)...)
	}
	if p.state == nil {
		return policy
	}
	policy.Done = p.state.candidates(ctx, p.diags)
	// Moves are made once for a change, not again and again until all is even:
	// the plan after an apply is empty.
	if !p.plan.Regions.Equal(p.state.Regions) || !p.plan.Zones.Equal(p.state.Zones) || !p.plan.MaxMoves.Equal(p.state.MaxMoves) {
		policy.MaxMoves = p.plan.MaxMoves.ValueInt64()
	}
	return policy
}

// places tells whether nodes will have to be placed.
func (p *attachmentPlanner) places(now roster.Roster, policy roster.Policy) bool {
	stay := int64(len(now.Nodes))
	for _, name := range policy.Candidates {
		if _, there := now.Nodes[name]; there {
			stay--
		}
	}
	return policy.Capacity > stay || policy.MaxMoves > 0
}

// lookUp closes the regions and zones that cannot take nodes now, and lowers
// caps to what quotas allow.
func (p *attachmentPlanner) lookUp(ctx context.Context, now roster.Roster, facts map[string]node.Node, regions []placement.Region) (bounds places.Quotas) {
	cloud := p.backend.Get(p.diags)
	if cloud == nil {
		return nil
	}
	counts := now.Counts()
	bins := make([]placement.Bin, len(regions))
	for i, r := range regions {
		bins[i] = r.Bin
		bins[i].Current = sum(counts[r.Name])
	}
	if p.plan.Regions.IsNull() {
		places.RegionOr(ctx, cloud, p.plan.Region, p.diags)
	} else {
		places.CloseRegions(ctx, cloud, bins, path.Root("regions"), p.diags)
	}
	if p.diags.HasError() {
		return nil
	}
	for i, r := range regions {
		if len(r.Zones) > 0 && !bins[i].Closed {
			p.lookUpZones(ctx, cloud, i, r)
		}
	}
	if p.plan.RespectQuotas.ValueBool() && !p.diags.HasError() {
		// Quotas count servers: a node that has none yet still needs room.
		for i, r := range regions {
			bins[i].Current = served(now, facts, r.Name)
		}
		bounds = places.LimitByQuota(ctx, cloud, p.plan.FlavorID.ValueString(), bins, p.diags)
	}
	for i := range regions {
		regions[i].Bin = bins[i]
	}
	return bounds
}

// served counts the nodes of a region that have a server.
func served(now roster.Roster, facts map[string]node.Node, region string) (n int64) {
	for name, node := range now.Nodes {
		if _, there := facts[name]; there && node.Region == region {
			n++
		}
	}
	return n
}

func (p *attachmentPlanner) lookUpZones(ctx context.Context, cloud *openstack.Cloud, i int, r placement.Region) {
	at := path.Root("zones")
	if !p.plan.Regions.IsNull() {
		at = path.Root("regions").AtListIndex(i).AtName("zones")
	}
	closed := places.CloseZones(ctx, cloud, r.Name, r.Zones, at, p.diags)
	if len(closed) == len(r.Zones) && p.plan.Regions.IsNull() {
		places.ReportNoZone(r.Name, at, p.diags)
	}
}

// explain reports why there is no plan, at the argument that asks for it.
func (p *attachmentPlanner) explain(err error) {
	candidate, named := errors.AsType[*roster.CandidateError](err)
	_, protected := errors.AsType[*deletion.ProtectedError](err)
	switch {
	case named:
		p.diags.AddAttributeError(path.Root("deletion").AtName("candidates"), "Invalid candidate", candidate.Error())
	case protected:
		p.diags.AddAttributeError(path.Root("desired_capacity"), "Too few nodes may go", err.Error()+". Remove fewer nodes, or protect fewer.")
	default:
		places.ReportPlan(err, p.diags)
	}
}

// warn tells where a quota binds, and what stays above a cap.
func (p *attachmentPlanner) warn(now, next roster.Roster, regions []placement.Region, bounds places.Quotas) {
	before, after := now.Counts(), next.Counts()
	for _, r := range regions {
		nodes := sum(after[r.Name])
		if limit, lowered := bounds[r.Name]; lowered && nodes == r.Cap {
			p.diags.AddWarning("A quota binds", fmt.Sprintf("The region %q gets %s and is full then: %s.", r.Name, text.Nodes(nodes-sum(before[r.Name])), limit))
		}
		p.warnOfCap("region", r.Name, nodes, r.Cap)
		for _, z := range r.Zones {
			p.warnOfCap("availability zone", r.Name+"/"+z.Name, after[r.Name][z.Name], z.Cap)
		}
	}
}

func (p *attachmentPlanner) warnOfCap(kind, name string, nodes, most int64) {
	if most != placement.Unlimited && nodes > most {
		p.diags.AddWarning("More nodes than the cap", fmt.Sprintf("The %s %q keeps %s, above its cap of %d: a lower cap moves nobody. They go first when the cluster shrinks; max_moves replaces some now.", kind, name, text.Nodes(nodes), most))
	}
}

// sum adds up the nodes of a region's zones.
func sum(counts map[string]int64) (total int64) {
	for _, n := range counts {
		total += n
	}
	return total
}

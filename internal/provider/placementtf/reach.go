package placementtf

import (
	"context"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// unreachable returns the regions that do not answer.
func unreachable(regions []placement.Region) map[string]bool {
	names := map[string]bool{}
	for _, r := range regions {
		names[r.Name] = r.Closed
	}
	return names
}

// cutOff finds regions that lose nodes in a plan although their Nova does not answer, so that
// nothing can be deleted there. That happens without a refresh in this run, because Nova may have
// answered the last refresh. After a refresh no request is sent. No request is sent to a closed
// region, or to a region that is known not to answer, so each region is found once.
func (p *attachmentPlanner) cutOff(ctx context.Context, change planner.Change, policy roster.Policy) (found bool) {
	maintained := closedRegions(policy.Regions)
	regions := map[string]bool{}
	for _, v := range slices.Concat(change.With(verdict.Leaves), change.With(verdict.Changes)) {
		if !maintained(v.Region) && !policy.Unreachable[v.Region] {
			regions[v.Region] = true
		}
	}
	if len(regions) == 0 {
		return false
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return false
	}
	if err := cloud.Login(ctx); err != nil {
		p.diags.AddError("Unable to look up regions and availability zones", err.Error())
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(regions)) {
		if _, err := cloud.Compute(ctx, name); err != nil {
			p.diags.AddWarning("Region skipped", text.Sentence(err)+" "+places.KeepsAll)
			policy.Unreachable[name], found = true, true
		}
	}
	return found
}

// closeUnreachable closes the regions that do not answer.
func closeUnreachable(regions []placement.Region, unreachable map[string]bool) {
	for i, r := range regions {
		if unreachable[r.Name] && !r.Closed {
			regions[i].Closed, regions[i].Why = true, "does not answer"
		}
	}
}

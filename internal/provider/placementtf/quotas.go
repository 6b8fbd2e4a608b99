package placementtf

import (
	"context"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// quotas reads the quotas of regions, if the plan may place nodes.
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
	there := func(r placement.Region) []string { // a flavor that is gone is not asked for
		flavors := slices.DeleteFunc(policy.Flavors.In(r), func(f string) bool {
			return f != "" && policy.FlavorIDs[r.Name][f] == ""
		})
		if len(flavors) == 0 {
			return []string{""}
		}
		return flavors
	}
	ids := func(r placement.Region) (ids []string) { // the name may be another one now
		for _, flavor := range there(r) {
			ids = append(ids, policy.FlavorIDs[r.Name][flavor])
		}
		return ids
	}
	quotas := places.ReadQuotas(ctx, cloud, ids, open, p.diags)
	for _, r := range open {
		rooms := map[string]int64{}
		for _, flavor := range there(r) {
			if room, limited := quotas[r.Name].Flavors[policy.FlavorIDs[r.Name][flavor]]; limited {
				rooms[flavor] = room
			}
		}
		if quota, asked := quotas[r.Name]; asked && quota.Flavors != nil {
			quota.Flavors = rooms
			quotas[r.Name] = quota
		}
	}
	return quotas
}

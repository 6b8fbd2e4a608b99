package placementtf

import (
	"context"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

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

// withServer counts by region the nodes that have a server, including leaving nodes, which already have one when they
// come back. Quotas count servers, and a node without a server still needs room.
func withServer(s roster.Seen, r roster.Roster) map[string]int64 {
	counts := map[string]int64{}
	for name := range s.Servers {
		_, stays := r.Nodes[name]
		if n, there := r.Known(name); there && (stays || !s.Stray(name)) {
			counts[n.Region]++
		}
	}
	return counts
}

// withoutServer counts by region the nodes of a plan that need a server: new nodes, and nodes whose server was not
// found. A node that comes back has its server.
func withoutServer(s roster.Seen, before, after roster.Roster) map[string]int64 {
	counts := map[string]int64{}
	for name, n := range after.Nodes {
		if _, known := before.Known(name); !known || s.Missing[name] {
			counts[n.Region]++
		}
	}
	return counts
}

package placementtf

import (
	"context"
	"fmt"
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// plan is a region plan, or a zone plan: that of one region.
type plan struct {
	listed  places.Listed
	nodes   []node.Node
	request request.Request
	quotas  types.Bool
	flavor  types.String
}

// run works out the plan and a sentence on it. It is nil after an error.
func (p plan) run(ctx context.Context, cloud *openstack.Cloud, diags *diag.Diagnostics) (*cluster.Spread, string) {
	counts := node.Distribution(p.nodes)
	asked := p.request.In(cluster.Own(p.listed.Regions, counts)...)
	change, err := asked.Change(int64(len(p.nodes)))
	if err != nil {
		requesttf.Report(err, diags)
		return nil, ""
	}
	reason := text.Change(change) + p.elsewhere(counts)
	if precedence := p.request.Precedence(p.region(), p.zoned()...); precedence != "" {
		change, reason = 0, precedence
	}
	regions := p.listed.LookUp(ctx, cloud, change < 0, diags)
	if diags.HasError() {
		return nil, ""
	}
	capped, before := regions, totals(counts)
	var quotas cluster.Quotas
	if p.quotas.ValueBool() && change > 0 {
		quotas = places.ReadQuotas(ctx, cloud, p.flavor.ValueString(), regions, diags)
		if diags.HasError() {
			return nil, ""
		}
		capped = quotas.Cap(regions, before) // all nodes that are given are servers
	}
	spread, err := cluster.PlanSpread(capped, counts, change)
	if err != nil {
		places.ReportPlan(err, diags)
		return nil, ""
	}
	after := maps.Clone(before)
	for i, r := range spread.Regions {
		after[r.Name] += spread.Changes[i].Nodes
	}
	places.WarnOfQuotas(quotas.Binding(regions, capped, before, after), diags)
	return spread, reason
}

// region is that of a zone plan.
func (p plan) region() string {
	if p.listed.InOne {
		return p.listed.Regions[0].Name
	}
	return ""
}

// zoned lists the regions whose zones are planned too.
func (p plan) zoned() (names []string) {
	for _, r := range p.listed.Regions {
		if len(r.Zones) > 0 {
			names = append(names, r.Name)
		}
	}
	return names
}

// elsewhere says how much of a decision is for other regions.
func (p plan) elsewhere(counts map[string]map[string]int64) string {
	share := p.request.Decided()
	if share == nil {
		return ""
	}
	if n := share.Elsewhere(cluster.Own(p.listed.Regions, counts)...); n > 0 {
		return fmt.Sprintf(" The decision has %s, of which other regions get %d.", text.Nodes(share.Count), n)
	}
	return ""
}

func totals(counts map[string]map[string]int64) map[string]int64 {
	all := make(map[string]int64, len(counts))
	for region, zones := range counts {
		all[region] = sum(zones)
	}
	return all
}

// sum adds up the nodes of a region's zones.
func sum(counts map[string]int64) (total int64) {
	for _, n := range counts {
		total += n
	}
	return total
}

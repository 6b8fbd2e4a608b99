// Package planstf is the Terraform face of the region plan and the zone plan.
package planstf

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// plan is a region plan, or a zone plan, which is for one region.
type plan struct {
	cloud   *openstack.Cloud
	listed  places.Listed
	nodes   []node.Node
	request request.Request
	quotas  bool // whether quotas are respected
	flavor  string
}

// planned is the result of a plan: a cluster, and how it changes.
type planned struct {
	board  *placement.Board
	change placement.Counts
	reason string // a sentence
}

// run works out the plan, and returns nil after an error.
func (p plan) run(ctx context.Context, diags *diag.Diagnostics) *planned {
	counts := placement.Counts{}
	for _, n := range p.nodes {
		counts[placement.Place{Region: n.Region, Zone: n.Zone}]++
	}
	var listed, zoned []string // zoned are the regions whose zones are planned too
	for _, r := range p.listed.Regions {
		listed = append(listed, r.Name)
		if len(r.Zones) > 0 {
			zoned = append(zoned, r.Name)
		}
	}
	own := slices.Clone(listed)
	for region := range counts.ByRegion() {
		if !slices.Contains(own, region) {
			own = append(own, region)
		}
	}
	places.RefuseUnknown(ctx, p.cloud, p.request, own, diags)
	if diags.HasError() {
		return nil
	}
	if precedence := p.request.Precedence(p.region(), zoned...); precedence != "" {
		return &planned{placement.NewBoard(p.listed.Regions, counts), nil, precedence}
	}
	asked := p.request.In(listed, own)
	size, err := asked.Change(int64(len(p.nodes)))
	if err != nil {
		requesttf.Report(err, diags)
		return nil
	}
	size, cut := asked.Cut(size, int64(len(p.nodes)))
	requesttf.WarnOfCut(cut, int64(len(p.nodes)), diags)
	result := p.distribute(ctx, size, counts, diags)
	if result != nil {
		result.reason = text.Change(size) + p.request.Elsewhere(asked)
	}
	return result
}

// distribute spreads a number of nodes to add, or to remove if it is negative, over the places that can be used.
func (p plan) distribute(ctx context.Context, size int64, counts placement.Counts, diags *diag.Diagnostics) *planned {
	before := counts.ByRegion()
	concerned := p.listed
	if size < 0 {
		concerned = p.listed.Also(counts)
	}
	listed, findings, err := cluster.LookUp(ctx, p.cloud, concerned.Regions, counts)
	if err != nil {
		diags.AddError("Unable to look up regions and availability zones", err.Error())
		return nil
	}
	concerned.Report(findings, size < 0, diags)
	concerned.ReportNone(listed, size > 0, diags)
	if diags.HasError() {
		return nil
	}
	capped := listed
	var quotas cluster.Quotas
	if p.quotas && size > 0 {
		flavors := func(placement.Region) []string { return []string{p.flavor} }
		quotas = places.ReadQuotas(ctx, p.cloud, flavors, listed, diags)
		if diags.HasError() {
			return nil
		}
		capped = quotas.Cap(listed, before) // all nodes that are given are servers
	}
	board := placement.NewBoard(capped, counts)
	for _, n := range p.nodes {
		if n.Protected {
			board.Keep(placement.Place{Region: n.Region, Zone: n.Zone}, 1)
		}
	}
	for _, r := range listed {
		if size < 0 && r.Closed { // nothing can be deleted there
			board.HoldRegion(r.Name)
		}
	}
	change, err := board.Distribute(size)
	if err != nil {
		p.listed.ReportPlan(err, diags)
		return nil
	}
	concerned.WarnOfClosed(board, change, diags)
	after := maps.Clone(before)
	for at, n := range change {
		after[at.Region] += n
	}
	places.WarnOfQuotas(quotas.Binding(listed, capped, before, after), diags)
	return &planned{board: board, change: change}
}

// region returns the region of a zone plan, and "" for a region plan.
func (p plan) region() string {
	if p.listed.InOne {
		return p.listed.Regions[0].Name
	}
	return ""
}

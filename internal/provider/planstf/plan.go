// Package planstf is the Terraform face of the region plan and the zone plan.
package planstf

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
		p.warnOfPlace(ctx, counts, diags)
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
		p.checkZone(ctx, result.change, diags)
		result.reason = text.Change(size) + p.request.Elsewhere(asked)
	}
	return result
}

// checkZone refuses a zone without its region that the region of the plan does not have.
func (p plan) checkZone(ctx context.Context, change placement.Counts, diags *diag.Diagnostics) {
	if p.request.NodeCreate == nil || p.request.NodeCreate.Zone == "" {
		return
	}
	var found diag.Diagnostics
	at, chosen := path.Root("node_create").AtName("zone"), slices.Collect(maps.Keys(change.ByRegion()))
	zone, _, _ := strings.Cut(p.request.NodeCreate.Zone, ":")
	places.CheckZone(ctx, p.cloud, chosen, zone, at, &found)
	for _, d := range found.Errors() {
		diags.AddAttributeError(at, "Unknown availability zone",
			d.Detail()+" The plan chose that region: name the region of the node.")
	}
	diags.Append(found.Warnings()...)
}

// warnOfPlace warns that the place that a node names is closed, or full.
func (p plan) warnOfPlace(ctx context.Context, counts placement.Counts, diags *diag.Diagnostics) {
	asked := *p.request.NodeCreate
	asked.Region = cmp.Or(asked.Region, p.region())
	asked.Zone, _, _ = strings.Cut(asked.Zone, ":")
	i := slices.IndexFunc(p.listed.Regions, func(r placement.Region) bool { return r.Name == asked.Region })
	if i < 0 || diags.WarningsCount() > 0 {
		return
	}
	listed := p.listed.Regions[i : i+1]
	if p.quotas {
		flavors := func(placement.Region) []string { return []string{p.flavor} }
		listed = places.ReadQuotas(ctx, p.cloud, flavors, listed, diags).Cap(listed, counts.ByRegion())
	}
	warn := func(name string, bin placement.Bin, has int64, at path.Path) {
		why := bin.Why
		switch {
		case bin.Maintenance:
			why = "it is closed"
		case bin.Cap == placement.Unlimited || has < bin.Cap:
			return
		case why == "":
			why = fmt.Sprintf("it has %s, and its cap is %d", text.Nodes(has), bin.Cap)
		}
		places.WarnOfNode(at, fmt.Sprintf("The plan would place no node in %s: %s. The place that a node names takes "+
			"precedence. Name another one, or none.", name, why), diags)
	}
	at := path.Root("node_create")
	warn(asked.Region, listed[0].Bin, counts.ByRegion()[asked.Region], at.AtName("region"))
	for _, z := range listed[0].Zones {
		if z.Name == asked.Zone {
			warn(asked.String(), z, counts[asked], at.AtName("zone"))
		}
	}
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

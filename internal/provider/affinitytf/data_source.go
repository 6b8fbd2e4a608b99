package affinitytf

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// NewPlan returns stackpolicy_affinity_plan: a placement for each new node of a server group.
func NewPlan() datasource.DataSource {
	return &backend.DataSource[planModel]{Name: "affinity_plan", Fields: planSchema, Fill: fillPlan}
}

func fillPlan(ctx context.Context, b *backend.Backend, model *planModel, diags *diag.Diagnostics) {
	asked := model.Read(ctx, diags)
	cloud, compute := b.Compute(ctx, &model.Region, diags)
	if !diags.HasError() {
		model.plan(ctx, cloud, compute, *asked, diags)
	}
}

// mostPlacements is the maximum number of placements, one for each node: a larger
// number is a mistake, and would only fill the memory.
const mostPlacements = 100_000

// plan fills in the result.
func (m *planModel) plan(
	ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, asked request.Request,
	diags *diag.Diagnostics,
) {
	group, err := compute.ServerGroup(ctx, m.ServerGroupID.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("servergroup_id"), "Unable to read the server group", err.Error())
		return
	}
	places.RefuseUnknown(ctx, cloud, asked, []string{compute.Region}, diags)
	additions, err := asked.Additions(compute.Region, m.AvailabilityZone.ValueString(), int64(len(group.Members)))
	p := placing{group: group, zones: additions.Zones}
	if err == nil && p.count() > mostPlacements {
		err = fmt.Errorf("a placement for each of %d nodes is more than can be listed (%d)", p.count(), mostPlacements)
	}
	if err != nil {
		requesttf.Report(err, diags)
		return
	}
	p.zones = m.targets(ctx, cloud, compute, asked, additions.Zones, diags)
	p.members = m.readMembers(ctx, cloud, p, diags)
	if diags.HasError() {
		return
	}
	if len(p.zones) > 0 {
		m.warn(ctx, cloud, compute, p, diags)
	}
	m.findViolations(group, p.members)
	m.Status, m.Reason, m.Placement = types.StringValue("OK"), types.StringValue(additions.Reason), p.list()
}

// targets returns the zones to give to servers, with the host of the DRS cluster if
// the extension is enabled, and reports zones that do not exist.
func (m *planModel) targets(
	ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, asked request.Request,
	zones map[string]int64, diags *diag.Diagnostics,
) map[string]int64 {
	targets := map[string]int64{}
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		wanted := zoneWanted{name, path.Root("availability_zone"), m.EnableDRSExtension.ValueBool()}
		switch {
		case name == m.AvailabilityZone.ValueString():
		case asked.NodeCreate != nil:
			wanted.at = path.Root("node_create").AtName("zone")
		default:
			wanted.at = path.Root("decision")
		}
		targets[targetZone(ctx, cloud, compute, wanted, diags)] += zones[name]
	}
	return targets
}

// warn reports new members that Nova would refuse, before anything is built.
func (m *planModel) warn(
	ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, p placing, diags *diag.Diagnostics,
) {
	group, after := p.group, int64(len(p.group.Members))+p.count()
	limits, err := cloud.Limits(ctx, compute.Region)
	if err != nil {
		diags.AddError("Unable to look up quotas", err.Error())
		return
	}
	if most := int64(limits.MaxServerGroupMembers); most >= 0 && after > most {
		diags.AddAttributeWarning(path.Root("servergroup_id"), "The group gets more members than its quota",
			fmt.Sprintf("The server group %q has %d members and would have %d; Nova's quota server_group_members "+
				"allows %d, and refuses the servers beyond it. Raise the quota, or ask for fewer nodes.", group.Name,
				len(group.Members), after, most))
	}
	if group.Policy == affinity.Affinity && len(p.zones) > 1 {
		diags.AddAttributeWarning(path.Root("decision"), "Too few hosts for the group", fmt.Sprintf("The server "+
			"group %q keeps its servers on one host, and its new members would be in %s. Nova refuses members that "+
			"are not in the zone of the host: decide on one zone.",
			group.Name, text.And(slices.Sorted(maps.Keys(p.zones)))))
	}
	if group.Policy != affinity.AntiAffinity {
		return
	}
	hypervisors, err := compute.Hypervisors(ctx)
	var zoneOf map[string]string
	if err == nil && p.zoned() {
		zoneOf, err = hostZones(ctx, compute)
	}
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		return // this user cannot see hypervisors, so nothing can be said
	case err != nil:
		diags.AddError("Unable to look up hypervisors", err.Error())
		return
	}
	for _, zone := range slices.Sorted(maps.Keys(p.zones)) {
		where := "region " + compute.Region
		if zone != "" {
			where = fmt.Sprintf("%q in %s", zone, where)
			after = p.zones[zone] + p.membersIn(zone)
		}
		if room := affinity.Room(group, hypervisors, zoneOf, zone); after > room {
			diags.AddAttributeWarning(path.Root("servergroup_id"), "Too few hosts for the group", fmt.Sprintf("The "+
				"server group %q would have %d members in %s, and its rule (%d a host) places %d on the hosts there "+
				"that are up and enabled. Nova refuses the others: ask for fewer nodes, or add hosts.", group.Name,
				after, where, max(group.MaxServerPerHost, 1), room))
		}
	}
}

// readMembers reads the members of an anti-affinity group, if their places matter.
func (m *planModel) readMembers(
	ctx context.Context, cloud *openstack.Cloud, p placing, diags *diag.Diagnostics,
) []node.Node {
	none := len(p.group.Members) == 0 || (len(p.group.Members) == 1 && !p.zoned())
	if p.group.Policy != affinity.AntiAffinity || none {
		return nil
	}
	members, err := cluster.Read(ctx, cloud, cluster.Query{
		Regions:    []string{m.Region.ValueString()},
		Selector:   cluster.Selector{IDs: p.group.Members},
		NoProfiles: true,
	})
	if err != nil {
		diags.AddError("Unable to read the members of the server group", err.Error())
	}
	return members
}

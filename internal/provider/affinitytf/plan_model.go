package affinitytf

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
)

type planModel struct {
	ServerGroupID      types.String `tfsdk:"servergroup_id"`
	Region             types.String `tfsdk:"region"`
	AvailabilityZone   types.String `tfsdk:"availability_zone"`
	EnableDRSExtension types.Bool   `tfsdk:"enable_drs_extension"`
	Status             types.String `tfsdk:"status"`
	Reason             types.String `tfsdk:"reason"`
	Placement          types.Object `tfsdk:"placement"`
	Violations         types.List   `tfsdk:"violations"`
	requesttf.Model
}

var (
	placementType  = types.ObjectType{AttrTypes: map[string]attr.Type{"servergroup": types.StringType, "zone": types.StringType}}
	placementsType = types.ObjectType{AttrTypes: map[string]attr.Type{"count": types.Int64Type, "placements": types.ListType{ElemType: placementType}}}
	violationType  = types.ObjectType{AttrTypes: map[string]attr.Type{"host_id": types.StringType, "members": types.ListType{ElemType: types.StringType}}}
)

// mostPlacements bounds the list of placements, one a node: a number beyond it
// is a mistake, and would only fill the memory.
const mostPlacements = 100_000

// plan fills in the result.
func (m *planModel) plan(ctx context.Context, cloud *openstack.Cloud, asked request.Request, diags *diag.Diagnostics) {
	compute, err := cloud.Compute(ctx, m.Region.ValueString())
	var group openstack.ServerGroup
	if err == nil {
		group, err = compute.ServerGroup(ctx, m.ServerGroupID.ValueString())
	}
	if err != nil {
		diags.AddAttributeError(path.Root("servergroup_id"), "Unable to read the server group", err.Error())
		return
	}
	change, err := asked.Change(int64(len(group.Members)))
	if err == nil && change > mostPlacements {
		err = fmt.Errorf("a placement for each of %d nodes is more than can be listed (%d)", change, mostPlacements)
	}
	if err != nil {
		requesttf.Report(err, diags)
		return
	}
	count := max(change, 0)
	zone := m.AvailabilityZone.ValueString()
	if asked.NodeCreate != nil && asked.NodeCreate.Zone != "" {
		zone = asked.NodeCreate.Zone
	}
	if count > 0 {
		zone = targetZone(ctx, cloud, compute, zone, m.EnableDRSExtension.ValueBool(), diags)
	}
	members := m.members(ctx, cloud, group, zone, diags)
	if diags.HasError() {
		return
	}
	if count > 0 {
		m.warn(ctx, cloud, compute, placing{group, members, zone, count}, diags)
	}
	m.findViolations(ctx, group, members, diags)
	m.Status, m.Reason = types.StringValue("OK"), types.StringValue(text.Change(count))
	m.Placement = types.ObjectNull(placementsType.AttrTypes)
	if count > 0 {
		entry := types.ObjectValueMust(placementType.AttrTypes, map[string]attr.Value{"servergroup": types.StringValue(group.ID), "zone": value.TextOrNull(zone)})
		list := make([]attr.Value, count)
		for i := range list {
			list[i] = entry
		}
		m.Placement = types.ObjectValueMust(placementsType.AttrTypes, map[string]attr.Value{
			"count": types.Int64Value(count), "placements": types.ListValueMust(placementType, list)})
	}
}

// placing is what is planned: count more members for a group, in a zone.
type placing struct {
	group   openstack.ServerGroup
	members []node.Node // as far as they matter
	zone    string      // or zone:host, or ""
	count   int64
}

// warn says what Nova will refuse, before anything is built.
func (m *planModel) warn(ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, p placing, diags *diag.Diagnostics) {
	group, after := p.group, int64(len(p.group.Members))+p.count
	limits, err := cloud.Limits(ctx, compute.Region)
	if err != nil {
		diags.AddError("Unable to look up quotas", err.Error())
		return
	}
	if most := int64(limits.MaxServerGroupMembers); most >= 0 && after > most {
		diags.AddAttributeWarning(path.Root("servergroup_id"), "The group gets more members than its quota",
			fmt.Sprintf("The server group %q has %d members and would have %d; Nova's quota server_group_members allows %d, and refuses the servers beyond it.", group.Name, len(group.Members), after, most))
	}
	if group.Policy != affinity.AntiAffinity {
		return
	}
	hypervisors, err := compute.Hypervisors(ctx)
	var zoneOf map[string]string
	if err == nil && p.zone != "" {
		zoneOf, err = hostZones(ctx, compute)
	}
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		return // not visible to this user, and so nothing can be said
	case err != nil:
		diags.AddError("Unable to look up hypervisors", err.Error())
		return
	}
	where := "region " + compute.Region
	if p.zone != "" {
		where = fmt.Sprintf("%q in %s", p.zone, where)
		name, _, _ := strings.Cut(p.zone, ":")
		after = p.count
		for _, member := range p.members {
			if member.Zone == name {
				after++
			}
		}
	}
	if room := affinity.Room(group, hypervisors, zoneOf, p.zone); after > room {
		diags.AddAttributeWarning(path.Root("servergroup_id"), "Too few hosts for the group",
			fmt.Sprintf("The server group %q would have %d members in %s, and its rule (%d a host) places %d on the hosts there that are up and enabled.",
				group.Name, after, where, max(group.MaxServerPerHost, 1), room))
	}
}

// members reads the members of an anti-affinity group, where their places matter.
func (m *planModel) members(ctx context.Context, cloud *openstack.Cloud, group openstack.ServerGroup, zone string, diags *diag.Diagnostics) []node.Node {
	if group.Policy != affinity.AntiAffinity || len(group.Members) == 0 || len(group.Members) == 1 && zone == "" {
		return nil
	}
	members, err := cluster.Read(ctx, cloud, cluster.Query{Regions: []string{m.Region.ValueString()}, Selector: cluster.Selector{IDs: group.Members}, NoProfiles: true})
	if err != nil {
		diags.AddError("Unable to read the members of the server group", err.Error())
	}
	return members
}

// findViolations looks at the hosts of the group's members.
func (m *planModel) findViolations(ctx context.Context, group openstack.ServerGroup, members []node.Node, diags *diag.Diagnostics) {
	hosts := map[string]string{}
	for _, n := range members {
		hosts[n.ID] = n.HostID
	}
	var list []attr.Value
	for _, v := range affinity.Violations(group, hosts) {
		members, more := types.ListValueFrom(ctx, types.StringType, v.Members)
		diags.Append(more...)
		list = append(list, types.ObjectValueMust(violationType.AttrTypes, map[string]attr.Value{"host_id": types.StringValue(v.HostID), "members": members}))
	}
	m.Violations = types.ListValueMust(violationType, list)
}

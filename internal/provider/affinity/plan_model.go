package affinity

import (
	"context"
	"fmt"
	"net/http"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
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
	request.Model
}

var (
	placementType  = types.ObjectType{AttrTypes: map[string]attr.Type{"servergroup": types.StringType, "zone": types.StringType}}
	placementsType = types.ObjectType{AttrTypes: map[string]attr.Type{"count": types.Int64Type, "placements": types.ListType{ElemType: placementType}}}
	violationType  = types.ObjectType{AttrTypes: map[string]attr.Type{"host_id": types.StringType, "members": types.ListType{ElemType: types.StringType}}}
)

// mostPlacements bounds the list of placements, one a node: a number beyond it
// is a slip, and would only fill the memory.
const mostPlacements = 100_000

// plan fills in the result.
func (m *planModel) plan(ctx context.Context, cloud *openstack.Cloud, asked cluster.Request, diags *diag.Diagnostics) {
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
		request.Report(err, diags)
		return
	}
	count := max(change, 0)
	zone := m.AvailabilityZone.ValueString()
	if asked.NodeCreate != nil && asked.NodeCreate.Zone != "" {
		zone = asked.NodeCreate.Zone
	}
	if count > 0 {
		zone = zoneWithHost(ctx, compute, zone, m.EnableDRSExtension.ValueBool(), diags)
		m.warn(ctx, cloud, compute, group, count, diags)
	}
	m.findViolations(ctx, cloud, group, diags)
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

// warn tells what Nova will refuse, before anything is built.
func (m *planModel) warn(ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, group openstack.ServerGroup, count int64, diags *diag.Diagnostics) {
	after := int64(len(group.Members)) + count
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
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		return // not visible to this user, and so nothing can be said
	case err != nil:
		diags.AddError("Unable to look up hypervisors", err.Error())
		return
	}
	if room := affinity.Room(group, hypervisors); after > room {
		diags.AddAttributeWarning(path.Root("servergroup_id"), "Too few hosts for the group",
			fmt.Sprintf("The server group %q would have %d members, and its rule (%d a host) places %d on the hosts of region %s that are up and enabled.", group.Name, after, max(group.MaxServerPerHost, 1), room, compute.Region))
	}
}

// findViolations looks at the hosts of the group's members.
func (m *planModel) findViolations(ctx context.Context, cloud *openstack.Cloud, group openstack.ServerGroup, diags *diag.Diagnostics) {
	hosts := map[string]string{}
	if group.Policy == affinity.AntiAffinity && len(group.Members) > 1 {
		nodes, err := cluster.Read(ctx, cloud, cluster.Query{Regions: []string{m.Region.ValueString()}, Selector: cluster.Selector{IDs: group.Members}, NoProfiles: true})
		if err != nil {
			diags.AddError("Unable to read the members of the server group", err.Error())
		}
		for _, n := range nodes {
			hosts[n.ID] = n.HostID
		}
	}
	var list []attr.Value
	for _, v := range affinity.Violations(group, hosts) {
		members, more := types.ListValueFrom(ctx, types.StringType, v.Members)
		diags.Append(more...)
		list = append(list, types.ObjectValueMust(violationType.AttrTypes, map[string]attr.Value{"host_id": types.StringValue(v.HostID), "members": members}))
	}
	m.Violations = types.ListValueMust(violationType, list)
}

package affinitytf

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
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
	placementsType = placementAttribute().GetType().(types.ObjectType)
	placementType  = placementsType.AttrTypes["placements"].(types.ListType).ElemType.(types.ObjectType)
	violationType  = violationsAttribute().GetType().(types.ListType).ElemType.(types.ObjectType)
)

// placing is a plan of more members for a group.
type placing struct {
	group   openstack.ServerGroup
	members []node.Node      // members whose places matter
	zones   map[string]int64 // number of new members by zone, which may be zone:host, or "" for any zone
}

func (p placing) count() (count int64) {
	for _, n := range p.zones {
		count += n
	}
	return count
}

// list returns an entry for each new member, sorted by zone, or null if there are no new members.
func (p placing) list() types.Object {
	if len(p.zones) == 0 {
		return types.ObjectNull(placementsType.AttrTypes)
	}
	var list []attr.Value
	for _, zone := range slices.Sorted(maps.Keys(p.zones)) {
		entry := types.ObjectValueMust(placementType.AttrTypes, map[string]attr.Value{
			"servergroup": types.StringValue(p.group.ID),
			"zone":        value.TextOrNull(zone),
		})
		list = append(list, slices.Repeat([]attr.Value{entry}, int(p.zones[zone]))...)
	}
	return types.ObjectValueMust(placementsType.AttrTypes, map[string]attr.Value{
		"count":      types.Int64Value(p.count()),
		"placements": types.ListValueMust(placementType, list),
	})
}

// zoned reports whether all new members have a zone.
func (p placing) zoned() bool {
	_, anywhere := p.zones[""]
	return len(p.zones) > 0 && !anywhere
}

// membersIn counts the members in a zone, which may be zone:host.
func (p placing) membersIn(zone string) (count int64) {
	name, _, _ := strings.Cut(zone, ":")
	for _, member := range p.members {
		if member.Zone == name {
			count++
		}
	}
	return count
}

// findViolations fills in the hosts with more members than the group's rule allows.
func (m *planModel) findViolations(group openstack.ServerGroup, members []node.Node) {
	hosts := map[string]string{}
	for _, n := range members {
		hosts[n.ID] = n.HostID
	}
	var list []attr.Value
	for _, v := range affinity.Violations(group, hosts) {
		list = append(list, types.ObjectValueMust(violationType.AttrTypes,
			map[string]attr.Value{"host_id": types.StringValue(v.HostID), "members": value.List(v.Members)}))
	}
	m.Violations = types.ListValueMust(violationType, list)
}
